// Browsers with push messages as targets of the outbox: each gets what concerns a person, is retried on its own, and leaves the
// list when its sign-in ends or its push service says that it is gone.
import type { Clock } from '../../lib/clock.ts'
import { clipped } from '../../plugins/notify-http/wording.ts'
import { type Notification, type Notifier, NotifierError } from '../../slots/notifier.ts'
import { openPushStore, type PushFiles } from './push-store.ts'
import { readOrMakePushKeys, sendPush } from './send-push.ts'

export const PUSH_PREFIX = 'push:'

export interface PushNotifiers {
  /** Targets for a notification of this priority. */
  targets(notification: Notification): string[]
  /** Of a target's name. */
  notifier(name: string): Notifier
}

export interface PushOptions {
  files: PushFiles & { pushKeys: string }
  /** Where the pages of this configuration begin: '' or `/r/<hash>`. */
  base: string
  clock: Clock
}

export function createPushNotifiers({ files, base, clock }: PushOptions): PushNotifiers {
  const store = openPushStore(files, clock)
  return {
    // What only informs can wait until somebody reads the page.
    targets: ({ priority = 'info' }) =>
      priority === 'info' ? [] : [...store.list().keys()].map((name) => `${PUSH_PREFIX}${name}`),
    notifier: (name) => ({
      name,
      async notify(notification) {
        const subscriber = store.list().get(name.slice(PUSH_PREFIX.length))
        // It signed out meanwhile.
        if (!subscriber) return
        try {
          await sendPush({
            subscriber,
            keys: await readOrMakePushKeys(files.pushKeys),
            payload: pushPayload(notification, { base, sound: subscriber.sound }),
            isUrgent: notification.priority === 'urgent' || notification.priority === 'action',
          })
        } catch (error) {
          if (!(error instanceof NotifierError) || (error.status !== 404 && error.status !== 410)) throw error
          store.remove(subscriber.endpoint)
        }
      },
    }),
  }
}

/** As `web/service-worker.js` reads it. Push services take 4 KB at most. */
export function pushPayload(notification: Notification, { base, sound }: { base: string; sound: boolean }): string {
  const { sessionId, projectId, type, message, onPage, priority } = notification
  const path =
    onPage?.path ?? `${base}${sessionId === undefined ? '/queue' : `/sessions/${encodeURIComponent(sessionId)}`}`
  return JSON.stringify({
    title: `${sessionId ?? projectId ?? 'ao'}: ${type.replaceAll(/[._]/g, ' ')}`.slice(0, 100),
    body: clipped(message, 400),
    path,
    tag: `ao ${path}`,
    answers: onPage?.actions ?? [],
    stays: priority === 'urgent' || priority === 'action',
    silent: !sound,
  })
}
