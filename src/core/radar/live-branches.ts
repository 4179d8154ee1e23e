// Which branches count as live: those that an agent works on, and those that wait to be merged. Pure.

import type { RadarBranch } from '../../contract/dashboard/radar.ts'
import type { Pull } from '../../contract/pull.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { isTerminalSession } from '../../contract/status.ts'
import { isOrchestratorSession, prNumber, summaryOf } from '../status/describe-session.ts'

export interface LiveBranch extends Pick<RadarBranch, 'id' | 'sessionId' | 'branch' | 'title' | 'pull' | 'ready'> {
  /** Where it is worked on; null: only the branch counts. */
  directory: string | null
  /** When somebody last worked there, as far as is known: what is later than the last reading is read again. */
  activeAt: number
  /** Branches that it shares files with on purpose: other tries of its task, and the work that it stands on. */
  apart?: readonly string[]
}

const LONGEST_TITLE = 200

/** `pulls`: all that are open; those that no session works on are branches too. */
export function liveBranches(sessions: readonly Session[], pulls: readonly Pull[], now: number): LiveBranch[] {
  const byId = new Map(sessions.map((session) => [session.id, session]))
  const byTask = Map.groupBy(sessions, (session) => recordOf(session).task?.id)
  const ofSessions = sessions.flatMap((session) => {
    const branch = liveBranch(session, now)
    return branch === null ? [] : [{ ...branch, apart: apartFrom(session, byId, byTask) }]
  })
  const taken = new Set(ofSessions.map(({ branch }) => branch))
  const lone = pulls.filter(({ pr }) => !taken.has(pr.branch ?? '')).map(toBranch)
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

function apartFrom(
  session: Session,
  byId: ReadonlyMap<string, Session>,
  byTask: ReadonlyMap<string | undefined, readonly Session[]>,
): string[] {
  const { task } = recordOf(session)
  const rivals = task?.kind === 'best' ? (byTask.get(task.id) ?? []) : []
  const below: string[] = []
  for (let one: Session | undefined = session; one !== undefined; ) {
    const on: string | null = recordOf(one).stack?.on ?? null
    if (on === null || below.includes(on)) break
    below.push(on)
    one = byId.get(on)
  }
  return [...below, ...rivals.filter((one) => one !== session).map(({ id }) => id)]
}

function toBranch({ pr, review, ci }: Pull): LiveBranch {
  const { number, branch = '', title = '' } = pr
  return {
    id: `#${number}`,
    sessionId: null,
    branch,
    title: title.slice(0, LONGEST_TITLE),
    pull: number,
    ready: !pr.isDraft && (ci === 'passing' || ci === 'none') && review === 'approved',
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
