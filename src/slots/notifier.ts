// How a human is told.
export type NotificationPriority = 'urgent' | 'action' | 'warning' | 'info'

export interface Notification {
  type: string
  message: string
  sessionId?: string
  projectId?: string
  priority?: NotificationPriority
  url?: string
  /** Two deliveries with the same key are one notification. */
  dedupeKey?: string
  data?: Record<string, unknown>
}

export interface Notifier {
  readonly name: string
  /** Throws when it could not be delivered. */
  notify(notification: Notification): Promise<void>
}
