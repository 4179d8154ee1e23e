// What a session's own records say about it, for lists of sessions.
import { isOrchestratorId } from '../contract/ids.ts'
import type { Session } from '../contract/session.ts'

export function isOrchestratorSession(session: Pick<Session, 'id' | 'metadata'>): boolean {
  return session.metadata.role === 'orchestrator' || isOrchestratorId(session.id)
}

/** What the agent itself says it does; else what was recorded; else the first line of the task. */
export function summaryOf(session: Session): string | null {
  const { agentInfo, metadata } = session
  if (agentInfo?.summary && !agentInfo.summaryIsFallback) return agentInfo.summary
  return metadata.summary ?? agentInfo?.summary ?? metadata.userPrompt ?? null
}

export function prNumber(session: Session): number | null {
  if (!session.pr) return null
  const last = /\/(\d+)\/?$/.exec(session.pr.url)
  return session.pr.number ?? (last ? Number(last[1]) : null)
}
