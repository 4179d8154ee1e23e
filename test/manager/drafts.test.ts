// What is in an agent's input line already is never joined with a message.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SendOptions } from '../../src/slots/runtime.ts'
import { createFakeWorld, type FakeWorld } from './fake-world.ts'

/** The input line of a terminal, and everything that was submitted from it. */
const line = { text: '', asks: false, submitted: [] as string[], read: [] as string[] }
/** What a person types while a message is being entered. */
let typesMeanwhile: string | null = null
/** A busy agent takes this many Enters for part of the text. */
let swallows = 0
let afterSwallowing: Partial<typeof line> = {}
let readsAll = false
/** A hook of the user's refuses this, and the agent puts it back. */
let refuses: string | null = null

const MESSAGES = ['first', 'second', 'a message', 'another']

let world: FakeWorld
let id: string

beforeEach(async () => {
  Object.assign(line, { text: '', asks: false, submitted: [], read: [] })
  typesMeanwhile = null
  swallows = 0
  afterSwallowing = {}
  readsAll = false
  refuses = null
  world = await createFakeWorld({
    agent: {
      readScreenInput: () => (line.asks ? { takes: 'keys', dialog: null } : { takes: 'text' }),
      readDraft: (screen) => (screen === 'redrawn' ? null : screen),
      // Its task was read at its start.
      hasSeen: async (_session, text) =>
        text === refuses ? 'refused' : !MESSAGES.includes(text) || line.read.includes(text),
    },
    runtime: {
      getStyledScreen: async () => line.text,
      sendMessage: async (_handle, text, options: SendOptions = {}) => {
        if (typesMeanwhile !== null) line.text = typesMeanwhile
        await options.check?.(line.text, 'text')
        if (options.clearFirst) line.text = ''
        line.text += text
        await options.check?.(line.text, 'enter')
        enter()
      },
      pressKeys: async (_handle, keys, check) => {
        await check()
        if (keys === '\r') enter()
        else line.text = ''
      },
    },
  })
  id = (await world.manager.spawn({ projectId: 'my-app' })).id
})
afterEach(() => world.cleanup())

function enter(): void {
  if (swallows-- > 0) {
    Object.assign(line, afterSwallowing)
    return
  }
  line.submitted.push(line.text)
  if (readsAll) line.read.push(line.text)
  line.text = ''
}

const send = (text: string) => world.manager.deliver(id, text, { timeoutMs: 0 })

it("a message is held while a person's draft is there, and follows when it is gone", async () => {
  line.text = 'my own words'
  expect(await send('a message')).toMatchObject({
    level: 'held',
    why: 'its input line holds text already: my own words',
  })
  expect([line.text, line.submitted]).toEqual(['my own words', []])
  enter()
  await send('another')
  expect(line.submitted).toEqual(['my own words', 'a message', 'another'])
})

it('what somebody types as the message is about to be typed holds it too', async () => {
  typesMeanwhile = 'quickly'
  expect(await send('a message')).toMatchObject({ level: 'held' })
  expect([line.text, line.submitted]).toEqual(['quickly', []])
})

it('text that is gone a moment later was not a draft', async () => {
  line.text = 'half a picture'
  setTimeout(() => {
    line.text = ''
  }, 150)
  await send('a message')
  expect(line.submitted).toEqual(['a message'])
})

it('an unread message that the agent put back is submitted on its own', async () => {
  await send('first')
  line.text = 'first'
  await send('second')
  expect(line.submitted).toEqual(['first', 'first', 'second'])
})

it('a message that the agent has read and put back is not submitted again', async () => {
  await send('first')
  line.read.push('first')
  line.text = 'first'
  await send('second')
  expect(line.submitted).toEqual(['first', 'second'])
})

it('a message that a hook refused is undelivered, is not submitted again, and makes room for the next one', async () => {
  refuses = 'first'
  expect(await send('first')).toMatchObject({ level: 'undelivered', why: expect.stringContaining('hook') })
  line.text = 'first'
  await send('second')
  expect(line.submitted).toEqual(['first', 'second'])
})

it('a message that was put back and continued by a person is a draft', async () => {
  await send('first')
  line.text = 'first, but better'
  expect(await send('second')).toMatchObject({ level: 'held' })
  expect([line.text, line.submitted]).toEqual(['first, but better', ['first']])
})

it('a draft is found on a screen that is just being redrawn', async () => {
  line.text = 'redrawn'
  setTimeout(() => {
    line.text = 'my own words'
    // A long conversation takes its time.
  }, 2_500)
  expect(await send('a message')).toMatchObject({ level: 'held' })
  expect(line.submitted).toEqual([])
})

describe('an Enter that a busy agent took for part of the text', () => {
  it('is pressed again', async () => {
    swallows = 1
    readsAll = true
    expect(await world.manager.deliver(id, 'a message')).toMatchObject({ level: 'seen' })
    expect([line.text, line.submitted]).toEqual(['', ['a message']])
  })

  it.each([
    ['a person has continued the text', { text: 'a message, but better' }],
    ['the agent asks something now', { asks: true }],
  ])('is not pressed again when %s', async (_what, then) => {
    swallows = 1
    afterSwallowing = then
    expect(await world.manager.deliver(id, 'a message', { timeoutMs: 2_000 })).toMatchObject({ level: 'handed_over' })
    expect(line.submitted).toEqual([])
  })
})
