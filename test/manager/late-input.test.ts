// What is typed into a terminal before its agent reads it would be lost: a message waits until the agent has drawn its input line.
import { afterEach, expect, it } from 'vitest'
import type { SendOptions } from '../../src/slots/runtime.ts'
import { createFakeWorld, type FakeWorld } from './fake-world.ts'

let world: FakeWorld
let screen: string
let typedAt: string | null

afterEach(() => world.cleanup())

async function start(agent: { drawsInputLate?: true }): Promise<string> {
  typedAt = null
  world = await createFakeWorld({
    agent: {
      ...agent,
      readScreenInput: (text) => ({ takes: text.includes('>') ? 'text' : 'unknown' }),
      hasSeen: async () => true,
    },
    runtime: {
      getStyledScreen: async () => screen,
      sendMessage: async (_handle, _text, options: SendOptions = {}) => {
        await options.check?.(screen, 'text')
        typedAt ??= screen
      },
    },
  })
  return (await world.manager.spawn({ projectId: 'my-app' })).id
}

it.each([
  ['blank', ''],
  ['without its input line', 'Resuming the conversation …'],
])('an agent whose screen is still %s', async (_what, first) => {
  screen = first
  const id = await start({ drawsInputLate: true })
  setTimeout(() => {
    screen = '> '
  }, 400)
  expect(await world.manager.deliver(id, 'a message')).toMatchObject({ level: 'seen' })
  expect(typedAt).toBe('> ')
})

it('any other program, until it has drawn something', async () => {
  screen = ''
  const id = await start({})
  setTimeout(() => {
    screen = 'a program that nobody knows'
  }, 400)
  await world.manager.deliver(id, 'a message')
  expect(typedAt).toBe('a program that nobody knows')
})
