// A message, an answer and a rewind would mix on the screen: one at a time, and how long each kind of caller waits for the one before.
import { type LockOptions, withLock } from '../../lib/lock.ts'
import type { SessionStore } from '../../store/session/session-store.ts'

const WAIT_MS = {
  /** The one before has its message typed, or held, within this time. */
  message: 60_000,
  /** A change of messages that wait. */
  change: 20_000,
  /** A person is watching, and can ask again. */
  person: 5_000,
  /** For held messages nobody has to wait: the one before delivers them too. */
  held: 100,
} as const

export function withSendLock<T>(
  { paths }: Pick<SessionStore, 'paths'>,
  sessionId: string,
  wait: keyof typeof WAIT_MS,
  critical: () => T | Promise<T>,
  turn?: LockOptions['turn'],
): Promise<T> {
  return withLock(paths.sendLock(sessionId), critical, { timeoutMs: WAIT_MS[wait], turn })
}
