import { expect, it } from 'vitest'
import type { SessionEvent } from '../../contract/events.ts'
import { enteredMessages, heldByDraft, isFolded, isHeldByDraft, ownMessagesIn } from './judge-draft.ts'

const at = '2026-01-01T00:00:00.000Z'
const queued = (messageId: string, text: string) =>
  ({ type: 'message.queued', messageId, text, source: 'user', at }) as SessionEvent
const event = (type: 'message.handed_over' | 'message.seen' | 'message.held', messageId: string) =>
  ({ type, messageId, at }) as SessionEvent

const HISTORY = [
  queued('m1', 'first'),
  event('message.handed_over', 'm1'),
  event('message.seen', 'm1'),
  queued('m2', 'first of two\nlines'),
  event('message.handed_over', 'm2'),
  queued('m3', 'never entered'),
  event('message.held', 'm3'),
  queued('m4', '/is text'),
  event('message.handed_over', 'm4'),
]

it('knows what was entered, and what of it was seen', () => {
  const entered = enteredMessages(HISTORY)
  expect(entered.map(({ messageId, isSeen }) => [messageId, isSeen])).toEqual([
    ['m1', true],
    ['m2', false],
    ['m4', false],
  ])
})

it('knows what was sent in the end, not what was said about messages that it never saw', () => {
  const edited = (messageId: string) => ({ type: 'message.edited', messageId, text: 'corrected', at }) as SessionEvent
  const history = [queued('m1', 'typo'), edited('m1'), edited('gone'), event('message.handed_over', 'gone')]
  expect(enteredMessages([...history, event('message.handed_over', 'm1')])).toMatchObject([
    { messageId: 'm1', text: 'corrected', source: 'user', queuedAt: at, isSeen: false },
  ])
  const many = Array.from({ length: 60 }, (_, index) => `n${index}`)
  const entered = enteredMessages(many.flatMap((id) => [queued(id, id), event('message.handed_over', id)]))
  expect(entered.map(({ messageId }) => messageId)).toEqual(many.slice(10))
})

it('takes a message without visible text for nothing', () => {
  const blank = [queued('m1', ' \u200b '), event('message.handed_over', 'm1')]
  expect(ownMessagesIn('words', enteredMessages(blank))).toBeNull()
})

it.each([
  ['nothing', '  \n ', []],
  ['a message that was put back', 'first', ['m1']],
  ['one whose lines the screen broke elsewhere', 'first of\n  two lines', ['m2']],
  ['several at once', 'first\nfirst of two lines', ['m1', 'm2']],
  ['one that was entered with an invisible mark', '\u200b/is text', ['m4']],
  ['a draft', 'my own words', null],
  ['a message that a person has continued', 'first, and then', null],
  ['a message with words before it', 'no: first', null],
  ['a message that ao has not entered', 'never entered', null],
])('%s', (_what, draft, ids) => {
  expect(ownMessagesIn(draft, enteredMessages(HISTORY))?.map(({ messageId }) => messageId) ?? null).toEqual(ids)
})

it('says whose text holds a message, in one short line', () => {
  const why = heldByDraft(`two\nlines ${'x'.repeat(200)}`)
  expect(why).toMatch(/^its input line holds text already: two lines x+…$/)
  expect(heldByDraft(` ${'x'.repeat(80)}\n`)).toMatch(/already: x{80}$/)
  expect(heldByDraft('x'.repeat(81))).toMatch(/already: x{80}…$/)
  expect([isHeldByDraft(why), isHeldByDraft('it waits for an answer')]).toEqual([true, false])
})

it.each([
  ['Claude Code', '[Pasted text #1 +12 lines]', 'one\ntwo', true],
  ['Codex', '[Pasted Content 20480 chars]', 'x'.repeat(20_480), true],
  ['OpenCode', '[Pasted ~3 lines]', 'one\ntwo\nthree', true],
  ['Gemini CLI', '[Pasted Text: 20 lines]', 'one\ntwo', true],
  ['an agent that folds a long line', '[Pasted text #1]', 'x'.repeat(150), true],
  ['a person, in a line that is almost long', '[Pasted text #1]', 'x'.repeat(149), false],
  ['a person, in a line that is not folded', '[Pasted text #1 +12 lines]', 'one line', false],
  ['a person, after what was pasted', '[Pasted text #1 +12 lines] and do it now', 'one\ntwo', false],
])('recognises the placeholder for a long text: %s', (_who, draft, text, is) => {
  expect(isFolded(draft, text)).toBe(is)
})
