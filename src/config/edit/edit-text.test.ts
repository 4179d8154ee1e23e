// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders are the subject
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withChange } from '../../core/config/with-change.ts'
import { diffRows } from '../../core/text/diff-lines.ts'
import { parseValue, parseYaml } from '../validate-config.ts'
import { type ConfigChange, editText } from './edit-text.ts'
import { hideText } from './hide-text.ts'

const TEXT = `# Ours.
defaults:
    agent: demo      # aligned by hand


projects:
    app:
        path: .          # here
        defaultBranch: "main"
        agentConfig: {permissions: skip, model: x}
        reactions:
            # Keep me.
            ci-failed: { auto: false }   # why
        symlinks:
            - a   # first
            - b
    # About the other one.
    other: &other
        path: ../other
        budget:
notifiers:
    chat: {plugin: slack, webhookUrl: "\${URL}"}
    hook:
        plugin: webhook
        url: https://example.invalid
        secret: hunter2hunter2 # token: abcdefghijkl
`

/** What a person sees of a change: removed and added lines, nothing else. */
function changed(...changes: ConfigChange[]): string[] {
  return diffRows(TEXT, editText('a.yaml', TEXT, changes), 0).flatMap(({ kind, text }) =>
    kind === 'removed' ? [`- ${text}`] : kind === 'added' ? [`+ ${text}`] : [],
  )
}

describe('a change of the configuration file', () => {
  it.each<[string, ConfigChange, string[]]>([
    [
      'a value keeps its quotes and its comment',
      { path: ['projects', 'app', 'defaultBranch'], value: 'dev' },
      ['-         defaultBranch: "main"', '+         defaultBranch: "dev"'],
    ],
    [
      'a new key comes last in its group, indented like the file',
      { path: ['projects', 'app', 'reactions', 'agent-stuck', 'threshold'], value: '5m' },
      ['+             agent-stuck:', '+                 threshold: 5m'],
    ],
    [
      'a list keeps the comments of what stays',
      { path: ['projects', 'app', 'symlinks'], value: ['a', 'c'] },
      ['-             - b', '+             - c'],
    ],
    [
      'a group that says nothing yet gets its first key',
      { path: ['projects', 'other', 'budget', 'session'], value: '5 USD' },
      ['-         budget:', '+         budget:', '+             session: 5 USD'],
    ],
    [
      'a removed key takes along what is empty without it',
      { path: ['projects', 'app', 'reactions', 'ci-failed', 'auto'] },
      ['-         reactions:', '-             # Keep me.', '-             ci-failed: { auto: false }   # why'],
    ],
    ['a key that is not there is not removed', { path: ['projects', 'app', 'nothing', 'here'] }, []],
    [
      'text that YAML would read as something else is quoted',
      { path: ['projects', 'app', 'name'], value: 'yes: 007 #' },
      ['+         name: "yes: 007 #"'],
    ],
  ])('%s', (_, change, expected) => {
    const rows = changed(change)
    expect(rows.filter((row) => !rows.includes(`${row.startsWith('-') ? '+' : '-'}${row.slice(1)}`))).toEqual(
      expected.filter((row) => !expected.includes(`${row.startsWith('-') ? '+' : '-'}${row.slice(1)}`)),
    )
  })

  it('says exactly what was asked for, whatever that is, and leaves comments where they are', () => {
    const key = fc.constantFrom('app', 'other', 'path', 'name', 'reactions', 'x y', 'symlinks')
    const value = fc.oneof(fc.string(), fc.boolean(), fc.integer(), fc.array(fc.string(), { maxLength: 3 }))
    const change = fc.record({ path: fc.tuple(fc.constant('projects'), key, key), value }) as fc.Arbitrary<ConfigChange>
    fc.assert(
      fc.property(change, (one) => {
        const text = editText('a.yaml', TEXT, [one])
        expect(parseYaml('a.yaml', text).value).toEqual(withChange(parseYaml('a.yaml', TEXT).value as never, one))
        expect(text).toContain('    agent: demo      # aligned by hand\n\n\nprojects:')
        expect(text).toContain('    # About the other one.')
      }),
      { numRuns: 60 },
    )
  })

  it.each<[string, string, ConfigChange, string]>([
    ['a list that is not so long', TEXT, { path: ['projects', 'app', 'symlinks', 7], value: 'x' }, 'behind the end'],
    ['a value that is not a group', TEXT, { path: ['projects', 'app', 'path', 'x'], value: 1 }, 'is one value'],
    ['a group that is shared', `${TEXT}places: *other\n`, { path: ['places', 'x', 'y'], value: 1 }, 'is shared'],
    ['a text that is not YAML', 'a: [', { path: ['port'], value: 1 }, 'a.yaml'],
  ])('is refused in %s', (_, text, change, why) => {
    expect(() => editText('a.yaml', text, [change])).toThrow(why)
  })

  it('works in an empty file', () => {
    expect(editText('a.yaml', '# nothing yet\n', [{ path: ['port'], value: 1 }])).toBe('# nothing yet\n\nport: 1\n')
  })
})

describe('a value that is typed', () => {
  it.each<[string, unknown]>([
    ['true', true],
    ['3', 3],
    ['[a, b]', ['a', 'b']],
    ['a: [', 'a: ['],
    ['*.log', '*.log'],
    ['&x', null],
    [`${'['.repeat(40)}${']'.repeat(40)}`, `${'['.repeat(40)}${']'.repeat(40)}`],
  ])('%s is read as YAML, or is text', (text, value) => {
    expect(parseValue(text)).toEqual(value)
  })

  it('never fails, whatever it is', () => {
    fc.assert(fc.property(fc.string(), (text) => void parseValue(text)))
  })
})

describe('what is shown of a change', () => {
  it('has no literal secret in it, not even in a comment, and says which one is new', () => {
    const after = editText('a.yaml', TEXT, [{ path: ['notifiers', 'hook', 'secret'], value: 'other-secret-1' }])
    const rows = diffRows(hideText(TEXT), hideText(after, TEXT))
    const shown = rows.map(({ text }) => text).join('\n')
    expect(shown).toContain('[hidden, new]')
    expect(shown).not.toMatch(/hunter2|other-secret|abcdefghijkl/)
    expect(hideText(TEXT)).toContain('${URL}')
  })
})
