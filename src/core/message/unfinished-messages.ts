// Which messages of a session are still on their way, and how far each one got. Folded from the session's history. Pure.
import { REACTION_KEYS } from '../../contract/config.ts'
import type { SessionEvent } from '../../contract/events.ts'
import type { RecordChange, SessionRecord } from '../../contract/record.ts'

/** Said by the loop, which decides anew what to say; everybody else said it once and for all. */
export function isReaction(source: string): boolean {
  return REACTION_KEYS.some((key) => key === source)
}

export interface UnfinishedMessage {
  messageId: string
  text: string
  source: string
  /** For the agent's own commands: nothing is done so that it arrives as text. */
  raw?: true
  /** ISO 8601 */
  queuedAt: string
  /** ISO 8601; when its sender died with Enter at hand, so that only the agent knows whether it was pressed. null: it was
   *  not, though its text may be in the input line. */
  submittingAt: string | null
  /** Its last word, if that is that it is held. */
  heldBecause: string | null
}

/** In the order in which they were queued. `record`: the session's, which lists them. */
export function unfinishedMessages(events: readonly SessionEvent[], record: SessionRecord): UnfinishedMessage[] {
  const wanted = new Set(messageIdsOf(record))
  const [submittingId, submittingAt = null] = record.submittingMessage?.split(' ') ?? []
  const found = new Map<string, UnfinishedMessage>()
  for (const event of events) {
    if (!('messageId' in event) || !wanted.has(event.messageId)) continue
    const { messageId } = event
    const message = found.get(messageId)
    if (event.type === 'message.queued') {
      const { text, source, at } = event
      const submitting = messageId === submittingId ? submittingAt : null
      const raw = event.raw ? ({ raw: true } as const) : {}
      found.set(messageId, {
        messageId,
        text,
        source,
        ...raw,
        queuedAt: at,
        submittingAt: submitting,
        heldBecause: null,
      })
    } else if (event.type !== 'message.held') {
      found.delete(messageId)
    } else if (message) {
      message.heldBecause = event.why
    }
  }
  return [...found.values()]
}

/** What the record says while Enter is at hand. */
export function submittingMessage(messageId: string, at: Date): RecordChange {
  return { submittingMessage: `${messageId} ${at.toISOString()}` }
}

/** The record's list of messages on their way. */
export function messageIdsOf(record: SessionRecord): string[] {
  return record.messagesOnTheWay ?? []
}

export function withMessage(record: SessionRecord, messageId: string): RecordChange {
  const ids = messageIdsOf(record)
  return ids.includes(messageId) ? {} : { messagesOnTheWay: [...ids, messageId] }
}

export function withoutMessages(record: SessionRecord, gone: readonly string[]): RecordChange {
  const ids = messageIdsOf(record)
  const left = ids.filter((id) => !gone.includes(id))
  if (left.length === ids.length) return {}
  return { messagesOnTheWay: left.length === 0 ? null : left }
}
