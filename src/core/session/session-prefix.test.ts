import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deriveSessionPrefix, isSafeName } from '../../contract/ids.ts'

describe('deriveSessionPrefix', () => {
  it.each([
    ['S1.18 an id of four characters or fewer stays', 'api', 'api'],
    ['S1.18 even with capitals', 'API', 'API'],
    ['S1.18 even with a dash', 'a-b', 'a-b'],
    ['S1.18 of exactly four characters', 'core', 'core'],
    ['S0.83 app', 'app', 'app'],
    ['S0.83 api', 'api', 'api'],
    ['S0.83 web', 'web', 'web'],
    ['S1.19 capitals give initials', 'MyApp', 'ma'],
    ['S1.19 capitals give initials', 'PyTorch', 'pt'],
    ['S1.17 capitals come before parts', 'My-App', 'ma'],
    ['S1.20 parts by dash', 'my-service', 'ms'],
    ['S1.20 parts by underscore', 'my_app', 'ma'],
    ['S1.20 parts by dash', 'agent-orchestrator', 'ao'],
    ['S1.20 a dash separates before an underscore', 'my-big_app', 'mb'],
    ['S1.20 three parts', 'one-two-three', 'ott'],
    ['S1.20 one capital is no CamelCase', 'My-service', 'ms'],
    ['S1.21 the first three characters', 'integrator', 'int'],
    ['S1.21 the first three characters', 'myapp', 'mya'],
    ['S1.21 with one capital', 'Integrator', 'int'],
    ['empty parts are passed over', 'my--service-', 'ms'],
    ['nothing but separators', '_____', '___'],
    ['a separator of the other kind at the start of a part', 'my-_app', 'ma'],
  ])('%s: %s -> %s', (_rule, id, prefix) => {
    expect(deriveSessionPrefix(id)).toBe(prefix)
  })

  it('S1.17 gives a name that can be a path, a branch and a tmux target, whatever the id', () => {
    const id = fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_-]{0,127}$/)
    fc.assert(
      fc.property(id, (projectId) => {
        const prefix = deriveSessionPrefix(projectId)
        expect(isSafeName(prefix)).toBe(true)
        expect(prefix.startsWith('-')).toBe(false)
      }),
    )
  })
})
