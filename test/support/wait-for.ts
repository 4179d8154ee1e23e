// Wait for a condition, never for a while.

/**
 * Between two questions. One that takes long, as a command does, is asked less often: tests run side by side on two cores, and
 * what they wait for needs those more than the next question does.
 */
const PAUSE_MS = { least: 20, most: 500 }
/** Of the time that the question took. */
const PAUSE_SHARE = 2

export async function waitFor<T>(
  what: string,
  condition: () => T | null | undefined | false | Promise<T | null | undefined | false>,
  timeoutMs = 20_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs
  let last: unknown
  while (Date.now() < deadline) {
    const startedAt = Date.now()
    try {
      const value = await condition()
      if (value) return value
      last = value
    } catch (error) {
      last = error
    }
    const took = Date.now() - startedAt
    const pause = Math.min(Math.max(took * PAUSE_SHARE, PAUSE_MS.least), PAUSE_MS.most)
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
  throw new Error(
    `Waited ${timeoutMs} ms for: ${what} (last: ${last instanceof Error ? last.message : JSON.stringify(last)})`,
  )
}
