import { describe, expect, it } from 'vitest'
import type { SessionEvent, SessionEventBody } from '../../contract/events.ts'
import { EMPTY_RECORD, readRecord, type SessionRecord, writeRecord } from '../../contract/record.ts'
import { messageIdsOf, unfinishedMessages, withMessage, withoutMessages } from './unfinished-messages.ts'

const queued: SessionEventBody = { type: 'message.queued', messageId: 'a', text: 'hello', source: 'user' }
const history = (...bodies: SessionEventBody[]) =>
  bodies.map((body, index) => ({ seq: index + 1, at: `t${index}`, sessionId: 's', ...body })) as SessionEvent[]

const LISTED = readRecord({ messagesOnTheWay: 'a' })

describe('a message is on its way', () => {
  it.each<[string, SessionEventBody[], SessionRecord, object]>([
    ['when it is queued', [], LISTED, { submittingAt: null, heldBecause: null }],
    [
      'when Enter was at hand',
      [],
      readRecord({ messagesOnTheWay: 'a', submittingMessage: 'a t9' }),
      { submittingAt: 't9' },
    ],
    ['when it is held', [{ type: 'message.held', messageId: 'a', why: 'x' }], LISTED, { heldBecause: 'x' }],
  ])('%s', (_when, later, pairs, expected) => {
    expect(unfinishedMessages(history(queued, ...later), pairs)).toMatchObject([{ text: 'hello', ...expected }])
  })

  it.each<[string, SessionEventBody]>([
    ['handed over', { type: 'message.handed_over', messageId: 'a' }],
    ['seen', { type: 'message.seen', messageId: 'a' }],
    ['undelivered', { type: 'message.undelivered', messageId: 'a', why: 'x' }],
    ['withdrawn', { type: 'message.withdrawn', messageId: 'a', why: 'x' }],
  ])('until it is %s', (_what, end) => {
    expect(unfinishedMessages(history(queued, end), LISTED)).toEqual([])
  })

  it('only if the record lists it, and only if it was ever queued', () => {
    expect(unfinishedMessages(history(queued), EMPTY_RECORD)).toEqual([])
    expect(unfinishedMessages(history(), LISTED)).toEqual([])
  })
})

it('the list in the record grows and shrinks', () => {
  const one = readRecord({ messagesOnTheWay: 'a' })
  const two = readRecord({ messagesOnTheWay: 'a b' })
  expect(withMessage(EMPTY_RECORD, 'a')).toEqual({ messagesOnTheWay: ['a'] })
  expect(writeRecord(withMessage(one, 'b'))).toEqual({ messagesOnTheWay: 'a b' })
  expect(messageIdsOf(two)).toEqual(['a', 'b'])
  expect(withMessage(two, 'a')).toEqual({})
  expect(withoutMessages(two, ['a'])).toEqual({ messagesOnTheWay: ['b'] })
  expect(withoutMessages(one, ['a'])).toEqual({ messagesOnTheWay: null })
  expect(withoutMessages(one, ['x'])).toEqual({})
})
