import { describe, expect, it } from 'vitest'
import { SESSION_STATUSES } from '../../contract/status.ts'
import { noteChanges } from './status-of-record.ts'

const now = new Date('2026-01-02T03:04:05Z')
const step = { events: [], why: ['because'], now }

describe('a change of a record', () => {
  it.each(
    SESSION_STATUSES.flatMap((from) => SESSION_STATUSES.filter((to) => to !== from).map((to) => [from, to] as const)),
  )('from %s to %s is in the record with its moment and in the history', (from, to) => {
    const before = { status: from, statusSince: '2020-01-01T00:00:00.000Z' }
    const { pairs, events } = noteChanges({ ...step, before, after: { ...before, status: to } })
    expect(pairs).toEqual({ status: to, statusSince: now.toISOString() })
    expect(events).toEqual([{ type: 'status.changed', from, to, evidence: ['because'] }])
  })

  it('that leaves the status alone leaves its moment alone', () => {
    const before = { status: 'working', statusSince: '2020-01-01T00:00:00.000Z' }
    const { pairs, events } = noteChanges({ ...step, before, after: { ...before, summary: 'new' } })
    expect(pairs).toEqual({ ...before, summary: 'new' })
    expect(events).toEqual([])
  })

  it('that creates it has a moment, and only the event of its creation', () => {
    const { pairs, events } = noteChanges({ ...step, before: {}, after: { status: 'spawning' } })
    expect(pairs).toEqual({ status: 'spawning', statusSince: now.toISOString() })
    expect(events).toEqual([])
  })

  it('made from inside the session gets its event afterwards, with its own moment', () => {
    const before = { status: 'pr_open', statusBefore: 'working', statusSince: '2026-01-01T00:00:00Z' }
    const { pairs, events } = noteChanges({ ...step, before, after: before })
    expect(pairs).toEqual({ status: 'pr_open', statusSince: '2026-01-01T00:00:00Z' })
    expect(events).toEqual([
      { type: 'status.changed', from: 'working', to: 'pr_open', evidence: ['written from inside the session'] },
    ])
  })

  it('after one made from inside gets an event of its own as well', () => {
    const before = { status: 'pr_open', statusBefore: 'working' }
    const { pairs, events } = noteChanges({ ...step, before, after: { ...before, status: 'ci_failed' } })
    expect(pairs).toEqual({ status: 'ci_failed', statusSince: now.toISOString() })
    expect(events.map((event) => event.type === 'status.changed' && `${event.from} → ${event.to}`)).toEqual([
      'working → pr_open',
      'pr_open → ci_failed',
    ])
  })
})
