// Messages held for an agent that is ended on purpose will not be delivered, which is recorded.
import type { OtherEvent } from '../../contract/events.ts'
import type { RecordChange } from '../../contract/record.ts'
import type { SessionStore } from '../../store/session/session-store.ts'
import { readUnfinished } from './hand-over.ts'

/** To be written together with the intent to end it. */
export function withdrawMessages(
  store: SessionStore,
  sessionId: string,
): { change: RecordChange; events: OtherEvent[] } {
  return {
    change: { messagesOnTheWay: null, switchTo: null, returner: null },
    events: readUnfinished(store, sessionId).map(({ messageId }) => ({
      type: 'message.withdrawn',
      messageId,
      why: 'the session was ended',
    })),
  }
}
