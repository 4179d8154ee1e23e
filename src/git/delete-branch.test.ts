import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createRepo, git } from '../../test/support/git-repo.ts'
import { createTempHome } from '../../test/support/temp-home.ts'
import { deleteBranchWithoutWork } from './delete-branch.ts'
import { openRepository } from './repository.ts'

it('never deletes a branch through another name of it', async () => {
  const temp = createTempHome()
  try {
    const repo = createRepo(join(temp.home, 'repo'), temp.env)
    git(repo, temp.env, 'branch', 'work')
    git(repo, temp.env, 'symbolic-ref', 'refs/heads/ao/app-1', 'refs/heads/work')
    const repository = openRepository(repo, temp.env)
    expect(await deleteBranchWithoutWork(repository, 'ao/app-1')).toBe(false)
    expect(git(repo, temp.env, 'rev-parse', 'work')).toBe(git(repo, temp.env, 'rev-parse', 'main'))
    expect(await deleteBranchWithoutWork(repository, 'work')).toBe(true)
  } finally {
    await temp.cleanup()
  }
})
