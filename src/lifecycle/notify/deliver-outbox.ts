// One pass over the outbox: every target that is due is tried once, and the result is recorded.
import { errorText } from '../../contract/errors.ts'
import { measure } from '../../lib/measures.ts'
import type { Notification, Notifier } from '../../slots/notifier.ts'
import { NotifierError } from '../../slots/notifier.ts'
import { PUSH_PREFIX } from '../push/push-notifiers.ts'
import type { Outbox, OutboxMessage, OutboxTarget } from './outbox.ts'

export interface Delivery {
  outbox: Outbox
  /** Throws when there is no such notifier. */
  notifier(name: string): Promise<Notifier>
  now(): number
  say(line: string): void
  health(name: string, status: 'ok' | 'error', reason?: string): void
}

const SEND_TIMEOUT_MS = 10_000
const FIRST_RETRY_MS = 2_000
const LONGEST_RETRY_MS = 10 * 60_000
const GIVE_UP_MS = 24 * 60 * 60_000

/** Resolves with the time of the next attempt; null: nothing is waiting. */
export async function deliverOutbox(delivery: Delivery): Promise<number | null> {
  for (const { notification } of delivery.outbox.takeDropped()) {
    delivery.say(`the outbox is full; dropped ${notification.priority ?? 'info'}: ${notification.message}`)
  }
  for (const message of delivery.outbox.pending()) await deliverMessage(delivery, message)
  const times = delivery.outbox.pending().flatMap(({ targets }) => targets.map(({ retryAt }) => retryAt))
  return times.length === 0 ? null : Math.min(...times)
}

async function deliverMessage(delivery: Delivery, message: OutboxMessage): Promise<void> {
  const due = message.targets.filter(({ retryAt }) => retryAt <= delivery.now())
  if (due.length === 0) return
  const left = await Promise.all(due.map((target) => tryTarget(delivery, message, target)))
  const others = message.targets.filter((target) => !due.includes(target))
  delivery.outbox.save({ ...message, targets: [...others, ...left.flat()] })
}

/** All browsers with push messages are one notifier to people. */
export function shownName(name: string): string {
  return name.startsWith(PUSH_PREFIX) ? 'push' : name
}

/** What is left to do for it. */
async function tryTarget(
  delivery: Delivery,
  { notification, createdAt }: OutboxMessage,
  target: OutboxTarget,
): Promise<OutboxTarget[]> {
  try {
    const notifier = await delivery.notifier(target.name)
    await withinTime(notifier, notification)
    delivery.health(shownName(target.name), 'ok')
    measure('notification', { notifier: shownName(target.name), outcome: 'success' })
    return []
  } catch (error) {
    const why = errorText(error)
    delivery.health(shownName(target.name), 'error', why)
    measure('notification', { notifier: shownName(target.name), outcome: 'failure' })
    const isHopeless = error instanceof NotifierError && error.permanent
    if (isHopeless || delivery.now() - createdAt > GIVE_UP_MS) {
      delivery.say(`Giving up on ${shownName(target.name)} for "${notification.message}": ${why}`)
      return []
    }
    const attempts = target.attempts + 1
    const wait = Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), LONGEST_RETRY_MS)
    const retryAfter = error instanceof NotifierError ? (error.retryAfterMs ?? 0) : 0
    return [{ name: target.name, attempts, retryAt: delivery.now() + Math.max(wait, retryAfter), lastError: why }]
  }
}

async function withinTime(notifier: Notifier, notification: Notification): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${SEND_TIMEOUT_MS / 1000} s`)), SEND_TIMEOUT_MS + 500)
  })
  try {
    const { onPage: _, ...others } = notification
    await Promise.race([notifier.notify(notifier.name.startsWith(PUSH_PREFIX) ? notification : others), late])
  } finally {
    clearTimeout(timer)
  }
}
