// The messages in a history, each with how far it got. Pure.
import type { Attachment } from '../../../../src/contract/agh/attachment.ts'
import type { HistoryEvent } from '../../api/session-feed.ts'

export interface SentMessage {
  messageId: string
  text: string
  source: string
  at: string
  level: 'queued' | 'held' | 'handed_over' | 'seen' | 'undelivered' | 'withdrawn'
  why: string | null
  files?: readonly Attachment[] | undefined
  /** Its files before it were saved under this number; null: they were not. */
  turn: number | null
}

/** Newest first. */
export function messagesOf(history: readonly HistoryEvent[]): SentMessage[] {
  const messages = new Map<string, SentMessage>()
  for (const event of history) {
    if (event.type === 'message.queued') {
      const { messageId, text, source, at, attachments } = event
      const files = attachments ? { files: attachments } : {}
      messages.set(messageId, { messageId, text, source, at, level: 'queued', why: null, turn: null, ...files })
    }
    if (event.type === 'turn.saved') update(messages, event.message, { turn: event.turn })
    if (event.type === 'message.edited') update(messages, event.messageId, { text: event.text })
    if (event.type === 'message.held') update(messages, event.messageId, { level: 'held', why: event.why })
    if (event.type === 'message.withdrawn') update(messages, event.messageId, { level: 'withdrawn', why: event.why })
    if (event.type === 'message.handed_over') update(messages, event.messageId, { level: 'handed_over', why: null })
    if (event.type === 'message.seen') update(messages, event.messageId, { level: 'seen', why: null })
    if (event.type === 'message.undelivered')
      update(messages, event.messageId, { level: 'undelivered', why: event.why })
  }
  return [...messages.values()].reverse()
}

function update(messages: Map<string, SentMessage>, id: string, part: Partial<SentMessage>): void {
  const message = messages.get(id)
  // A sender may still have been waiting for the receipt when it was withdrawn.
  if (message && message.level !== 'withdrawn') messages.set(id, { ...message, ...part })
}
