import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createRepo, git } from '../../../test/support/git-repo.ts'
import { createTempHome, type TempHome } from '../../../test/support/temp-home.ts'
import { ciDirectory, clearCi } from './ci-directory.ts'

let temp: TempHome
beforeEach(() => {
  temp = createTempHome()
})
afterEach(async () => {
  await temp.cleanup()
})

it.each([
  ['what leads from its entry to the worktree', 'gitdir', ''],
  ['the same, as zeros', 'gitdir', '\0\0\0\0'],
  ['its HEAD', 'HEAD', ''],
  ['what leads from the worktree to its entry', '.git', ''],
])('a run that a power loss cut off leaves nothing in the repository, even with %s torn', async (_, file, torn) => {
  const repo = createRepo(join(temp.home, 'app'), temp.env)
  const [ci, other] = ['one', 'two'].map((name) => ciDirectory(join(temp.home, name))) as [CiDirectory, CiDirectory]
  for (const { worktree } of [ci, other]) git(repo, temp.env, 'worktree', 'add', '-q', '--detach', worktree, 'main')
  const entries = join(repo, '.git', 'worktrees')
  writeFileSync(join(file === '.git' ? ci.worktree : join(entries, basename(ci.worktree)), file), torn)
  // Another place may be at work on its own.
  writeFileSync(join(entries, basename(other.worktree), 'HEAD'), '')
  writeFileSync(ci.run, '')
  await clearCi(ci, { commonDir: join(repo, '.git'), env: temp.env })
  expect(readdirSync(entries)).toEqual([basename(other.worktree)])
  expect(existsSync(ci.worktree)).toBe(false)
})

type CiDirectory = ReturnType<typeof ciDirectory>
