// What the same day would have been: decisions beside those that were recorded, and what both come to.
import type { RecordedDecision } from '../core/recording/cassette.ts'

export interface Difference {
  session: string
  at: number
  /** null: it is about the status, or about a start. */
  recorded: RecordedDecision[] | null
  replayed: RecordedDecision[] | null
  what: string
  /** Its agent would have got something else, so that the rest of its day is unknown. */
  isUnknown: boolean
}

export interface DayCounts {
  messages: Record<string, number>
  notifications: Record<string, number>
  merges: number
  restarts: number
  starts: number
  paused: number
  costUsd: number
}

export interface Replay {
  project: string
  from: number
  to: number
  rounds: number
  sessions: number
  /** It was recorded with exactly these settings. */
  isSameSettings: boolean
  /** The zone of this machine is another one: days of budgets begin at another moment. */
  isOtherZone: boolean
  recorded: DayCounts
  /** Up to where each session is known. */
  replayed: DayCounts
  /** Of what was recorded, in those parts that are unknown now. */
  unknown: DayCounts
  /** The first of each session. */
  differences: Difference[]
  /** Issues that waited in the backlog and would have been started sooner: at most at one moment. */
  soonerStarts: number
}

/** What the comparison remembers from one round to the next. */
export interface Compared {
  now: number
  /** Where the replay no longer follows. */
  unknown: Set<string>
  differs: Set<string>
}

/** What an agent or the forge notices; the rest is for people. */
const REACHES = new Set(['send-to-agent', 'restart-agent', 'auto-merge', 'pause', 'stop', 'switch-account', 'review'])

export function compare(
  day: Compared,
  result: Replay,
  { session, recorded, replayed }: { session: string; recorded: RecordedDecision[]; replayed: RecordedDecision[] },
): void {
  const reaching = (all: RecordedDecision[]) =>
    JSON.stringify(all.flatMap(([key, action]) => (REACHES.has(action) ? [`${key} ${action}`] : [])).sort())
  const isUnknown = reaching(recorded) !== reaching(replayed)
  count(result.replayed, replayed)
  if (JSON.stringify(recorded) === JSON.stringify(replayed)) return
  differ(day, result, { session, recorded, replayed, isUnknown, what: describeChange(recorded, replayed) })
}

export function differ(
  day: Compared,
  result: Replay,
  one: Pick<Difference, 'session' | 'what'> & Partial<Difference>,
): void {
  const { session, isUnknown = false } = one
  const isFirst = isNew(day.differs, session)
  if (isUnknown) day.unknown.add(session)
  const before = result.differences.find((other) => other.session === session)
  if (before && isUnknown && !before.isUnknown)
    Object.assign(before, { isUnknown, what: `${before.what}; later ${one.what}` })
  if (isFirst) result.differences.push({ at: day.now, recorded: null, replayed: null, isUnknown, ...one })
}

function describeChange(recorded: RecordedDecision[], replayed: RecordedDecision[]): string {
  const list = (all: RecordedDecision[]) =>
    all
      .map(([key, action, attempt]) => `${key.split(' ')[0]} → ${action}${attempt > 1 ? ` (${attempt})` : ''}`)
      .join(', ')
  return `${list(replayed) || 'nothing'}, and was ${list(recorded) || 'nothing'}`
}

export function count(counts: DayCounts, decisions: readonly RecordedDecision[]): void {
  for (const [memoryKey, action] of decisions) {
    const key = memoryKey.split(' ')[0]!
    if (action === 'send-to-agent') add(counts.messages, key)
    if (['notify', 'escalate', 'pause', 'stop', 'switch-account'].includes(action)) add(counts.notifications, key)
    if (action === 'auto-merge') counts.merges += 1
    if (action === 'restart-agent' || action === 'switch-account') counts.restarts += 1
    if (action === 'pause' || action === 'stop') counts.paused += 1
  }
}

export function noCounts(): DayCounts {
  return { messages: {}, notifications: {}, merges: 0, restarts: 0, starts: 0, paused: 0, costUsd: 0 }
}

export function add(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1
}

export function isNew(set: Set<string>, key: string): boolean {
  if (set.has(key)) return false
  set.add(key)
  return true
}
