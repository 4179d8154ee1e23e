// The activity behind the newest turn in an agent's records, with the screen as witness where the records cannot say whether
// the agent asks something.
import type { Session } from '../../../contract/session.ts'
import type { ActivityReading, ReadOptions } from '../../../slots/agent.ts'
import { activityFromAge, turnEnd } from '../age-activity.ts'
import { type LaunchNote, sinceLaunch } from '../launch-note.ts'
import type { RecordedTurn } from '../turn-event.ts'
import { readScreenLog, shownSince } from './screen-log.ts'

/** A question comes soon after the record that it follows. */
const ASKS_WITHIN_MS = 10_000
/** Between an answer and its tool a screen shows nothing of either for a moment. */
const AT_REST_MS = 3_000
/** Two looks at a screen: one alone may come between two drawings. */
const SETTLED_MS = 200

export function activityOfTurn(
  newest: RecordedTurn | null,
  note: LaunchNote | null,
  { session, options }: { session: Session; options: ReadOptions },
): ActivityReading | null {
  const event = sinceLaunch(newest, note, options.now)
  if (!event) return readScreenLog(session, options, note?.launchedAt)
  const { kind, at, evidence } = event
  if (kind === 'exited') return { state: 'exited', timestamp: at, evidence }
  const state = activityFromAge({ kind, at, ...options })
  const reading: ActivityReading = { state, timestamp: at, evidence, ...turnEnd(kind) }
  if (event === newest && newest.isOnScreenFirst && state === 'active' && session.runtimeHandle) {
    return { ...(onScreen(at, { session, options }) ?? reading), watchScreen: true }
  }
  if (event !== newest || !newest.mayWait) return reading
  const seen = readScreenLog(session, options, at)
  if (seen?.state === 'waiting_input') return { ...seen, watchScreen: true }
  const isRecent = options.now.getTime() - at.getTime() < ASKS_WITHIN_MS
  if (kind !== 'working') return isRecent ? { ...reading, watchScreen: true } : reading
  // The records show only a tool: unless it takes too long, the screen is the better witness.
  if (reading.state !== 'active' || !session.runtimeHandle) return reading
  return { ...(seen && isBelieved(seen, options.now) ? seen : reading), watchScreen: true }
}

/** null: the screen shows nothing newer than the records. */
function onScreen(at: Date, { session, options }: { session: Session; options: ReadOptions }): ActivityReading | null {
  const seen = readScreenLog(session, options, at)
  if (seen?.state === 'waiting_input') return seen
  const shown = shownSince(session)
  if (shown?.state !== 'ready' || shown.since <= at) return null
  const isSettled = options.now.getTime() - shown.since.getTime() >= SETTLED_MS
  return isSettled ? { state: 'ready', timestamp: shown.since, evidence: 'its screen: ready' } : null
}

function isBelieved({ state, timestamp }: ActivityReading, now: Date): boolean {
  return state === 'active' || (timestamp !== undefined && now.getTime() - timestamp.getTime() >= AT_REST_MS)
}
