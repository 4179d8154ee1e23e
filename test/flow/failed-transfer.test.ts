// A transfer of objects whose source fails. In a file of its own process: it replaces how git is started.
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startGit } from '../../src/git/git.ts'
import { sendPack } from '../../src/git/transfer/pack.ts'
import { createRepo, git } from '../support/git-repo.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'

vi.mock('../../src/git/git.ts', async (load) => {
  const actual = await load<typeof import('../../src/git/git.ts')>()
  return { ...actual, startGit: vi.fn(actual.startGit) }
})

let temp: TempHome
beforeEach(() => {
  temp = createTempHome()
})
afterEach(async () => {
  vi.mocked(startGit).mockClear()
  expect(await temp.cleanup()).toEqual([])
})

it('ends with an error when what the sender prints cannot be read, instead of waiting for the rest', async () => {
  const from = createRepo(join(temp.home, 'from'), temp.env)
  const into = createRepo(join(temp.home, 'into'), temp.env)
  const repositories = [from, into].map((path) => ({ commonDir: join(path, '.git'), env: temp.env }))
  const request = { from: repositories[0]!, into: repositories[1]!, input: [git(from, temp.env, 'rev-parse', 'HEAD')] }
  const { startGit: start } = await vi.importActual<typeof import('../../src/git/git.ts')>('../../src/git/git.ts')
  vi.mocked(startGit).mockImplementationOnce((...args) => {
    const sender = start(...args)
    sender.stdout.destroy(new Error('read EIO'))
    return sender
  })
  await expect(sendPack(request)).rejects.toThrow(/read EIO/)
  await sendPack(request)
})
