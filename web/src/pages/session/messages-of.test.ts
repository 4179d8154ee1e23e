import { expect, it } from 'vitest'
import type { HistoryEvent } from '../../api/session-feed.ts'
import { messagesOf } from './messages-of.ts'

const queued = (messageId: string) =>
  ({ type: 'message.queued', messageId, text: messageId, source: 'user', at: 't' }) as HistoryEvent
const later = (type: string, messageId: string, why?: string) => ({ type, messageId, why }) as unknown as HistoryEvent

it('tells of each message how far it got, newest first', () => {
  const history = [
    queued('a'),
    later('message.handed_over', 'a'),
    later('message.seen', 'a'),
    queued('b'),
    later('message.handed_over', 'b'),
    queued('c'),
    later('message.undelivered', 'c', 'the pane is gone'),
    queued('d'),
    later('message.seen', 'unknown'),
  ]
  expect(messagesOf(history).map(({ messageId, level, why }) => [messageId, level, why])).toEqual([
    ['d', 'queued', null],
    ['c', 'undelivered', 'the pane is gone'],
    ['b', 'handed_over', null],
    ['a', 'seen', null],
  ])
})
