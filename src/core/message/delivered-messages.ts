// What a session's agents were sent and got, from its history. Pure.
import type { SessionEvent } from '../../contract/events.ts'

export interface DeliveredMessage {
  source: string
  text: string
}

/** Sent by ao itself about a start of the agent: they mean nothing to the next one. */
const ABOUT_THE_START: ReadonlySet<string> = new Set(['spawn', 'handover', 'restore', 'limit-reset'])

/** The oldest first; what is still on its way is not among them. */
export function deliveredMessages(events: readonly SessionEvent[]): DeliveredMessage[] {
  const found = new Map<string, DeliveredMessage & { isDelivered: boolean }>()
  for (const event of events) {
    if (event.type === 'message.queued') {
      const { messageId, source, text } = event
      if (!ABOUT_THE_START.has(source)) found.set(messageId, { source, text, isDelivered: false })
    } else if (event.type === 'message.edited') {
      const message = found.get(event.messageId)
      if (message) message.text = event.text
    } else if (event.type === 'message.handed_over' || event.type === 'message.seen') {
      const message = found.get(event.messageId)
      if (message) message.isDelivered = true
    } else if (event.type === 'message.undelivered' || event.type === 'message.withdrawn') {
      found.delete(event.messageId)
    }
  }
  return [...found.values()].flatMap(({ source, text, isDelivered }) => (isDelivered ? [{ source, text }] : []))
}
