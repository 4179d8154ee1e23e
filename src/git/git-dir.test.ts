import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createRepo, git } from '../../test/support/git-repo.ts'
import { createTempHome, type TempHome } from '../../test/support/temp-home.ts'
import { listRegistrations, tornRegistrations } from './checkouts.ts'
import { runGit } from './git.ts'
import { locateGit } from './git-dir.ts'

let temp: TempHome
beforeEach(() => {
  temp = createTempHome()
})
afterEach(async () => {
  await temp.cleanup()
})

it('git is not run in a worktree that was made to obey the settings of another directory', async () => {
  const repo = createRepo(join(temp.home, 'app'), temp.env)
  const worktree = join(temp.home, 'wt')
  git(repo, temp.env, 'worktree', 'add', '-q', '-b', 'x', worktree)
  expect(await runGit(worktree, ['status', '--porcelain'], { env: temp.env })).toBe('')
  const evil = createRepo(join(temp.home, 'evil'), temp.env)
  writeFileSync(join(repo, '.git', 'worktrees', 'wt', 'commondir'), `${join(evil, '.git')}\n`)
  await expect(runGit(worktree, ['status'], { env: temp.env })).rejects.toThrow(/obey the git settings of .*evil/)
})

it.each(['', '\0\0\0\0\0\0', '\n'])(
  'a worktree whose files a power loss left as %j is none, and nothing throws',
  (torn) => {
    const repo = createRepo(join(temp.home, 'app'), temp.env)
    const worktree = join(temp.home, 'wt')
    git(repo, temp.env, 'worktree', 'add', '-q', '-b', 'x', worktree)
    const registration = join(repo, '.git', 'worktrees', 'wt')
    expect(tornRegistrations({ commonDir: join(repo, '.git'), env: temp.env }, 'wt')).toEqual([])
    for (const file of [join(registration, 'commondir'), join(worktree, '.git')]) {
      writeFileSync(file, torn)
      expect(locateGit(worktree)).toBeNull()
    }
    writeFileSync(join(registration, 'gitdir'), torn)
    const repository = { commonDir: join(repo, '.git'), env: temp.env }
    expect(listRegistrations(repository)).toEqual([])
    expect(tornRegistrations(repository, 'wt')).toEqual([registration])
    expect(tornRegistrations(repository, 'w')).toEqual([])
  },
)
