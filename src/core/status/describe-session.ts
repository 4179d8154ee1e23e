// What a session's own records say about it, for lists of sessions.

import { isOrchestratorId, pullNumber } from '../../contract/ids.ts'
import { recordOf } from '../../contract/record.ts'
import type { Role } from '../../contract/record-values.ts'
import type { Session } from '../../contract/session.ts'
import { waitsFor } from '../task/read-blockers.ts'

export function roleOf(session: Pick<Session, 'id' | 'metadata'>): Role {
  return isOrchestratorSession(session) ? 'orchestrator' : (recordOf(session).role ?? 'worker')
}

export function isOrchestratorSession(session: Pick<Session, 'id' | 'metadata'>): boolean {
  return recordOf(session).role === 'orchestrator' || isOrchestratorId(session.id)
}

/**
 * What the agent itself says it is doing; else what was recorded; else the task as the user gave it: the prompt that agents
 * show begins with ao's general instructions.
 */
export function summaryOf(session: Session): string | null {
  const { agentInfo } = session
  const waits = waitsFor(session)
  if (waits !== null) return waits
  const { summary, userPrompt, issueTitle } = recordOf(session)
  if (agentInfo?.summary && !agentInfo.summaryIsFallback) return agentInfo.summary
  return summary ?? firstLine(userPrompt) ?? issueTitle ?? agentInfo?.summary ?? null
}

/**
 * What a person calls it, which never changes by itself: the name they gave it, its issue, or the task as they wrote it. Not
 * what the agent says about itself: that is `summaryOf`.
 */
export function titleOf(session: Pick<Session, 'id' | 'metadata' | 'agentInfo'>): string {
  const { pinnedSummary, issueTitle, userPrompt } = recordOf(session)
  const { summary, summaryIsFallback } = session.agentInfo ?? {}
  const firstPrompt = summaryIsFallback ? summary : undefined
  return (pinnedSummary ?? issueTitle ?? firstLine(userPrompt) ?? (firstPrompt || session.id)).slice(0, LONGEST_TITLE)
}

const LONGEST_TITLE = 300

function firstLine(text: string | undefined): string | undefined {
  return text?.trim().split('\n')[0] || undefined
}

export function prNumber(session: Session): number | null {
  return session.pr && (session.pr.number ?? pullNumber(session.pr.url))
}
