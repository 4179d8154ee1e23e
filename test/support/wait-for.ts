// Wait for a condition, never for a while.
export async function waitFor<T>(
  what: string,
  condition: () => T | null | undefined | false | Promise<T | null | undefined | false>,
  timeoutMs = 20_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs
  let last: unknown
  while (Date.now() < deadline) {
    try {
      const value = await condition()
      if (value) return value
      last = value
    } catch (error) {
      last = error
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(
    `Waited ${timeoutMs} ms for: ${what} (last: ${last instanceof Error ? last.message : JSON.stringify(last)})`,
  )
}
