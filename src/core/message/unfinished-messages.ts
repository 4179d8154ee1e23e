// Which messages of a session are still on their way, and how far each one got. Folded from the session's history. Pure.
import type { Attachment } from '../../contract/agh/attachment.ts'
import { REACTION_KEYS } from '../../contract/config/reaction-keys.ts'
import type { SessionEvent } from '../../contract/events.ts'
import type { RecordChange, SessionRecord } from '../../contract/record.ts'

/** Sent by the loop, which decides anew what to send; all other senders sent it for good. */
export function isReaction(source: string): boolean {
  return REACTION_KEYS.some((key) => key === source || source.startsWith(`${key} `))
}

export interface UnfinishedMessage {
  messageId: string
  text: string
  source: string
  /** For the agent's own commands: it is not escaped to arrive as text. */
  raw?: true
  /** What goes along with it. */
  attachments?: readonly Attachment[] | undefined
  /** ISO 8601 */
  queuedAt: string
  /**
   * ISO 8601; set when its sender died around pressing Enter, so that only the agent knows whether it was pressed. null: it
   * was not, though its text may be in the input line.
   */
  submittingAt: string | null
  /** Its latest state, if that is held. */
  heldBecause: string | null
  /** Its text is in the agent's input line already, and Enter was not pressed. */
  isEntered?: true
}

/** The first prompt of a start is the same message, however often it is searched for. */
export function firstMessageId(sessionId: string, { spawnId }: Pick<SessionRecord, 'spawnId'>): string {
  return `prompt-${spawnId ?? sessionId}`
}

export function isFirstMessage(messageId: string): boolean {
  return messageId.startsWith('prompt-')
}

/** Whatever else is noted about a message does not end it: it would be lost. */
const ENDS: ReadonlySet<string> = new Set<SessionEvent['type']>([
  'message.handed_over',
  'message.seen',
  'message.undelivered',
  'message.withdrawn',
])

/** In the order of the record's list. */
export function unfinishedMessages(events: readonly SessionEvent[], record: SessionRecord): UnfinishedMessage[] {
  const wanted = new Set(messageIdsOf(record))
  const [submittingId, submittingAt = null] = record.submittingMessage?.split(' ') ?? []
  const found = new Map<string, UnfinishedMessage>()
  for (const event of events) {
    if (!('messageId' in event) || !wanted.has(event.messageId)) continue
    const { messageId } = event
    const message = found.get(messageId)
    if (event.type === 'message.queued') {
      const { text, source, at, attachments } = event
      const submitting = messageId === submittingId ? submittingAt : null
      const raw = event.raw ? ({ raw: true } as const) : {}
      found.set(messageId, {
        messageId,
        text,
        source,
        ...raw,
        ...(attachments && { attachments }),
        queuedAt: at,
        submittingAt: submitting,
        heldBecause: null,
      })
    } else if (event.type === 'message.edited') {
      if (message) message.text = event.text
    } else if (event.type === 'message.held') {
      if (!message) continue
      message.heldBecause = event.why
      if (event.entered) message.isEntered = true
    } else if (ENDS.has(event.type)) found.delete(messageId)
  }
  return messageIdsOf(record).flatMap((id) => found.get(id) ?? [])
}

/** The record's value while Enter is about to be pressed. */
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
