// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders are the subject
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTempHome, type TempHome } from '../../test/support/temp-home.ts'
import { loadConfig } from './load-config.ts'
import { untrustedItems } from './trust/trust.ts'

let temp: TempHome
beforeEach(() => {
  temp = createTempHome()
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

function load(text: string, { own, env = {} }: { own?: string; env?: NodeJS.ProcessEnv } = {}) {
  const path = join(temp.home, 'app', 'agent-orchestrator.yaml')
  const ownPath = join(temp.home, '.config', 'agent-orchestrator', 'config.yaml')
  for (const [file, content] of [[path, `${text}\n`] as const, ...(own ? [[ownPath, `${own}\n`] as const] : [])]) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
  return loadConfig({ path, home: temp.home, env: { ...temp.env, ...env } })
}

const consents = (config: ReturnType<typeof load>) =>
  untrustedItems(config, { home: temp.home, env: temp.env }).map(({ what }) => what)

const OWN = 'accounts: { work2: { agentConfig: { env: { CLAUDE_CONFIG_DIR: ~/.claude-2, KEY: "${SECOND:-none}" } } } }'

describe('accounts', () => {
  it('of the user need no consent, and their directories are paths', () => {
    const config = load('projects: { app: { path: . } }', { own: `${OWN}\ndefaults: { fallback: [work2] }` })
    expect(config.accounts?.work2?.agentConfig?.env).toEqual({
      CLAUDE_CONFIG_DIR: join(temp.home, '.claude-2'),
      KEY: 'none',
    })
    expect(config.defaults.fallback).toEqual(['work2'])
    expect(consents(config)).toEqual([])
  })

  it('are not used by a repository without consent, nor can it exchange them', () => {
    const config = load(
      'accounts: { work2: { agentConfig: { env: { CLAUDE_CONFIG_DIR: /theirs } } }, own: { agent: codex } }\nprojects: { app: { path: ., fallback: [work2] } }',
      { own: OWN },
    )
    expect(config.accounts?.work2?.agentConfig?.env?.CLAUDE_CONFIG_DIR).toBe(join(temp.home, '.claude-2'))
    expect(consents(config)).toEqual([
      'agents may be started with the accounts {"own":{"agent":"codex"}}',
      'project app continues with other accounts when a limit stops an agent: ["work2"]',
    ])
  })

  it.each([
    ['fallback: [nobody]', 'names nobody, which is not among `accounts`'],
    ['fallback: [a, a]', 'names an account twice'],
    ['fallback: codex', 'must be a list'],
  ])('%s is a mistake', (fallback, wording) => {
    const text = `accounts: { a: {} }\nprojects: { app: { path: ., ${fallback} } }`
    expect(() => load(text)).toThrow(wording)
  })

  it('with a misspelt key are refused, with what was meant', () => {
    const text = 'accounts: { a: { agentConfig: { modle: x } } }\nprojects: { app: { path: . } }'
    expect(() => load(text)).toThrow(/modle[\s\S]*model/)
  })

  it('whose variable an agent does not get do not stop the commands that it runs', () => {
    const text = 'accounts: { a: { agentConfig: { env: { KEY: "${SECOND_KEY}" } } } }\nprojects: { app: { path: . } }'
    expect(() => load(text)).toThrow('SECOND_KEY is not set')
    expect(load(text, { env: { AO_SESSION: 'app-1' } }).accounts?.a).toBeDefined()
  })
})
