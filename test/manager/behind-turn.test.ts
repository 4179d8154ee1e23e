// A message that the runtime keeps behind a running turn, when its agent is ended: it is not delivered, which is said, or it is
// delivered once after the restart.
import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { AoError } from '../../src/contract/errors.ts'
import type { Runtime } from '../../src/slots/runtime.ts'
import { createFakeWorld, type FakeWorld } from './fake-world.ts'

/** What waits behind the turn, and what the agent got. */
const queue = new Map<string, string>()
const got: string[] = []
let isTaken = false
let isRunning = true
let world: FakeWorld
let id: string

beforeEach(async () => {
  queue.clear()
  got.length = 0
  isTaken = false
  isRunning = true
  const events = {
    read: async () => new Map(),
    hasSeen: async (_handle: unknown, messageId: string) => messageId.startsWith('prompt-') || got.includes(messageId),
    waitingMessages: async () =>
      [...queue].map(([messageId, text]) => ({ messageId, text, source: 'ao', since: '', state: 'behind_turn' })),
    changeWaiting: async (_handle: unknown, messageId: string) => {
      if (isTaken) throw new AoError('MESSAGE_NOT_WAITING', 'its turn has begun')
      queue.delete(messageId)
    },
    watchPaths: () => [],
  }
  world = await createFakeWorld({
    runtime: {
      events: events as unknown as NonNullable<Runtime['events']>,
      sendMessage: async (_handle, text, options) => {
        if (isRunning) queue.set(options!.messageId!, text)
        else got.push(options!.messageId!)
      },
    },
  })
  id = (await world.manager.spawn({ projectId: 'my-app' })).id
})
afterEach(() => world.cleanup())

const send = () => world.manager.deliver(id, '/behind', { timeoutMs: 0 })
const history = () =>
  readFileSync(world.paths.historyFile(id), 'utf8')
    .trim()
    .split('\n')
    .map((one) => JSON.parse(one).type as string)
    .filter((type) => type.startsWith('message.'))

it('is undelivered when the session is killed, in its history and with a notice', async () => {
  expect(await send()).toMatchObject({ level: 'handed_over' })
  const notices: string[] = []
  await world.manager.kill(id, { keepWorkspace: true, onNotice: (line) => notices.push(line) })
  expect(history().at(-1)).toBe('message.undelivered')
  expect(notices).toEqual([expect.stringContaining('1 message that waited behind a turn was not delivered')])
  expect(queue.size).toBe(0)
})

it('counts as handed over when its turn came in the same moment', async () => {
  await send()
  isTaken = true
  await world.manager.kill(id, { keepWorkspace: true })
  expect(history()).not.toContain('message.undelivered')
})

it('is delivered once, in its own words, after a restart that keeps messages', async () => {
  const { messageId } = await send()
  await world.manager.kill(id, { keepWorkspace: true, keepMessages: true })
  queue.clear()
  isRunning = false
  await world.manager.restore(id)
  await world.manager.deliverHeld(id)
  await world.manager.deliverHeld(id)
  expect(got).toEqual([messageId])
})
