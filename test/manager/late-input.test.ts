// What is typed into a terminal before its agent reads it would be lost: a message waits until the agent has drawn its input line.
import { afterEach, expect, it } from 'vitest'
import type { Agent } from '../../src/slots/agent.ts'
import type { SendOptions } from '../../src/slots/runtime.ts'
import { createFakeWorld, type FakeWorld } from './fake-world.ts'

const MESSAGE = 'a message'
let world: FakeWorld
let screen: string
let typedAt: string | null

afterEach(() => world.cleanup())

async function start(agent: Partial<Agent>, isInLineMode?: boolean): Promise<string> {
  typedAt = null
  world = await createFakeWorld({
    agent: {
      ...agent,
      readScreenInput: (text) => ({ takes: text.includes('>') ? 'text' : 'unknown' }),
      // The prompt came with the launch, so nothing waits for it.
      hasSeen: async (_session, text) => text !== MESSAGE || typedAt !== null,
    },
    runtime: {
      getStyledScreen: async () => screen,
      isInLineMode: async () => isInLineMode ?? null,
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
  expect(await world.manager.deliver(id, MESSAGE)).toMatchObject({ level: 'seen' })
  expect(typedAt).toBe('> ')
})

it('a program that reads lines, until it has drawn something', async () => {
  screen = ''
  const id = await start({ mayReadLines: true }, true)
  setTimeout(() => {
    screen = 'a program that nobody knows'
  }, 400)
  await world.manager.deliver(id, MESSAGE)
  expect(typedAt).toBe('a program that nobody knows')
})

it.each([
  ['whose terminal is not in line mode', { mayReadLines: true } as const, false],
  ['of whose terminal nothing is known', { mayReadLines: true } as const, undefined],
  ['that draws an input line of its own', {}, true],
])('nothing is typed into a screen without an input line, of a program %s', async (_what, agent, isInLineMode) => {
  screen = 'a screen that nobody knows'
  const id = await start(agent, isInLineMode)
  const receipt = await world.manager.deliver(id, MESSAGE)
  expect(receipt).toMatchObject({ level: 'held', why: 'its screen shows no input line that ao recognizes' })
  expect(typedAt).toBeNull()
  // Held, and delivered once the input line is back.
  screen = '> '
  expect(await world.manager.deliverHeld(id)).toMatchObject([{ level: 'seen' }])
  expect(typedAt).toBe('> ')
})

it('a person who declares a message to be the answer may type it into such a screen', async () => {
  screen = 'a screen that nobody knows'
  const id = await start({})
  await world.manager.deliver(id, MESSAGE, { isAnswer: true })
  expect(typedAt).toBe('a screen that nobody knows')
})
