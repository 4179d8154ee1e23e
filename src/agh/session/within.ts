// Waiting with a limit.

/** For what a well-behaved agent does immediately. */
export const CANCEL_GRACE_MS = 1_000

/** Resolves with the promise, or when the time is up. */
export async function within(promise: Promise<unknown> | undefined, ms: number): Promise<void> {
  if (!promise) return
  let timer: NodeJS.Timeout | undefined
  await Promise.race([promise, new Promise((resolve) => (timer = setTimeout(resolve, ms)))])
  clearTimeout(timer)
}
