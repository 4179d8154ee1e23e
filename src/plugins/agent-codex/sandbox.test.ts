import { describe, expect, it } from 'vitest'
import type { PermissionMode } from '../../contract/config.ts'
import { parseSandbox } from './ask-codex.ts'
import { acpEnvironment } from './launch.ts'
import { sandboxFlags, writesNothing } from './sandbox.ts'

const NEEDS = {
  write: ['/r/.git/objects', '/data/pulls'],
  writeIfProtected: ['/clone/.git'],
  protect: ['/r/.git/worktrees/w/commondir'],
}
const NEW = { mode: null, profile: null }
const old = (mode: string) => ({ mode, profile: null })
const ADDED = ['--add-dir', '/r/.git/objects', '--add-dir', '/data/pulls']
const profile = (base: string) => [
  '-c',
  'default_permissions="ao"',
  '-c',
  `permissions.ao={extends="${base}",filesystem={"/r/.git/objects"="write","/data/pulls"="write","/clone/.git"="write","/r/.git/worktrees/w/commondir"="read"}}`,
]

describe('what git and gh write is opened in the sandbox', () => {
  it.each<[string, PermissionMode, Parameters<typeof sandboxFlags>[1], string[]]>([
    ['nobody has settings: a profile that protects', 'default', NEW, profile(':workspace')],
    ['a profile of the user is extended', 'default', { mode: null, profile: 'mine' }, profile('mine')],
    ['settings of the older kind: directories', 'default', old('workspace-write'), ADDED],
    [
      'auto-edit, over settings of the older kind',
      'auto-edit',
      old('read-only'),
      ['--sandbox', 'workspace-write', ...ADDED],
    ],
    [
      'auto-edit, over a profile that writes nothing',
      'auto-edit',
      { mode: null, profile: ':read-only' },
      profile(':workspace'),
    ],
    ['an older Codex that does not say', 'auto-edit', null, ['--sandbox', 'workspace-write', ...ADDED]],
    ['the user wants nothing to be written', 'default', old('read-only'), []],
    ['the same as a profile', 'default', { mode: null, profile: ':read-only' }, []],
    ['no sandbox at all', 'default', old('danger-full-access'), []],
    ['everything is asked for', 'suggest', NEW, []],
    ['nothing is asked for', 'skip', NEW, []],
  ])('%s', (_name, permissions, settings, flags) => {
    expect(sandboxFlags(permissions, settings, NEEDS)).toEqual(flags)
  })

  it('is reported where the user wants nothing to be written', () => {
    expect(writesNothing('default', old('read-only'))).toBe(true)
    expect(writesNothing('default', NEW)).toBe(false)
    expect(writesNothing('auto-edit', old('read-only'))).toBe(false)
  })
})

it.each([
  ['{"id":3,"result":{"config":{"sandbox_mode":"read-only","default_permissions":null}}}', old('read-only')],
  ['{"id":3,"result":{"config":{}}}', NEW],
  ['{"id":3,"error":{"code":-32601}}', null],
  ['{"id":3,"result":{"config":"x"}}', null],
])('%s', (line, settings) => {
  expect(parseSandbox(line)).toEqual(settings)
})

it.each([
  ['nothing set', {}, { CODEX_CONFIG: '{"allow_login_shell":false}' }],
  ['what the user set stays', { CODEX_CONFIG: '{"a":1}' }, { CODEX_CONFIG: '{"allow_login_shell":false,"a":1}' }],
  ['also this one', { CODEX_CONFIG: '{"allow_login_shell":true}' }, { CODEX_CONFIG: '{"allow_login_shell":true}' }],
  ['what is not JSON is left alone', { CODEX_CONFIG: '{' }, {}],
  ['a list too', { CODEX_CONFIG: '[]' }, {}],
])('settings of codex-acp: %s', (_name, env, expected) => {
  expect(acpEnvironment(env)).toEqual(expected)
})
