import { describe, expect, it } from 'vitest'
import { type DirectoryAbove, ownCommandName, refuseOwnCommand } from './own-command.ts'

const above = (path: string, git: DirectoryAbove['git'] = null, hasSessionFiles = false): DirectoryAbove => ({
  path,
  git,
  hasSessionFiles,
})

describe('ao-foo on PATH', () => {
  it.each([
    ['foo', 'ao-foo'],
    ['my-tool2', 'ao-my-tool2'],
    ['../foo', null],
    ['foo/bar', null],
    ['-x', null],
    ['', null],
    ['Foo', null],
    ['a b', null],
    ['x'.repeat(64), null],
  ])('%j is the program %j', (word, name) => {
    expect(ownCommandName(word)).toBe(name)
  })

  it.each<[string, DirectoryAbove[], boolean]>([
    ['a directory of programs', [above('/usr/bin'), above('/usr')], true],
    ["another repository of the user's", [above('/home/me/tools', 'directory')], true],
    ['the repository that they are in', [above('/home/me/app/bin'), above('/home/me/app', 'directory')], false],
    ["a session's worktree", [above('/home/me/.worktrees/app/app-1', 'file')], false],
    ["a session's clone", [above('/work/clones/app-1', 'directory', true)], false],
  ])('in %s', (_where, directories, isRun) => {
    expect(refuseOwnCommand(directories, '/home/me/app/src') === null).toBe(isRun)
  })

  it('takes a neighbour of the repository for itself', () => {
    expect(refuseOwnCommand([above('/home/me/app', 'directory')], '/home/me/app2')).toBeNull()
  })
})
