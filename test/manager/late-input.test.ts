// What is typed into a terminal before its agent reads it would be lost: a message waits until the agent has drawn its input line.
import { afterEach, expect, it } from 'vitest'
import { readScreenInput as readPlainScreen } from '../../src/plugins/agent-files/screen/plain-screen.ts'
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

/** The screen of a program that nobody knows, at which text appears as it is typed. */
async function startPlain(shown: string, appears = ''): Promise<{ id: string; submitted: string[] }> {
  screen = shown
  const submitted: string[] = []
  world = await createFakeWorld({
    agent: { readScreenInput: (text) => readPlainScreen(text) },
    runtime: {
      getStyledScreen: async () => screen,
      sendMessage: async (_handle, text, options: SendOptions = {}) => {
        await options.check?.(screen, 'text')
        screen = `${screen}${text}${appears}`
        await options.check?.(screen, 'enter')
        submitted.push(text)
      },
    },
  })
  return { id: (await world.manager.spawn({ projectId: 'my-app' })).id, submitted }
}

const QUESTIONS = [
  'Would you like to see the log?',
  'It asks: Overwrite all? [y/N]',
  'Do you want to proceed?\n❯ 1. Yes\n  2. No',
]

it.each(QUESTIONS)('a message that reads like a question is entered at an input line: %j', async (text) => {
  const { id, submitted } = await startPlain('> ')
  expect(await world.manager.deliver(id, text, { timeoutMs: 0 })).toMatchObject({ level: 'handed_over' })
  expect(submitted).toEqual([text])
})

it.each(
  QUESTIONS.flatMap((text) =>
    ['Password: ', 'Do you want to delete the database?', 'Press Enter to continue'].map(
      (question) => [text, question] as const,
    ),
  ),
)('%j is not the answer to what the program asks: %j', async (text, question) => {
  const { id, submitted } = await startPlain(`working …\n${question}`)
  expect(await world.manager.deliver(id, text, { timeoutMs: 0 })).toMatchObject({ level: 'held' })
  expect([submitted, screen]).toEqual([[], `working …\n${question}`])
})

it.each(QUESTIONS)('nor to a question that appears while %j is typed', async (text) => {
  const { id, submitted } = await startPlain('> ', '\nDelete the database? [y/N] ')
  expect(await world.manager.deliver(id, text, { timeoutMs: 0 })).toMatchObject({ level: 'held' })
  expect(submitted).toEqual([])
})

it('an agent that took a message is at work until its records show the end of that turn', async () => {
  let enteredAt = new Date(Number.NaN)
  const shown: Array<string | null> = []
  const note = async () => void shown.push((await world.manager.get('my-app-1'))?.activity ?? null)
  world = await createFakeWorld({
    runtime: {
      getStyledScreen: async () => '> ',
      sendMessage: async (_handle, _text, options: SendOptions = {}) => {
        await options.check?.('> ', 'text')
        await note()
        await options.check?.('> ', 'enter')
        enteredAt = new Date()
        await note()
      },
    },
  })
  await world.manager.spawn({ projectId: 'my-app' })
  const ended = (timestamp: Date) => {
    world.activity.current = { state: 'ready', timestamp, turnEnded: true }
  }
  ended(new Date())
  await world.manager.deliver('my-app-1', MESSAGE, { timeoutMs: 0 })
  await note()
  // A turn that took no time ended before the message counted as handed over.
  ended(enteredAt)
  await note()
  expect(shown).toEqual(['ready', 'active', 'active', 'ready'])
})
