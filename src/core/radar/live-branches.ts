// Which branches count as live: those that an agent works on, and those that wait to be merged. Pure.
import type { RadarBranch } from '../../contract/radar.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { isTerminalSession } from '../../contract/status.ts'
import { isOrchestratorSession, prNumber, summaryOf } from '../status/describe-session.ts'

export interface LiveBranch extends Pick<RadarBranch, 'id' | 'sessionId' | 'branch' | 'title' | 'pull' | 'ready'> {
  /** Where it is worked on; null: only the branch counts. */
  directory: string | null
  /** Changes whenever somebody may have worked there since: then its uncommitted work is read again. */
  activity: string
}

/** An open pull request that no session works on. */
export interface LonePull {
  number: number
  head: string
  title: string
  ready: boolean
}

const LONGEST_TITLE = 200

export function liveBranches(sessions: readonly Session[], pulls: readonly LonePull[] = []): LiveBranch[] {
  const ofSessions = sessions.flatMap((session) => liveBranch(session) ?? [])
  const taken = new Set(ofSessions.map(({ branch }) => branch))
  const lone = pulls.filter(({ head }) => !taken.has(head)).map(toBranch)
  return [...ofSessions, ...lone]
}

function liveBranch(session: Session): LiveBranch | null {
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
    activity: `${record.launch ?? 1} ${timeOf(session.lastActivityAt)}`,
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
    activity: '',
  }
}

/** A hand-edited date may be invalid. */
function timeOf(date: Date): string {
  return String(date.getTime())
}
