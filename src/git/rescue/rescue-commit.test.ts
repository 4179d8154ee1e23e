import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createRepo } from '../../../test/support/git-repo.ts'
import { createTempHome, type TempHome } from '../../../test/support/temp-home.ts'
import { openRepository } from '../repository.ts'
import { requireCheckout } from '../workspace/checkout.ts'
import { updateRecord } from '../workspace/record.ts'
import { findWorkspaceLeftovers } from '../workspace/workspace-leftovers.ts'
import { takeCheckpoint } from './checkpoint.ts'
import { withScratch } from './rescue-commit.ts'

let temp: TempHome
beforeEach(() => {
  temp = createTempHome()
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

const LEFT = ['ao-rescue-IQEMxE', 'ao-rescue-1:1:00000000-1_abcdef']

it('keeps the scratch directory of whoever is still at work, and removes what ended processes left', async () => {
  const repo = createRepo(join(temp.home, 'repo'), temp.env)
  const checkout = requireCheckout(repo, temp.env)
  const left = LEFT.map((name) => join(checkout.gitDir, name))
  for (const path of left) mkdirSync(path)
  await withScratch(checkout, async (outer) => {
    await withScratch(checkout, async (inner) => expect(inner).not.toBe(outer))
    expect(existsSync(outer)).toBe(true)
  })
  expect(left.map((path) => existsSync(path))).toEqual([false, false])
})

it('removes the temporary indexes of a killed message with the next one, and says so to `ao doctor` before', async () => {
  const path = createRepo(join(temp.home, 'app', 'app-1'), temp.env)
  const { gitDir, commonDir } = requireCheckout(path, temp.env)
  const left = LEFT.map((name) => join(gitDir, name))
  for (const scratch of left) mkdirSync(scratch)
  const record = { sessionId: 'app-1', projectId: 'app', repository: commonDir, branch: 'main', branchCreated: false }
  updateRecord(path, { version: 1, ...record, state: 'ready', owner: '1:1:00000000-1', spawnId: 'x' })
  const repository = openRepository(path, temp.env)
  const search = { directory: join(temp.home, 'app'), repository, isSound: () => true, destroy: async () => undefined }
  expect(findWorkspaceLeftovers(search).map((one) => one.path)).toEqual(expect.arrayContaining(left))
  await findWorkspaceLeftovers(search)[0]!.remove!()
  expect(left.filter((scratch) => existsSync(scratch))).toHaveLength(1)
  await takeCheckpoint({ path, sessionId: 'app-1', turn: 1, env: temp.env })
  expect(findWorkspaceLeftovers(search)).toEqual([])
})
