// The activity behind the newest turn in an agent's records, with the screen as witness where the records cannot say whether
// the agent asks something.
import type { Session } from '../../../contract/session.ts'
import type { ActivityReading, ReadOptions } from '../../../slots/agent.ts'
import { activityFromAge, turnEnd } from '../age-activity.ts'
import { type LaunchNote, sinceLaunch } from '../launch-note.ts'
import type { RecordedTurn } from '../turn-event.ts'
import { readScreenLog } from './screen-log.ts'

export function activityOfTurn(
  newest: RecordedTurn | null,
  note: LaunchNote | null,
  { session, options }: { session: Session; options: ReadOptions },
): ActivityReading | null {
  const event = sinceLaunch(newest, note)
  if (!event) return readScreenLog(session, options, note?.launchedAt)
  const { kind, at, evidence } = event
  if (kind === 'exited') return { state: 'exited', timestamp: at, evidence }
  const state = activityFromAge({ kind, at, ...options })
  const reading: ActivityReading = { state, timestamp: at, evidence, ...turnEnd(kind) }
  if (event !== newest || !newest.mayWait) return reading
  const seen = readScreenLog(session, options, at)
  if (seen?.state === 'waiting_input') return seen
  // The records show only a tool: unless it takes too long, the screen is the better witness.
  return kind === 'working' && reading.state === 'active' && session.runtimeHandle ? seen : reading
}
