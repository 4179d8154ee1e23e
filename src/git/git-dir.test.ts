import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createRepo, git } from '../../test/support/git-repo.ts'
import { createTempHome, type TempHome } from '../../test/support/temp-home.ts'
import { runGit } from './git.ts'

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
