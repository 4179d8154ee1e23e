// The sessions' histories as numbers over time. Pure.
import type { SeriesAnswer } from '../../contract/dashboard/pages.ts'
import type { SessionEvent } from '../../contract/events.ts'
import { type SessionStatus, TERMINAL_STATUSES } from '../../contract/status.ts'
import type { Spent } from './spent.ts'

/** The relevant part of an event, with its time in milliseconds: small enough to keep for all events of all sessions. */
export type SeriesEvent = { at: number } & (
  | { type: 'status.changed'; to: SessionStatus }
  | { type: 'session.archived' }
  | { type: 'usage'; tokens: number; costUsd: number | null }
  | { type: 'begun' }
)

/** Current usage is known better than the usage last written: the last point shows what the board shows. */
export function withSpent(
  histories: ReadonlyArray<{ sessionId: string; events: readonly SeriesEvent[] }>,
  spent: ReadonlyMap<string, Spent | null>,
  at: number,
): SeriesEvent[][] {
  return histories.map(({ sessionId, events }) => {
    const now = spent.get(sessionId)
    return now ? [...events, { at, type: 'usage', ...now }] : [...events]
  })
}

export interface SeriesRequest {
  /** One list per session, in order. */
  histories: ReadonlyArray<readonly SeriesEvent[]>
  /** Milliseconds; the last point is at `to`. */
  from: number
  to: number
  stepMs: number
}

type Series = Omit<SeriesAnswer, 'hours' | 'waitedPerDay'>

/** A session in one of these continues only when a person does something. */
const WAITS_FOR_HUMAN: ReadonlySet<SessionStatus> = new Set([
  'needs_input',
  'stuck',
  'errored',
  'review_pending',
  'approved',
  'mergeable',
])

/** The spans a plot may cover, in hours. */
const SERIES_HOURS = [1, 6, 24, 168] as const
const HOUR = 3_600_000
const MINUTE = 60_000

export function toSeriesEvents(events: readonly SessionEvent[]): SeriesEvent[] {
  return events.flatMap((event, index): SeriesEvent[] => {
    const at = Date.parse(event.at)
    if (event.type === 'status.changed') return [{ at, type: event.type, to: event.to }]
    if (event.type === 'session.archived') return [{ at, type: event.type }]
    if (event.type === 'usage') return [{ at, type: event.type, tokens: event.tokens, costUsd: event.costUsd }]
    return index === 0 ? [{ at, type: 'begun' }] : []
  })
}

/** The shortest span that shows everything, else the longest. */
export function fittingHours(histories: SeriesRequest['histories'], now: number): number {
  const oldest = Math.min(now, ...histories.flatMap(([first]) => (first ? [first.at] : [])))
  return SERIES_HOURS.find((hours) => now - oldest <= hours * HOUR) ?? SERIES_HOURS.at(-1)!
}

export function countSeries({ histories, from, to, stepMs }: SeriesRequest): Series {
  const points = pointsBetween(from, to, stepMs)
  const zeros = () => points.map(() => 0)
  const answer: Series = {
    times: points.map((at) => new Date(at).toISOString()),
    byStatus: {},
    tokens: zeros(),
    costUsd: zeros(),
    waitingMinutes: zeros(),
  }
  for (const events of histories) {
    addStatuses(answer, points, statusSpans(events, { from: from - stepMs, to }))
    addUsage(answer, points, events)
  }
  return answer
}

/** Minutes that sessions waited for a person, day by day. `days` are the beginnings of the days, oldest first. */
export function waitedPerDay(histories: SeriesRequest['histories'], days: readonly number[], to: number): number[] {
  const ends = days.map((_, index) => Math.min(days[index + 1] ?? to, to))
  const minutes = days.map(() => 0)
  for (const events of histories) {
    for (const span of statusSpans(events, { from: days[0] ?? to, to })) {
      if (!WAITS_FOR_HUMAN.has(span.status)) continue
      for (const [index, start] of days.entries()) {
        const overlap = Math.min(span.to, ends[index]!) - Math.max(span.from, start)
        if (overlap > 0) minutes[index]! += overlap / MINUTE
      }
    }
  }
  return minutes
}

function pointsBetween(from: number, to: number, stepMs: number): number[] {
  const count = Math.max(0, Math.floor((to - from) / stepMs))
  return Array.from({ length: count + 1 }, (_, index) => to - (count - index) * stepMs)
}

interface Span {
  status: SessionStatus
  from: number
  to: number
}

/** The last status lasts until now, unless the session is archived. Only those that overlap the time shown. */
function statusSpans(events: readonly SeriesEvent[], shown: { from: number; to: number }): Span[] {
  const spans: Span[] = []
  for (const event of events) {
    const { at } = event
    const open = spans.at(-1)
    if (event.type === 'session.archived' && open) open.to = at
    if (event.type !== 'status.changed') continue
    if (open && open.to > at) open.to = at
    spans.push({ status: event.to, from: at, to: Number.POSITIVE_INFINITY })
  }
  return spans.filter(({ to }) => to >= shown.from).map((span) => ({ ...span, to: Math.min(span.to, shown.to + 1) }))
}

function addStatuses(answer: Series, points: number[], spans: Span[]): void {
  for (const { status, from, to } of spans) {
    for (const index of indexesOf(points, { from, to })) {
      const at = points[index]!
      // An end is counted where it happened, not in every point after it.
      const counts = TERMINAL_STATUSES.has(status)
        ? from <= at && from > (points[index - 1] ?? Number.NEGATIVE_INFINITY)
        : from <= at && at < to
      if (!counts) continue
      const row = answer.byStatus[status] ?? points.map(() => 0)
      row[index]! += 1
      answer.byStatus[status] = row
    }
    if (WAITS_FOR_HUMAN.has(status)) addWaiting(answer.waitingMinutes, points, { status, from, to })
  }
}

/** The points that a span can touch, including the one after it: most of a long history is outside the time shown. */
function indexesOf(points: number[], { from, to }: { from: number; to: number }): number[] {
  const step = points.length > 1 ? points[1]! - points[0]! : 1
  const first = Math.max(0, Math.floor((from - points[0]!) / step))
  const last = Math.min(points.length - 1, Math.ceil((to - points[0]!) / step) + 1)
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, offset) => first + offset)
}

/** Each point covers the step that ends with it. */
function addWaiting(waiting: number[], points: number[], span: Span): void {
  for (const index of indexesOf(points, span)) {
    const end = points[index]!
    const start = points[index - 1]
    if (start === undefined) continue
    const overlap = Math.min(span.to, end) - Math.max(span.from, start)
    if (overlap > 0) waiting[index]! += overlap / MINUTE
  }
}

function addUsage(answer: Series, points: number[], events: readonly SeriesEvent[]): void {
  const usage = events.filter((event) => event.type === 'usage')
  let next = 0
  let latest: (typeof usage)[number] | undefined
  for (const [index, at] of points.entries()) {
    while (next < usage.length && usage[next]!.at <= at) latest = usage[next++]
    if (!latest) continue
    answer.tokens[index]! += latest.tokens
    answer.costUsd[index]! += latest.costUsd ?? 0
  }
}
