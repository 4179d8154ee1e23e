// What an agent asks and why it is blocked, as the manager reports it.
import { createHash } from 'node:crypto'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ScreenInput } from '../../src/contract/dialog.ts'
import { AoError } from '../../src/contract/errors.ts'
import { createFakeWorld, type FakeWorld } from './fake-world.ts'

let world: FakeWorld
let pressed: string[]
/** What the next look at the screen shows. */
let halfDrawn: string | null = null
/** What it shows once a key is on its way. */
let swapAtKey: string | null = null
beforeEach(async () => {
  pressed = []
  world = await createFakeWorld({
    agent: { readScreenInput },
    runtime: {
      getOutput: async () => {
        const shown = halfDrawn ?? world.screen.current
        halfDrawn = null
        return shown
      },
      pressKeys: async ({ id }, keys, check) => {
        world.screen.current = swapAtKey ?? world.screen.current
        swapAtKey = null
        await check()
        if (!world.alive.get(id)) throw new AoError('RUNTIME_FAILED', 'A key was not typed: the agent has ended')
        pressed.push(keys)
        world.screen.current = ''
      },
    },
  })
})
afterEach(() => world.cleanup())

const YES = { label: 'Yes', decision: 'allow-once', keys: ['\r'], marked: true } as const

function readScreenInput(screen: string): ScreenInput {
  if (screen.startsWith('run ')) return { takes: 'keys', dialog: { title: 'Run it?', above: screen, choices: [YES] } }
  if (screen.startsWith('line '))
    return { takes: 'keys', dialog: { title: 'Run it?', above: screen, choices: [YES], takesLine: true } }
  if (screen === 'a dialog') return { takes: 'keys', dialog: { title: 'May I?', choices: [YES] } }
  return screen === 'half a dialog'
    ? { takes: 'keys', dialog: { title: 'M', choices: [YES, { ...YES, label: 'Y' }] } }
    : { takes: 'text' }
}

async function spawnAsking(): Promise<string> {
  const { id } = await world.manager.spawn({ projectId: 'my-app', prompt: 'go' })
  world.activity.current = { state: 'waiting_input', timestamp: new Date() }
  return id
}

it('a question that its records show already is awaited on the screen', async () => {
  const id = await spawnAsking()
  expect(await world.manager.pendingPermissions(id)).toEqual([])
  setTimeout(() => {
    world.screen.current = 'a dialog'
  }, 250)
  expect(await world.manager.pendingPermissions(id, { drawnWithinMs: 10_000 })).toMatchObject([{ title: 'May I?' }])
})

it('an agent that asks nothing is not awaited', async () => {
  const id = await spawnAsking()
  world.activity.current = { state: 'ready', timestamp: new Date() }
  const began = performance.now()
  expect(await world.manager.pendingPermissions(id, { drawnWithinMs: 60_000 })).toEqual([])
  expect(performance.now() - began).toBeLessThan(30_000)
})

it('a blocked session carries the words of its agent, and only while it is blocked', async () => {
  const id = await spawnAsking()
  world.activity.current = { state: 'blocked', timestamp: new Date(), evidence: 'fake: 529 Overloaded' }
  expect(await world.manager.get(id)).toMatchObject({
    activity: 'blocked',
    agentInfo: { summary: 'did things', blockedBy: 'fake: 529 Overloaded' },
  })
  world.activity.current = { state: 'active', timestamp: new Date(), evidence: 'fake: it works' }
  expect((await world.manager.get(id))!.agentInfo).not.toHaveProperty('blockedBy')
})

it('a question that is still being drawn is answered when it is complete', async () => {
  const id = await spawnAsking()
  world.screen.current = 'a dialog'
  halfDrawn = 'half a dialog'
  await world.manager.answerPermission(id, { decision: 'allow-once' })
  expect([pressed, halfDrawn]).toEqual([['\r'], null])
})

it('an answer to an agent that has ended says that it has, whatever its screen still shows', async () => {
  const id = await spawnAsking()
  world.screen.current = 'a dialog'
  for (const name of world.alive.keys()) world.alive.set(name, false)
  const answered = world.manager.answerPermission(id, { decision: 'allow-once' })
  await expect(answered).rejects.toMatchObject({ code: 'SESSION_NOT_RUNNING' })
  expect(pressed).toEqual([])
})

/** Two commands for which an agent has computed the same 32 bits: seconds of work for it. */
function twoCommands(): [string, string] {
  const seen = new Map<string, string>()
  for (let number = 0; ; number++) {
    const command = `run ${number}`
    const text = JSON.stringify(['Run it?', command, ['Yes']])
    const digest = createHash('sha256').update(text).digest('hex').slice(0, 8)
    const other = seen.get(digest)
    if (other !== undefined) return [other, command]
    seen.set(digest, command)
  }
}

it('an answer belongs to the whole of what was read, whatever an agent does to its hash', async () => {
  const id = await spawnAsking()
  const [harmless, other] = twoCommands()
  world.screen.current = harmless
  const [request] = await world.manager.pendingPermissions(id)
  world.screen.current = other
  const answered = world.manager.answerPermission(id, { requestId: request!.requestId, decision: 'allow-once' })
  await expect(answered).rejects.toMatchObject({ code: 'PERMISSION_NOT_FOUND' })
  expect(pressed).toEqual([])
})

it('a question for a line whose subject changes before the first key gets none', async () => {
  const id = await spawnAsking()
  world.screen.current = 'line ls'
  const [request] = await world.manager.pendingPermissions(id)
  swapAtKey = 'line rm -rf .'
  const answered = world.manager.answerPermission(id, { requestId: request!.requestId, decision: 'allow-once' })
  await expect(answered).rejects.toMatchObject({ code: 'PERMISSION_NOT_FOUND' })
  expect(pressed).toEqual([])
})
