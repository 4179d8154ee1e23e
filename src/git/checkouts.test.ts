import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createRepo, git } from '../../test/support/git-repo.ts'
import { createTempHome } from '../../test/support/temp-home.ts'
import { findRegistration } from './checkouts.ts'
import { openRepository } from './repository.ts'

it('finds a worktree among many without reading what the others have checked out', async () => {
  const temp = createTempHome()
  try {
    const repo = createRepo(join(temp.home, 'repo'), temp.env)
    const paths = ['one', 'two', 'three'].map((name) => join(temp.home, name))
    for (const one of paths) git(repo, temp.env, 'worktree', 'add', '--quiet', '--detach', one)
    const repository = openRepository(repo, temp.env)
    for (const name of ['one', 'three']) {
      const head = join(repository.commonDir, 'worktrees', name, 'HEAD')
      rmSync(head)
      mkdirSync(head)
    }
    expect(findRegistration(repository, paths[1]!)).toMatchObject({ path: paths[1], branch: null, locked: null })
    expect(findRegistration(repository, join(temp.home, 'four'))).toBeNull()
  } finally {
    await temp.cleanup()
  }
})
