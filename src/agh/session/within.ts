// Waiting with a limit.
import { sleep } from '../../lib/clock.ts'

/** For what a well-behaved agent does immediately. */
export const CANCEL_GRACE_MS = 1_000

/** Resolves with the promise, or when the time is up. */
export async function within(promise: Promise<unknown> | undefined, ms: number): Promise<void> {
  if (!promise) return
  const settled = new AbortController()
  await Promise.race([promise, sleep(ms, settled)]).finally(() => settled.abort())
}
