// Messages that the runtime keeps behind a running turn when the agent is ended: their receipt said `handed over`, and nobody
// would ever hear of them again. They are not delivered, which is recorded; or, where messages are kept, they wait for the next start.

import { AoError } from '../../contract/errors.ts'
import type { OtherEvent } from '../../contract/events.ts'
import type { RecordChange, SessionRecord } from '../../contract/record.ts'
import { messageIdsOf } from '../../contract/record-values.ts'
import { ignoreFailure } from '../../lib/ignore-failure.ts'
import type { SessionEvents } from '../../slots/session-events.ts'
import { findEvents } from '../active.ts'
import type { FoundSession, ManagerContext } from '../context.ts'

const ENDED = 'the session was ended while it waited behind a turn'
const KEPT = 'the agent was ended before its turn came'

interface EndedMessages {
  change: (record: SessionRecord) => RecordChange
  events: OtherEvent[]
  undelivered: number
}

/** To be written together with the intent to end the agent. Never throws: a runtime that does not answer keeps nobody from ending it. */
export async function endBehindTurn(
  context: ManagerContext,
  found: FoundSession,
  { keep }: { keep: boolean },
): Promise<EndedMessages> {
  const ids: string[] = []
  const events: OtherEvent[] = []
  await ignoreFailure(`what waits behind a turn of ${found.stored.id} could not be read`, context.log, async () => {
    const heard = await findEvents(context, found)
    const waiting = (await heard?.events.waitingMessages?.(heard.handle)) ?? []
    if (!heard || waiting.length === 0) return
    const sent = found.store.readHistory(found.stored.id).events
    for (const { messageId } of waiting) {
      const queued = sent.findLast((one) => one.type === 'message.queued' && one.messageId === messageId)
      if (queued?.type !== 'message.queued') continue
      if (!keep && !(await withdraw(heard, messageId))) continue
      ids.push(messageId)
      if (!keep) events.push({ type: 'message.undelivered', messageId, why: ENDED })
      else {
        const edited = sent.findLast((one) => one.type === 'message.edited' && one.messageId === messageId)
        const text = edited?.type === 'message.edited' ? edited.text : queued.text
        const { source, raw } = queued
        events.push({ type: 'message.queued', messageId, text, source, ...(raw && { raw }) })
        events.push({ type: 'message.held', messageId, why: KEPT })
      }
    }
  })
  return {
    // The same id again is the same message, where the runtime has kept it too.
    change: (record) =>
      keep && ids.length > 0
        ? { messagesOnTheWay: [...ids, ...messageIdsOf(record).filter((id) => !ids.includes(id))] }
        : {},
    events,
    undelivered: keep ? 0 : ids.length,
  }
}

type Heard = { events: SessionEvents; handle: Parameters<NonNullable<SessionEvents['changeWaiting']>>[0] }

/** false: its turn came a moment ago. */
async function withdraw({ events, handle }: Heard, messageId: string): Promise<boolean> {
  try {
    await events.changeWaiting?.(handle, messageId, null)
  } catch (error) {
    if (error instanceof AoError && error.code === 'MESSAGE_NOT_WAITING') return false
  }
  return true
}
