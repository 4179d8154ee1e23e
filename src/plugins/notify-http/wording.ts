// How a notification reads: a mark for its priority, a title, the message, a link.
import type { Notification, NotificationPriority } from '../../slots/notifier.ts'

const MARKS: Record<NotificationPriority, string> = { urgent: '🔴', action: '🟡', warning: '🟠', info: '🔵' }

export function titleOf({ type, sessionId, projectId, priority = 'info' }: Notification): string {
  const about = sessionId ?? projectId ?? 'ao'
  return `${MARKS[priority]} ${about}: ${type.replaceAll(/[._]/g, ' ')}`
}

/** Services cut or refuse long texts; the end of a message matters least. */
export function clipped(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`
}
