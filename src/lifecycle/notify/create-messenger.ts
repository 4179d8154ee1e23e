// Accepts notifications, keeps them until every notifier on their route has them, and retries with growing delays.
import type { OrchestratorConfig } from '../../contract/config.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Notification } from '../../slots/notifier.ts'
import type { PluginRegistry } from '../../slots/registry.ts'
import { PUSH_PREFIX, type PushNotifiers } from '../push/push-notifiers.ts'
import { deliverOutbox, shownName } from './deliver-outbox.ts'
import { openOutbox } from './outbox.ts'
import { notifierChoice, routeNotification } from './route-notification.ts'
import { NOTIFIER_SURFACE } from './unheard.ts'

export interface MessengerOptions {
  config: OrchestratorConfig
  registry: PluginRegistry
  directory: string
  clock: Clock
  say(line: string): void
  push: PushNotifiers
  health(surface: string, status: 'ok' | 'error', reason?: string): void
}

export interface Messenger {
  notify(notification: Notification): Promise<void>
  /** Stops retrying; pending notifications are in the outbox for the next start. */
  stop(): Promise<void>
}

export function createMessenger(options: MessengerOptions): Messenger {
  const { config, registry, clock, say, push } = options
  const outbox = openOutbox(options.directory)
  const now = () => clock.now().getTime()
  let timer: NodeJS.Timeout | null = null
  let running: Promise<void> | null = null
  let isStopped = false
  let hasNews = false

  async function pump(): Promise<void> {
    hasNews = false
    const next = await deliverOutbox({
      outbox,
      now,
      say,
      health: (name, status, reason) => options.health(`${NOTIFIER_SURFACE}${name}`, status, reason),
      async notifier(name) {
        if (name.startsWith(PUSH_PREFIX)) return push.notifier(name)
        const choice = notifierChoice(config, name)
        return registry.load('notifier', choice)
      },
    })
    running = null
    if (hasNews) schedule(0)
    else if (next !== null) schedule(Math.max(0, next - now()))
  }

  function schedule(delayMs: number): void {
    if (isStopped || running) return
    if (timer !== null) clearTimeout(timer)
    timer = setTimeout(() => {
      timer = null
      running = pump().catch((error) => {
        running = null
        say(`the outbox could not be worked through: ${error instanceof Error ? error.message : String(error)}`)
      })
    }, delayMs)
    timer.unref()
  }

  schedule(0)
  return {
    async notify(notification) {
      const named = routeNotification(config, notification.priority ?? 'info')
      const names = [...named, ...push.targets(notification)]
      if (!outbox.add(notification, names, now())) return
      say(`queued for ${[...new Set(names.map(shownName))].join(', ') || 'no one'}: ${notification.message}`)
      hasNews = true
      schedule(0)
    },
    async stop() {
      isStopped = true
      if (timer !== null) clearTimeout(timer)
      await running
    },
  }
}
