// When what is watched is renewed: at most every two seconds, because agents report many changes, but always after the last
// one. It may have been a new directory, and what follows in there would go unnoticed until the next poll. An agent that was
// started a moment ago creates its first directories: for it, what is watched is renewed several times a second.
const BETWEEN_MS = 2_000
const BETWEEN_FIRST_MS = 250

export interface RefreshTiming {
  /** `isYoung`: one of those that changed was started a moment ago. */
  isDue(isYoung?: boolean): boolean
  /** It is being renewed now. */
  begin(): void
  /** A change of these was handled without a renewal: they are triggered once more when one is due. */
  later(sessionIds: Iterable<string>, isYoung?: boolean): void
  close(): void
}

export function createRefreshTiming(trigger: (sessionId: string) => void): RefreshTiming {
  const waiting = new Set<string>()
  let begunAt = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | null = null
  let dueAt = Number.POSITIVE_INFINITY
  const betweenMs = (isYoung: boolean) => (isYoung ? BETWEEN_FIRST_MS : BETWEEN_MS)

  function fire(): void {
    timer = null
    dueAt = Number.POSITIVE_INFINITY
    const sessionIds = [...waiting]
    waiting.clear()
    for (const id of sessionIds) trigger(id)
  }

  return {
    isDue: (isYoung = false) => performance.now() - begunAt >= betweenMs(isYoung),
    begin() {
      begunAt = performance.now()
    },
    later(sessionIds, isYoung = false) {
      for (const id of sessionIds) waiting.add(id)
      const at = begunAt + betweenMs(isYoung)
      if (waiting.size === 0 || (timer !== null && dueAt <= at)) return
      if (timer !== null) clearTimeout(timer)
      dueAt = at
      timer = setTimeout(fire, Math.max(0, at - performance.now()))
    },
    close() {
      if (timer !== null) clearTimeout(timer)
      timer = null
    },
  }
}
