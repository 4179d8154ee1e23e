import { expect, it } from 'vitest'
import type { SessionEvent } from '../../contract/events.ts'
import { orderEvents } from './order-events.ts'

const event = (sessionId: string, seq: number, at: string) =>
  ({ sessionId, seq, at: `2026-01-01T${at}:00.000Z`, type: 'session.reserved' }) as SessionEvent
const names = (events: SessionEvent[]) => events.map(({ sessionId, seq }) => `${sessionId}${seq}`).join(' ')

it('puts the events of several sessions in the order of their times', () => {
  const first = [event('a', 1, '10:00'), event('a', 2, '10:05')]
  const second = [event('b', 1, '10:01'), event('b', 2, '10:02'), event('b', 3, '10:06')]
  expect(names(orderEvents([first, second]))).toBe('a1 b1 b2 a2 b3')
})

it('keeps the order of a session whose clock was put back', () => {
  const first = [event('a', 1, '10:00'), event('a', 2, '09:00'), event('a', 3, '09:01')]
  expect(names(orderEvents([first]))).toBe('a1 a2 a3')
  expect(names(orderEvents([first, [event('b', 1, '10:01')]]))).toBe('a1 a2 a3 b1')
})

it('puts events of one time in the order of their sessions', () => {
  expect(names(orderEvents([[event('a', 1, '10:00')], [event('b', 1, '10:00'), event('b', 2, '10:00')]]))).toBe(
    'a1 b1 b2',
  )
})
