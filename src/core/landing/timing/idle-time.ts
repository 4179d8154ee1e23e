// What the train did with its time: testing, or why not. From its own events. Pure.
import { formatRoughly } from '../../text/format-age.ts'
import { EMPTY_TRAIN, evolve, type TrainEvent } from '../train-state.ts'
import { type FreezeWindow, haltOf } from './halt.ts'

const IDLE_CAUSES = ['testing', 'empty', 'paused', 'frozen', 'stopped'] as const
export type IdleCause = (typeof IDLE_CAUSES)[number]

const IDLE_WORDS: Readonly<Record<IdleCause, string>> = {
  testing: 'testing',
  empty: 'nothing aboard',
  paused: 'paused',
  frozen: 'frozen',
  stopped: 'the base branch was red',
}

/** What took at least a minute, in words; null: nothing did. */
export function idleText(spent: Readonly<Record<string, number>>): string | null {
  const causes = IDLE_CAUSES.filter((cause) => (spent[cause] ?? 0) >= 60_000)
  return causes.map((cause) => `${IDLE_WORDS[cause]} ${formatRoughly(spent[cause]!)}`).join(', ') || null
}

const DAY_MS = 24 * 3_600_000
/** A window of an hour is seen, and a day of it costs 288 questions. */
const STEP_MS = 5 * 60_000

/** Milliseconds by cause since `since`: of the last day, or as far back as events are kept. */
export function idleTime(
  events: ReadonlyArray<TrainEvent | null>,
  windows: readonly FreezeWindow[],
  now: number,
): { since: number; spent: Record<IdleCause, number> } {
  const spent: Record<IdleCause, number> = { testing: 0, empty: 0, paused: 0, frozen: 0, stopped: 0 }
  const timed = events.flatMap((event) => {
    const at = Date.parse(event?.at ?? '')
    // A clock that went backwards: whatever is later than now is no time that was spent.
    return event === null || Number.isNaN(at) || at > now ? [] : [{ event, at }]
  })
  const first = timed[0]?.at ?? now
  const since = Math.max(now - DAY_MS, first)
  let state = EMPTY_TRAIN
  let from = first
  const spend = (to: number) => {
    for (let at = Math.max(from, since); at < to; at += STEP_MS) {
      const halt = haltOf(state, windows, at)
      const cause: IdleCause =
        halt?.kind ?? (state.stopped ? 'stopped' : state.riders.length === 0 ? 'empty' : 'testing')
      spent[cause] += Math.min(STEP_MS, to - at)
    }
    from = Math.max(from, to)
  }
  for (const { event, at } of timed) {
    spend(at)
    // A newer version may have written events that this one does not know.
    state = evolve(state, event) ?? state
  }
  spend(now)
  return { since, spent }
}
