// When what is watched is renewed: at most every two seconds, because agents report many changes, but always after the last
// one. It may have been a new directory, and what follows in there would go unnoticed until the next poll.
const BETWEEN_MS = 2_000

export interface RefreshTiming {
  isDue(): boolean
  /** It is being renewed now. */
  begin(): void
  /** A change of these was handled without a renewal: they are triggered once more when one is due. */
  later(sessionIds: Iterable<string>): void
  close(): void
}

export function createRefreshTiming(trigger: (sessionId: string) => void): RefreshTiming {
  const waiting = new Set<string>()
  let begunAt = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | null = null

  function fire(): void {
    timer = null
    const sessionIds = [...waiting]
    waiting.clear()
    for (const id of sessionIds) trigger(id)
  }

  return {
    isDue: () => performance.now() - begunAt >= BETWEEN_MS,
    begin() {
      begunAt = performance.now()
    },
    later(sessionIds) {
      for (const id of sessionIds) waiting.add(id)
      if (waiting.size === 0 || timer !== null) return
      timer = setTimeout(fire, Math.max(0, begunAt + BETWEEN_MS - performance.now()))
    },
    close() {
      if (timer !== null) clearTimeout(timer)
      timer = null
    },
  }
}
