import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createRepo, git } from '../../../../test/support/git-repo.ts'
import { createTempHome, type TempHome } from '../../../../test/support/temp-home.ts'
import { remoteBranches } from './send-workspace.ts'

let temp: TempHome
beforeEach(() => {
  temp = createTempHome()
})
afterEach(async () => expect(await temp.cleanup()).toEqual([]))

it('a place is sent the branches of origin and the cars of a train, and nothing else of home', async () => {
  const repo = createRepo(join(temp.home, 'app'), temp.env)
  const run = (...args: string[]) => git(repo, temp.env, ...args)
  const first = run('rev-parse', 'HEAD')
  const car = run('commit-tree', '-p', first, '-m', 'car', `${first}^{tree}`)
  run('branch', 'of-mine')
  run('update-ref', 'refs/ao/train/app/3', car)
  run('update-ref', 'refs/ao/rescue/app-1/1', first)
  expect(await remoteBranches(repo, 'main', temp.env)).toEqual({ main: first, 'ao/train/app/3': car })
  run('update-ref', 'refs/remotes/origin/main', car)
  run('update-ref', 'refs/remotes/origin/other', first)
  run('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main')
  expect(await remoteBranches(repo, 'main', temp.env)).toEqual({ main: car, other: first, 'ao/train/app/3': car })
})
