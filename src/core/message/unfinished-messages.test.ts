import { describe, expect, it } from 'vitest'
import { isReaction } from '../../contract/config/reaction-keys.ts'
import type { SessionEvent, SessionEventBody } from '../../contract/events.ts'
import { EMPTY_RECORD, readRecord, type SessionRecord, writeRecord } from '../../contract/record.ts'
import {
  firstMessageId,
  isFirstMessage,
  messageIdsOf,
  withMessage,
  withoutMessages,
} from '../../contract/record-values.ts'
import { lineForFile } from './message-file.ts'
import { unfinishedMessages } from './unfinished-messages.ts'

const queued: SessionEventBody = { type: 'message.queued', messageId: 'a', text: 'hello', source: 'user' }
const history = (...bodies: SessionEventBody[]) =>
  bodies.map((body, index) => ({ seq: index + 1, at: `t${index}`, sessionId: 's', ...body })) as SessionEvent[]

const ON_ITS_WAY = {
  ...{ messageId: 'a', text: 'hello', source: 'user', queuedAt: 't0' },
  ...{ submittingAt: null, heldBecause: null },
}
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
    [
      'while Enter is pressed for another',
      [],
      readRecord({ messagesOnTheWay: 'a', submittingMessage: 'b t9' }),
      { submittingAt: null },
    ],
    [
      'with its text in the input line',
      [{ type: 'message.held', messageId: 'a', why: 'x', entered: true }],
      LISTED,
      { heldBecause: 'x', isEntered: true },
    ],
    [
      'with another text than it had',
      [
        { type: 'message.edited', messageId: 'a', text: 'corrected' },
        { type: 'message.edited', messageId: 'b', text: 'of another' },
      ],
      LISTED,
      { text: 'corrected' },
    ],
    ['when it is held', [{ type: 'message.held', messageId: 'a', why: 'x' }], LISTED, { heldBecause: 'x' }],
    [
      'whatever else is noted about it',
      [{ type: 'turn.saved', turn: 1, messageId: 'a', message: 'a', commit: 'c' } as SessionEventBody],
      LISTED,
      {},
    ],
  ])('%s', (_when, later, pairs, expected) => {
    const [message, ...others] = unfinishedMessages(history(queued, ...later), pairs)
    expect(others).toEqual([])
    expect(message).toEqual({ ...ON_ITS_WAY, ...expected })
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
    const unheard: SessionEventBody[] = [
      { type: 'message.held', messageId: 'a', why: 'x' },
      { type: 'message.edited', messageId: 'a', text: 'x' },
      { ...queued, messageId: 'b' } as SessionEventBody,
    ]
    expect(unfinishedMessages(history(...unheard), LISTED)).toEqual([])
  })
})

it('a message for the agent itself stays one', () => {
  expect(unfinishedMessages(history({ ...queued, raw: true } as SessionEventBody), LISTED)).toMatchObject([
    { raw: true },
  ])
})

it.each([
  ['ci-failed', true],
  ['ci-failed #4', true],
  ['ci-failedx', false],
  ['user', false],
  ['app-2', false],
])('a message from %s was decided by the loop: %s', (source, expected) => expect(isReaction(source)).toBe(expected))

it('the first message of a start has one name', () => {
  expect(firstMessageId('app-1', { spawnId: 's9' })).toBe('prompt-s9')
  expect(firstMessageId('app-1', {})).toBe('prompt-app-1')
  expect([firstMessageId('a', {}), 'm1'].map(isFirstMessage)).toEqual([true, false])
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

it.each([
  ['user', 'from the user,'],
  ['app-12', 'from session app-12,'],
  ['app-12; rm -rf', 'from ao,'],
  ['ci-failed', 'from ao,'],
  ['-x-1', 'from ao,'],
])('a line for a long message of %s names its file and says that it is %s', (source, from) => {
  const line = lineForFile('m/1-a', source)
  expect(line).toMatch(/^Read the file \.ao\/messages\/m_1-a\.md now: /)
  expect(line).toContain(from)
})
