// A need that was put off counts again when its time comes, although no file changes then.
import type { SessionCard } from '../../contract/dashboard/cards.ts'

/** Node's timers hold no longer time; by then it is set anew. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export interface SnoozeTimer {
  /** After every read. */
  set(cards: Iterable<SessionCard>, now: number): void
  stop(): void
}

export function createSnoozeTimer(wake: (sessionId: string) => void): SnoozeTimer {
  let timer: NodeJS.Timeout | undefined
  const stop = () => clearTimeout(timer)
  return {
    stop,
    set(cards, now) {
      stop()
      const asleep = [...cards].flatMap(({ id, snoozedUntil }) =>
        snoozedUntil !== null && Date.parse(snoozedUntil) > now ? [{ id, at: Date.parse(snoozedUntil) }] : [],
      )
      const first = asleep.sort((a, b) => a.at - b.at)[0]
      if (!first) return
      timer = setTimeout(() => wake(first.id), Math.min(first.at - now, LONGEST_TIMER_MS))
      timer.unref()
    },
  }
}
