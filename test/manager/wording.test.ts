// A message that begins like a command of the agent arrives as text, unless --raw declares it to be one.
import { afterEach, expect, it } from 'vitest'
import { AoError } from '../../src/contract/errors.ts'
import { createFakeWorld, type FakeWorld } from './fake-world.ts'

let world: FakeWorld
afterEach(() => world.cleanup())

async function spawnWith(inputCommands: string | undefined, dropsInvisible = false) {
  world = await createFakeWorld({
    agent: {
      ...(inputCommands !== undefined && { inputCommands }),
      ...(dropsInvisible ? { dropsInvisible: true as const } : {}),
      hasSeen: async () => true,
    },
  })
  await world.manager.spawn({ projectId: 'my-app', prompt: 'work' })
}

const typed = () => world.sent.map(({ text }) => text)

it.each([
  ['!ls', '!', 'Message: !ls'],
  ['#12 is done', '!/', '#12 is done'],
  ['#12 is done', undefined, 'Message: #12 is done'],
  ['exit', '!/', 'Message: exit'],
  ['a path C:\\', '!/', 'a path C:\\ '],
  ['say !ls', '!', 'say !ls'],
] as const)('%j, where %j begins a command, is entered as %j', async (text, commands, entered) => {
  await spawnWith(commands)
  expect(await world.manager.deliver('my-app-1', text)).toMatchObject({ level: 'seen' })
  expect(typed()).toEqual([entered])
})

it('--raw is entered as it is, and no record is waited for', async () => {
  await spawnWith('/')
  const receipt = await world.manager.deliver('my-app-1', '/compact', { raw: true })
  expect(receipt).toMatchObject({ level: 'handed_over', why: expect.stringContaining('sent verbatim') })
  expect(typed()).toEqual(['/compact'])
})

it('what the terminal would cut is not delivered, with the reason, and does not wait', async () => {
  const why = 'the agent reads its terminal line by line'
  world = await createFakeWorld({
    runtime: {
      sendMessage: async () => {
        throw new AoError('MESSAGE_REFUSED', why)
      },
    },
  })
  await world.manager.spawn({ projectId: 'my-app' })
  expect(await world.manager.deliver('my-app-1', 'long')).toMatchObject({ level: 'undelivered', why })
  const session = await world.manager.get('my-app-1')
  expect(session?.metadata.messagesOnTheWay).toBeUndefined()
})

it('a message that may be in the input line already is not entered again once the records show it', async () => {
  let isSeen = false
  let times = 0
  world = await createFakeWorld({
    agent: { hasSeen: async () => isSeen },
    runtime: {
      sendMessage: async () => {
        times++
        throw new AoError('RUNTIME_FAILED', 'tmux did not finish in time', { details: { pasted: null } })
      },
    },
  })
  await world.manager.spawn({ projectId: 'my-app' })
  expect(await world.manager.deliver('my-app-1', 'once')).toMatchObject({ level: 'held' })
  isSeen = true
  expect(await world.manager.deliverHeld('my-app-1')).toMatchObject([{ level: 'seen' }])
  expect(times).toBe(1)
})

it('invisible marks are left out for an agent that would wait for a second Enter', async () => {
  await spawnWith('!/', true)
  await world.manager.deliver('my-app-1', 'a\u202eb\u202c')
  expect(typed()).toEqual(['ab'])
})
