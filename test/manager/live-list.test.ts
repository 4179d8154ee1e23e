// A process that stays keeps what it knows of ended sessions; its list must be the one that a new process makes.
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createManagerContext, followSessions, type ManagerContext } from '../../src/manager/context.ts'
import { list } from '../../src/manager/observe/enrich.ts'
import { createRandom, type Random } from '../../src/rehearsal/random.ts'
import { createFakeWorld, type FakeWorld } from './fake-world.ts'

let world: FakeWorld
let live: ManagerContext
let end: () => void
let infoReads: number

beforeEach(async () => {
  infoReads = 0
  world = await createFakeWorld({
    agent: {
      async getSessionInfo() {
        infoReads += 1
        return { summary: 'did things', agentSessionId: 'a-1' }
      },
    },
  })
  live = open()
  live.store('my-app').ensure()
  end = followSessions(live)
})
afterEach(async () => {
  vi.restoreAllMocks()
  end()
  await world.cleanup()
})

function open(): ManagerContext {
  const { config, registry, env, temp } = world
  return createManagerContext({ config, registry, env, home: temp.home, aoCommand: ['ao'] })
}

const LONG_AGO = '2024-01-15T10:30:00.000Z'
const workspaceOf = (id: string) => join(world.temp.home, 'ws', id)
const handleOf = (id: string) => ({ id: `${live.paths.hash}-${id}`, runtimeName: 'fake' })

function write(id: string, status: string, more: Record<string, string> = {}): void {
  const pairs = {
    project: 'my-app',
    status,
    agent: 'fake',
    branch: `feat/${id}`,
    worktree: workspaceOf(id),
    createdAt: LONG_AGO,
    lastActivityAt: LONG_AGO,
    runtimeHandle: JSON.stringify(handleOf(id)),
    ...more,
  }
  const file = world.paths.sessionFile(id)
  const lines = Object.entries(pairs).map(([key, value]) => `${key}=${value}\n`)
  writeFileSync(`${file}.tmp`, lines.join(''))
  renameSync(`${file}.tmp`, file)
}

function setWorkspace(id: string, isThere: boolean): void {
  if (isThere) mkdirSync(workspaceOf(id), { recursive: true })
  else rmSync(workspaceOf(id), { recursive: true, force: true })
}

const CHANGES: ReadonlyArray<(id: string, random: Random) => void> = [
  (id, random) => write(id, random.pick(['merged', 'killed', 'done', 'errored'])),
  (id, random) => write(id, random.pick(['working', 'needs_input', 'spawning'])),
  (id) => write(id, 'killed', { pr: 'https://example.invalid/pull/1', prState: 'closed', prFor: '1' }),
  (id) => write(id, 'working', { operation: 'kill', operationOwner: '1:1:1' }),
  (id) => rmSync(world.paths.sessionFile(id), { force: true }),
  (id, random) => setWorkspace(id, random.chance(0.5)),
  // While a record says that it ended, its agent may still be running; without a record nothing starts or ends.
  (id, random) => {
    if (!existsSync(world.paths.sessionFile(id))) world.alive.set(handleOf(id).id, random.chance(0.5))
  },
]

it.each([1, 2, 3])('after any changes it is the list of a new process (life %i)', async (seed) => {
  const random = createRandom(seed)
  const ids = Array.from({ length: 6 }, (_, n) => `my-app-${n + 1}`)
  for (let step = 0; step < 60; step++) {
    for (let n = 0; n <= random.below(3); n++) random.pick(CHANGES)(random.pick(ids), random)
    // As a request that follows the change: it arrives in a later turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
    expect(await list(live)).toEqual(await list(open()))
  }
})

it('an ended session is read once, and again when its record changes or after some minutes', async () => {
  write('my-app-1', 'merged')
  setWorkspace('my-app-1', true)
  await list(live)
  const once = infoReads
  const [before] = await list(live)
  expect(infoReads).toBe(once)
  expect((await list(live))[0]).toBe(before)
  write('my-app-1', 'killed')
  expect((await list(live))[0]?.status).toBe('killed')
  expect(infoReads).toBe(once + 1)
  const now = performance.now()
  vi.spyOn(performance, 'now').mockImplementation(() => now + 11 * 60_000)
  await list(live)
  expect(infoReads).toBe(once + 2)
})

it('a workspace that was removed by hand is gone from the list at once', async () => {
  write('my-app-1', 'merged')
  setWorkspace('my-app-1', true)
  expect((await list(live))[0]?.workspacePath).toBe(workspaceOf('my-app-1'))
  expect((await list(live))[0]?.workspacePath).toBe(workspaceOf('my-app-1'))
  setWorkspace('my-app-1', false)
  expect((await list(live))[0]?.workspacePath).toBeNull()
})

it('what has ended just now, still runs, or could not be read in full is read every time', async () => {
  const alive = 'my-app-2'
  write('my-app-1', 'merged', { statusSince: new Date().toISOString() })
  write(alive, 'merged')
  world.alive.set(handleOf(alive).id, true)
  write('my-app-3', 'killed')
  world.alive.set(handleOf('my-app-3').id, new Error('no answer'))
  await list(live)
  const once = infoReads
  await list(live)
  expect(infoReads).toBe(once + 3)
})
