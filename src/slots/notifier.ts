// How a person is notified.
export type NotificationPriority = 'urgent' | 'action' | 'warning' | 'info'

export interface Notification {
  type: string
  message: string
  sessionId?: string | undefined
  projectId?: string | undefined
  priority?: NotificationPriority | undefined
  url?: string | undefined
  /** What can be done about it, each by opening a link. */
  actions?: NotificationAction[] | undefined
  /** The same as paths of ao's own page, for its notifications; other notifiers do not get it. */
  onPage?: { path: string; actions: NotificationAction[] } | undefined
  /** Two deliveries with the same key are one notification. */
  dedupeKey?: string | undefined
  data?: Record<string, unknown> | undefined
}

export interface NotificationAction {
  label: string
  url: string
}

export interface Notifier {
  readonly name: string
  /** Throws when it could not be delivered. */
  notify(notification: Notification): Promise<void>
}

/** A delivery that failed, with what is known about trying again. */
export class NotifierError extends Error {
  /** Not earlier than after this time; undefined: up to the sender. */
  readonly retryAfterMs: number | undefined
  /** It will not recover on its own: a wrong address or token. */
  readonly permanent: boolean
  /** What the service answered, where it is one of HTTP. */
  readonly status: number | undefined

  constructor(
    message: string,
    options: { retryAfterMs?: number | undefined; permanent?: boolean; status?: number; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'NotifierError'
    this.retryAfterMs = options.retryAfterMs
    this.permanent = options.permanent ?? false
    this.status = options.status
  }
}
