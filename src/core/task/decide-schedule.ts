// Whether a schedule starts its work now: once for each time it was due, and not on top of itself. Pure: when it is due is
// computed by whoever asks.

/** What became of one due time. */
export interface ScheduleRun {
  /** ISO 8601: the time it was due; for a run by hand, when that was. */
  due: string
  /** waiting: of a trigger, until its turn comes. */
  state: 'waiting' | 'starting' | 'started' | 'skipped' | 'failed'
  session?: string | undefined
  why?: string | undefined
  /** Of a trigger: the event, its issue, and what came with it, which is not to be believed. */
  of?: string | undefined
  issue?: string | undefined
  text?: string | undefined
  /** Due times before this one that nobody was there for. */
  missed?: number | undefined
}

export interface ScheduleState {
  /** ISO 8601: nothing that was due by then is started. */
  since: string
  paused?: boolean | undefined
  /** Oldest first. */
  runs: ScheduleRun[]
}

export interface ScheduleFacts {
  state: ScheduleState
  /** Its due times after `handledUntil`, up to now, oldest first. */
  due: readonly Date[]
  /** Ids of its sessions that have not ended. */
  running: readonly string[]
  /** How many it has started on this day. */
  today: number
  maxPerDay: number
  now: Date
}

/** A machine that slept longer than this skips what it missed: yesterday's report is of no use tomorrow. */
const CATCH_UP_MS = 12 * 3_600_000

export type ScheduleDecision =
  | { act: 'none' }
  /** It was announced before a crash: started if no session of it is found. */
  | { act: 'resume'; run: ScheduleRun }
  | { act: 'start' | 'skip'; run: ScheduleRun }

export function handledUntil({ since, runs }: ScheduleState): Date {
  return new Date(Math.max(Date.parse(since), ...runs.map(({ due }) => Date.parse(due))))
}

export function decideSchedule({ state, due, running, today, maxPerDay, now }: ScheduleFacts): ScheduleDecision {
  const announced = state.runs.find((run) => run.state === 'starting')
  if (announced) return { act: 'resume', run: announced }
  const last = due.at(-1)
  if (last === undefined || state.paused) return { act: 'none' }
  const missed = due.length - 1
  const run = (more: Pick<ScheduleRun, 'state' | 'why'>): ScheduleRun => ({
    due: last.toISOString(),
    ...more,
    ...(missed > 0 && { missed }),
  })
  const skip = (why: string): ScheduleDecision => ({ act: 'skip', run: run({ state: 'skipped', why }) })
  if (now.getTime() - last.getTime() > CATCH_UP_MS) return skip('nobody was there when it was due')
  if (running.length > 0) return skip(`${running.join(', ')} has not ended yet`)
  if (today >= maxPerDay) return skip(`it was started ${today} times on this day already`)
  return { act: 'start', run: run({ state: 'starting' }) }
}
