import { describe, expect, it } from 'vitest'
import { countDiff } from './count-diff.ts'
import {
  type GitSetting,
  MAY_DECIDE,
  overridesOf,
  parseSettings,
  splitKey,
  suspiciousSettings,
} from './local-settings.ts'
import { unquoteGitPath } from './unquote-git-path.ts'
import { readParents, walkFork } from './walk-fork.ts'

const of = (scope: string, key: string, value = 'evil'): GitSetting => ({ scope, key, value })

describe("a repository's own settings", () => {
  it('are read as git lists them', () => {
    expect(parseSettings('local\0core.bare\nfalse\0global\0alias.x\n!a\nb\0worktree\0core.switch\0')).toEqual([
      of('local', 'core.bare', 'false'),
      of('global', 'alias.x', '!a\nb'),
      of('worktree', 'core.switch', 'true'),
    ])
    expect(parseSettings('')).toEqual([])
  })

  it.each([
    ['core.bare', { section: 'core', subsection: null, name: 'bare' }],
    ['remote.o.p.url', { section: 'remote', subsection: 'o.p', name: 'url' }],
  ])('%s has its parts', (key, parts) => expect(splitKey(key)).toEqual(parts))

  it.each([
    ['merge.x.driver', 'false'],
    ['core.sshcommand', 'ssh'],
    ['core.askpass', ''],
    ['core.alternaterefscommand', 'true'],
    ['core.attributesfile', '~/.config/git/attributes'],
    ['core.gitproxy', ''],
    ['remote.o.uploadpack', 'git-upload-pack'],
    ['remote.o.receivepack', 'git-receive-pack'],
    ['remote.o.vcs', ''],
    ['http.sslverify', 'true'],
    ['http.https://x.sslcainfo', ''],
    ['http.sslcapath', ''],
    ['gpg.program', ''],
    ['gpg.ssh.program', ''],
    ['user.signingkey', ''],
  ])('never decide %s: it is %j, or as the user has it', (key, value) => {
    expect(overridesOf([of('local', key)])).toEqual([[key, value]])
    expect(overridesOf([of('worktree', key)])).toEqual([[key, value]])
    expect(overridesOf([of('global', key, 'older'), of('local', key), of('command', key, 'mine')])).toEqual([
      [key, 'mine'],
    ])
    expect([overridesOf([of('global', key)]), overridesOf([of('system', key)])]).toEqual([[], []])
    expect(suspiciousSettings([of('local', key), of('global', key)])).toEqual([of('local', key)])
    const [section, name] = [key.split('.')[0], key.split('.').at(-1)]
    expect(MAY_DECIDE.test(`[${section}]\n\t${name} = x\n`)).toBe(true)
  })

  it('never decide a filter, in part or as a whole', () => {
    const filter = (values: string[]) =>
      ['clean', 'smudge', 'process', 'required'].map((part, at) => [`filter.lfs.${part}`, values[at]])
    expect(overridesOf([of('local', 'filter.lfs.clean')])).toEqual(filter(['', '', '', 'false']))
    expect(
      overridesOf([of('local', 'filter.lfs.required'), of('global', 'filter.lfs.clean', 'git-lfs clean')]),
    ).toEqual(filter(['git-lfs clean', '', '', 'false']))
    expect(overridesOf([of('local', 'filter.lfs.other')])).toEqual([])
  })

  it('never decide who gives out credentials', () => {
    const users = [of('system', 'credential.helper', 'store'), of('global', 'credential.https://x.helper', 'mine')]
    expect(overridesOf([...users, of('local', 'credential.https://x.helper')])).toEqual([
      ['credential.helper', ''],
      ['credential.helper', 'store'],
      ['credential.https://x.helper', 'mine'],
    ])
    expect(overridesOf([of('local', 'credential.username')])).toEqual([])
  })

  it.each([
    'core.bare',
    'merge.driver',
    'merge.x.name',
    'remote.o.url',
    'http.proxy',
    'user.name',
    'branch.main.merge',
    'diff.x.binary',
  ])('may decide %s', (key) => {
    expect([overridesOf([of('local', key)]), suspiciousSettings([of('local', key)])]).toEqual([[], []])
  })

  it.each([
    ...[
      'core.fsmonitor',
      'core.hookspath',
      'core.editor',
      'core.pager',
      'core.worktree',
      'diff.external',
      'diff.x.textconv',
    ],
    ...[
      'diff.x.command',
      'url.x.insteadof',
      'protocol.ext.allow',
      'pager.log',
      'include.path',
      'includeif.gitdir:x.path',
    ],
  ])('are pointed out where they start programs: %s', (key) => {
    expect(suspiciousSettings([of('local', key), of('global', key)])).toEqual([of('local', key)])
    expect(overridesOf([of('local', key)])).toEqual([])
  })
})

describe('a branch left its base', () => {
  it.each<[string, string, string, { from: string | null; commits: number }]>([
    ['nowhere yet', 'a', '', { from: 'a', commits: 0 }],
    ['one commit ago', 'b', 'b a\n', { from: 'a', commits: 1 }],
    ['some commits ago', 'd', 'd c\nc b\nb a\n', { from: 'a', commits: 3 }],
    ['before a merge of its own', 'd', 'd b c\nb a\nc a\n', { from: 'a', commits: 3 }],
    ['at two commits', 'd', 'd b c\nb a\nc x\n', { from: null, commits: 3 }],
    ['never: it has a root of its own', 'b', 'b a\na\n', { from: null, commits: 2 }],
  ])('%s', (_where, head, listed, expected) => expect(walkFork(head, readParents(listed))).toEqual(expected))
})

it('a diff is counted by its hunks', () => {
  const diff = [
    'diff --git a/x b/x',
    '--- a/x',
    '+++ b/x',
    '@@ -1,2 +1,3 @@ f',
    ' a',
    '-b',
    '+diff --git x',
    '+@@ -1 +1 @@',
    '\\ No newline',
    'diff --git a/y b/y',
    '@@ -0,0 +1 @@',
    '+z',
    '+no part of it',
    '@@ -3 +3,0 @@',
    '-gone',
    '',
  ]
  expect(countDiff(diff.join('\n'))).toEqual({ files: 2, added: 3, removed: 2 })
  expect(countDiff('')).toEqual({ files: 0, added: 0, removed: 0 })
})

it.each([
  ['a.ts', 'a.ts'],
  ['"a', '"a'],
  ['"a\\tb\\nc"', 'a\tb\nc'],
  ['"\\303\\251.ts"', 'é.ts'],
  ['"q\\"\\\\é"', 'q"\\é'],
  ['"\\a\\b\\v\\f\\r"', '\x07\b\v\f\r'],
  ['"\\x"', 'x'],
])('git’s %s is the path %j', (quoted, path) => expect(unquoteGitPath(quoted)).toBe(path))
