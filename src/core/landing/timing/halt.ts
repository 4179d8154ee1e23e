// Why nothing lands although something could: a person's pause with its end, or a freeze window of the configuration. Pure.
import type { TrainState } from '../train-state.ts'

/** Weekly, `Fri 16:00`, or once, `2026-12-23` or `2026-12-23 18:00`; both ends of one kind, in one time zone. */
export interface FreezeWindow {
  from: string
  to: string
  timezone?: string | undefined
  reason?: string | undefined
}

export interface Halt {
  kind: 'paused' | 'frozen'
  /** In words, for people. */
  why: string
  /** About when it ends; null: when a person says so. */
  until: number | null
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const
const WEEKLY = /^(Sun|Mon|Tue|Wed|Thu|Fri|Sat) ([01]\d|2[0-3]):([0-5]\d)$/
const MINUTE = 60_000
const WEEK = 7 * 24 * 60

/** null: landing is not held up. `now` absent: the time is unknown, and only a pause without an end counts. */
export function haltOf(
  { paused, thawed }: Pick<TrainState, 'paused' | 'thawed'>,
  windows: readonly FreezeWindow[],
  now: number | undefined,
): Halt | null {
  const end = paused?.until === undefined ? null : Date.parse(paused.until)
  const isOver = end !== null && now !== undefined && !(now < end)
  if (paused && !isOver) {
    const reason = paused.reason === undefined ? '' : `: ${paused.reason}`
    const until = paused.until === undefined ? '' : `, until ${paused.until}`
    return { kind: 'paused', why: `paused by ${paused.by}${reason}${until}`, until: end }
  }
  if (now === undefined || (thawed !== undefined && now < Date.parse(thawed))) return null
  const frozen = windows.flatMap((window) => inside(window, now) ?? [])
  return frozen.sort((a, b) => (b.until ?? 0) - (a.until ?? 0))[0] ?? null
}

const DAY_MS = 24 * 3_600_000

/** When a freeze that a person lifts now may begin again: at its end, or after a day where that is unknown. */
export function thawUntil({ until }: Halt, now: number): { until: number; isGuess: boolean } {
  return { until: until ?? now + DAY_MS, isGuess: until === null }
}

function inside(window: FreezeWindow, now: number): Halt | null {
  const { from, to, timezone, reason } = window
  const local = wallClock(now, timezone)
  const zone = timezone === undefined ? '' : ` (${timezone})`
  const why = `frozen by landing.freeze until ${to}${zone}${reason === undefined ? '' : `: ${reason}`}`
  // Whoever froze landing for a zone that this machine lacks did not mean never.
  if (local === null) return { kind: 'frozen', why: `${why}; the time zone is unknown here`, until: null }
  const [start, end] = [minuteOfWeek(from), minuteOfWeek(to)]
  if (start !== null && end !== null) {
    const passed = (local.minute - start + WEEK) % WEEK
    const length = (end - start + WEEK) % WEEK || WEEK
    return passed < length ? { kind: 'frozen', why, until: endAfter(now, length - passed) } : null
  }
  if (local.text < pad(from) || local.text >= pad(to)) return null
  const left = (Date.parse(`${pad(to).replace(' ', 'T')}Z`) - Date.parse(`${local.text.replace(' ', 'T')}Z`)) / MINUTE
  return { kind: 'frozen', why, until: Number.isFinite(left) ? endAfter(now, left) : null }
}

/** Whole minutes: the clock on the wall shows no seconds. */
function endAfter(now: number, minutes: number): number {
  return Math.floor(now / MINUTE) * MINUTE + minutes * MINUTE
}

function pad(text: string): string {
  return text.length === 10 ? `${text} 00:00` : text
}

function minuteOfWeek(text: string): number | null {
  const [, day, hour, minute] = WEEKLY.exec(text) ?? []
  if (day === undefined) return null
  return (DAYS.indexOf(day as (typeof DAYS)[number]) * 24 + Number(hour)) * 60 + Number(minute)
}

const MOST_ZONES = 100
/** To make one takes longer than to ask it a hundred times. null: there is no such time zone. */
const formats = new Map<string | undefined, Intl.DateTimeFormat | null>()

function formatOf(timeZone: string | undefined): Intl.DateTimeFormat | null {
  const before = formats.get(timeZone)
  if (before !== undefined) return before
  if (formats.size >= MOST_ZONES) formats.clear()
  const made = makeFormat(timeZone)
  formats.set(timeZone, made)
  return made
}

function makeFormat(timeZone: string | undefined): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat('en-GB', {
      ...{ timeZone, weekday: 'short', year: 'numeric', month: '2-digit', day: '2-digit' },
      ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
    } as Intl.DateTimeFormatOptions)
  } catch {
    return null
  }
}

/** null: there is no such time zone, or `now` is no time. */
function wallClock(now: number, timeZone: string | undefined): { minute: number; text: string } | null {
  const format = formatOf(timeZone)
  // Intl throws for what is no time, or too far away.
  if (format === null || Number.isNaN(new Date(now).getTime())) return null
  const part = new Map(format.formatToParts(now).map(({ type, value }) => [type, value]))
  const [hour, minute] = [part.get('hour') ?? '', part.get('minute') ?? '']
  const text = `${part.get('year')}-${part.get('month')}-${part.get('day')} ${hour}:${minute}`
  return { minute: minuteOfWeek(`${part.get('weekday')} ${hour}:${minute}`) ?? 0, text }
}
