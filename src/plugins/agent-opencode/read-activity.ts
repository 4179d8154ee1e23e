// What OpenCode is doing: its database tells the turn, its log a question; what neither tells is left to the screen.
import type { Session } from '../../contract/session.ts'
import type { Log } from '../../lib/log.ts'
import type { ActivityReading, ReadOptions } from '../../slots/agent.ts'
import { activityFromAge } from '../agent-files/age-activity.ts'
import { type LaunchNote, sinceLaunch } from '../agent-files/launch-note.ts'
import { readTextTail } from '../agent-files/read-text.ts'
import { readScreenLog } from '../agent-files/screen/screen-log.ts'
import type { TurnEvent } from '../agent-files/turn-event.ts'
import { findSessionId } from './find-session.ts'
import { lookInto } from './open-database.ts'
import { opencodeFiles } from './opencode-paths.ts'
import { lastAsking } from './permission-log.ts'
import { type OpencodeTurn, readTurn } from './read-turn.ts'

const LOG_TAIL_BYTES = 256 * 1024

export interface OpencodePlace {
  dataDir: string
  note: LaunchNote | null
  log: Log
}

export async function readActivity(
  session: Session,
  options: ReadOptions,
  place: OpencodePlace,
): Promise<ActivityReading | null> {
  const found = await lookInto(opencodeFiles.database(place.dataDir), place.log, (database) => {
    const id = findSessionId(database, session)
    const turn = id === null ? null : readTurn(database, id)
    return id === null || turn === null ? null : { id, turn }
  })
  const event = sinceLaunch(found?.turn.event ?? null, place.note)
  if (!found || !event) return readScreenLog(session, options, place.note?.launchedAt)
  // Records from before this launch are told as its beginning; then no tool of them runs any more.
  const isCurrent = event === found.turn.event
  const waiting = isCurrent ? await findQuestion(found.turn, found.id, place.dataDir) : null
  const { kind, at, evidence } = waiting ?? event
  if (kind === 'exited') return { state: 'exited', timestamp: at, evidence }
  return { state: activityFromAge({ kind, at, ...options }), timestamp: at, evidence }
}

async function findQuestion(turn: OpencodeTurn, sessionId: string, dataDir: string): Promise<TurnEvent | null> {
  if (turn.running.length === 0) return null
  const question = turn.running.find(({ tool }) => tool === 'question')
  if (question) {
    return { kind: 'waiting', at: new Date(question.updatedAt), evidence: 'opencode: it asks a question' }
  }
  const tail = await readTextTail(opencodeFiles.log(dataDir), LOG_TAIL_BYTES)
  const asking = tail && lastAsking(tail.text, sessionId)
  if (!asking) return null
  // A tool that was allowed to run has changed since it was asked about.
  const waits = turn.running.some(({ updatedAt }) => updatedAt <= asking.at)
  if (!waits) return null
  return {
    kind: 'waiting',
    at: new Date(asking.at),
    evidence: `opencode: it asks for permission (${asking.permission})`,
  }
}
