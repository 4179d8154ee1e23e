// Which sessions cleanup takes, and why it leaves the others. Any one reason is enough; what cannot be verified stays.
import { isOrchestrator } from '../../contract/ids.ts'
import type { SessionStatus } from '../../contract/status.ts'

export interface CleanupFacts {
  sessionId: string
  role: string
  status: SessionStatus
  /** Another command is working on it. */
  busy: boolean
  /** Why its record cannot be read, fully or in part. */
  damaged?: string | undefined
}

/** `over`: a sufficient reason to clean up. */
export type CheckAnswer = { kind: 'over'; reason: string } | { kind: 'going_on' } | { kind: 'failed'; why: string }

export type CleanupVerdict = { action: 'remove' | 'skip'; reason: string }

const FINISHED: ReadonlySet<SessionStatus> = new Set(['merged', 'done', 'killed', 'terminated', 'errored', 'cleanup'])

/** The outcome that needs no checks; null: the checks decide. */
export function verdictFromRecord(facts: CleanupFacts): CleanupVerdict | null {
  if (isOrchestrator(facts.sessionId, facts.role))
    return { action: 'skip', reason: 'an orchestrator is never cleaned up' }
  if (facts.damaged) return { action: 'skip', reason: `its record is damaged: ${facts.damaged}` }
  if (facts.busy) return { action: 'skip', reason: 'another command works on it now' }
  if (FINISHED.has(facts.status)) return { action: 'remove', reason: `its status is ${facts.status}` }
  return null
}

/** One check's verdict; null: ask the next one. */
export function verdictFromCheck(answer: CheckAnswer): CleanupVerdict | null {
  if (answer.kind === 'over') return { action: 'remove', reason: answer.reason }
  if (answer.kind === 'failed') return { action: 'skip', reason: `it cannot be verified: ${answer.why}` }
  return null
}

export const STILL_RUNNING: CleanupVerdict = { action: 'skip', reason: 'it is still at work' }
