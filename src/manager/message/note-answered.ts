// How a session's status changes when a message or an answer has reached its agent.
import type { OtherEvent } from '../../contract/events.ts'
import type { Session } from '../../contract/session.ts'
import type { SessionStore } from '../../store/session/session-store.ts'

/** An alarm that the message answers is over; the facts decide everything else. */
export async function noteAnswered(
  { store, session }: { store: SessionStore; session: Session },
  events: OtherEvent[] = [],
  why = 'it got a message',
): Promise<void> {
  await store.update(
    session.id,
    ({ status }) => (status === 'needs_input' || status === 'stuck' ? { launched: 'yes', alarm: null } : {}),
    events,
    [why],
  )
}
