// Which branches count as live: those that an agent works on, and those that wait to be merged. Pure.
import type { RadarBranch } from '../../contract/radar.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { isTerminalSession } from '../../contract/status.ts'
import { isOrchestratorSession, prNumber, summaryOf } from '../status/describe-session.ts'

export interface LiveBranch extends Pick<RadarBranch, 'id' | 'sessionId' | 'branch' | 'title' | 'pull' | 'ready'> {
  /** Where it is worked on; null: only the branch counts. */
  directory: string | null
  /** When somebody last worked there, as far as is known: what is later than the last reading is read again. */
  activeAt: number
}

/** An open pull request that no session works on. */
export interface LonePull {
  number: number
  head: string
  title: string
  ready: boolean
}

const LONGEST_TITLE = 200

export function liveBranches(sessions: readonly Session[], pulls: readonly LonePull[], now: number): LiveBranch[] {
  const ofSessions = sessions.flatMap((session) => liveBranch(session, now) ?? [])
  const taken = new Set(ofSessions.map(({ branch }) => branch))
  const lone = pulls.filter(({ head }) => !taken.has(head)).map(toBranch)
  return [...ofSessions, ...lone]
}

function liveBranch(session: Session, now: number): LiveBranch | null {
  const { id, branch, workspacePath, status } = session
  const record = recordOf(session)
  if (branch === null || isOrchestratorSession(session) || record.operation === 'spawn') return null
  const hasEnded = isTerminalSession({ status, activity: null })
  if (hasEnded && (status === 'merged' || record.prState !== 'open')) return null
  return {
    id,
    sessionId: id,
    branch,
    title: (record.issueTitle || summaryOf(session) || id).slice(0, LONGEST_TITLE),
    pull: prNumber(session),
    ready: status === 'mergeable',
    directory: workspacePath,
    activeAt: activeAt(session, now),
  }
}

function toBranch({ number, head, title, ready }: LonePull): LiveBranch {
  const shown = title.slice(0, LONGEST_TITLE)
  return {
    id: `#${number}`,
    sessionId: null,
    branch: head,
    title: shown,
    pull: number,
    ready,
    directory: null,
    activeAt: 0,
  }
}

/** How often the work of an agent that is active now is read. */
const WHILE_ACTIVE_MS = 30_000

function activeAt(session: Session, now: number): number {
  const { status } = session
  const activity = session.activity ?? recordOf(session).activity ?? null
  // An agent without records of its own never says that it is idle.
  const isActive = !isTerminalSession({ status, activity: null }) && (activity === 'active' || activity === null)
  const last = session.lastActivityAt.getTime()
  return isActive ? Math.floor(now / WHILE_ACTIVE_MS) * WHILE_ACTIVE_MS : last || 0
}
