// How a session's status changes when a message or an answer has reached its agent.
import type { SessionEventBody } from '../../contract/events.ts'
import type { SessionRecord } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import type { SessionStatus } from '../../contract/status.ts'
import { statusOfRecord } from '../../core/status/status-of-record.ts'
import type { SessionStore } from '../../store/session/session-store.ts'
import type { ManagerContext } from '../context.ts'

/** An alarm that the message answers is over; the facts decide everything else. */
export async function noteAnswered(
  context: ManagerContext,
  { store, session }: { store: SessionStore; session: Session },
  events: SessionEventBody[] = [],
): Promise<void> {
  await store.update(
    session.id,
    (record) => {
      const change = statusAfterMessage(record)
      return change ? { alarm: null, statusSince: context.clock.now() } : {}
    },
    (record) => {
      const change = statusAfterMessage(record)
      return change ? [...events, { type: 'status.changed', ...change, evidence: ['it got a message'] }] : events
    },
  )
}

function statusAfterMessage(record: SessionRecord): { from: SessionStatus; to: SessionStatus } | null {
  const { status } = record
  if (status !== 'needs_input' && status !== 'stuck') return null
  return { from: status, to: statusOfRecord({ ...record, launched: 'yes', alarm: undefined }) }
}
