// Messages that wait for an agent can be read, edited and withdrawn. Each is delivered or withdrawn, never both.
import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { SendOptions } from '../../src/slots/runtime.ts'
import { createFakeWorld, type FakeWorld } from './fake-world.ts'

/** The input line of a terminal, what was submitted from it, and whether a dialog is on the screen. */
const line = { text: '', submitted: [] as string[], asks: false, asksBeforeEnter: false }

let onTyping: () => void = () => undefined
const DIALOG = 'May I? 1. Yes 2. No'
const screen = () => (line.asks ? DIALOG : line.text)

let world: FakeWorld
let id: string

beforeEach(async () => {
  Object.assign(line, { text: '', submitted: [], asks: false, asksBeforeEnter: false })
  world = await createFakeWorld({
    agent: {
      readScreenInput: (screen) => (screen === DIALOG ? { takes: 'keys', dialog: null } : { takes: 'text' }),
      readDraft: (screen) => (screen === DIALOG ? null : screen),
      hasSeen: async (_session, text) => line.submitted.includes(text) || text.includes('my-app'),
    },
    runtime: {
      getStyledScreen: async () => screen(),
      sendMessage: async (_handle, text, options: SendOptions = {}) => {
        await options.check?.(screen(), 'text')
        if (options.clearFirst) line.text = ''
        line.text += text
        onTyping()
        if (line.asksBeforeEnter) line.asks = true
        try {
          await options.check?.(screen(), 'enter')
        } catch (error) {
          throw Object.assign(error as Error, { details: { ...(error as { details?: object }).details, pasted: true } })
        }
        line.submitted.push(line.text)
        line.text = ''
      },
      pressKeys: async (_handle, _keys, check) => {
        await check()
        line.text = ''
      },
    },
  })
  id = (await world.manager.spawn({ projectId: 'my-app' })).id
  line.submitted = []
})
afterEach(() => world.cleanup())

const send = (text: string) => world.manager.deliver(id, text, { timeoutMs: 0 })
const waiting = async () => (await world.manager.waitingMessages(id)).map(({ text, state }) => [text, state])

it('lists what is held, delivers the edited text, and never what was withdrawn', async () => {
  line.asks = true
  const [first, second] = [await send('first'), await send('second')]
  await send('third')
  expect(await waiting()).toEqual([
    ['first', 'held'],
    ['second', 'held'],
    ['third', 'held'],
  ])
  await world.manager.changeWaiting(id, first.messageId, null)
  await world.another().changeWaiting(id, second.messageId, 'only the second')
  await expect(world.manager.changeWaiting(id, first.messageId, 'again')).rejects.toMatchObject({
    code: 'MESSAGE_NOT_WAITING',
  })
  await expect(world.manager.changeWaiting(id, second.messageId, ' ')).rejects.toMatchObject({ code: 'USAGE' })
  line.asks = false
  await world.manager.deliverHeld(id)
  expect(line.submitted).toEqual(['only the second', 'third'])
  expect(await waiting()).toEqual([])
  await expect(world.manager.changeWaiting(id, second.messageId, null)).rejects.toMatchObject({
    code: 'MESSAGE_NOT_WAITING',
  })
})

it('delivers or withdraws a message, never both, when two processes try at the same moment', async () => {
  const outcomes = new Set<string>()
  for (let round = 0; round < 6; round++) {
    line.asks = true
    const { messageId } = await send(`message ${round}`)
    line.asks = false
    // In every other round it is tried while the message is being typed.
    const typing = Promise.withResolvers<void>()
    onTyping = typing.resolve
    if (round % 2 === 0) typing.resolve()
    const withdrawal = typing.promise.then(() => world.manager.changeWaiting(id, messageId, null))
    await Promise.allSettled([world.another().deliverHeld(id), withdrawal])
    await world.manager.deliverHeld(id)
    const isSent = line.submitted.includes(`message ${round}`)
    const fates = history().filter((one) => one.messageId === messageId && FATES.includes(one.type))
    expect(fates.map(({ type }) => type)).toEqual(
      isSent ? ['message.handed_over', 'message.seen'] : ['message.withdrawn'],
    )
    outcomes.add(isSent ? 'sent' : 'withdrawn')
  }
  expect([...outcomes].sort()).toEqual(['sent', 'withdrawn'])
})

it('clears the input line of a withdrawn message, and refuses while a dialog is in front of it', async () => {
  line.asksBeforeEnter = true
  const { messageId, level } = await send('half entered')
  expect([level, line.text]).toEqual(['held', 'half entered'])
  await expect(world.manager.changeWaiting(id, messageId, null)).rejects.toMatchObject({ code: 'AGENT_ASKS' })
  expect(await waiting()).toEqual([['half entered', 'held']])
  Object.assign(line, { asks: false, asksBeforeEnter: false })
  await world.manager.changeWaiting(id, messageId, null)
  expect([line.text, line.submitted, await waiting()]).toEqual(['', [], []])
})

const FATES = ['message.handed_over', 'message.seen', 'message.withdrawn', 'message.undelivered']

function history(): Array<{ type: string; messageId?: string }> {
  const lines = readFileSync(world.paths.historyFile(id), 'utf8').trim().split('\n')
  return lines.map((one) => JSON.parse(one) as { type: string; messageId?: string })
}
