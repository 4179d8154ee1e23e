// Which messages of a session are still on their way, and how far each one got. Folded from the session's history. Pure.
import type { Attachment } from '../../contract/agh/attachment.ts'
import type { SessionEvent } from '../../contract/events.ts'
import type { SessionRecord } from '../../contract/record.ts'
import { messageIdsOf } from '../../contract/record-values.ts'

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
