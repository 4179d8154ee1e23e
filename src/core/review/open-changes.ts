// Which sessions have something to review or to land, from their statuses. Pure.
import { isWaiting } from '../../contract/blocker.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import type { SessionStatus } from '../../contract/status.ts'
import { roleOf } from '../status/describe-session.ts'
import type { OpenChange } from './review-capacity.ts'

/** Of a pull request; without one, work is coming. What is stuck, asks or has ended comes whenever somebody sees to it. */
const STATES: Partial<Record<SessionStatus, OpenChange['state']>> = {
  spawning: 'coming',
  working: 'coming',
  pr_open: 'mended',
  ci_failed: 'mended',
  changes_requested: 'mended',
  review_pending: 'review',
  approved: 'landing',
  mergeable: 'landing',
}

export function openChanges(sessions: readonly Session[]): OpenChange[] {
  return sessions.flatMap((session): OpenChange[] => {
    const state = STATES[session.status]
    if (state === undefined || roleOf(session) !== 'worker' || isWaiting(recordOf(session))) return []
    const { pr, createdAt } = session
    const { statusSince = createdAt } = recordOf(session)
    if (pr === null) return [{ state: 'coming', since: createdAt.getTime() }]
    return [{ state: state === 'coming' ? 'mended' : state, since: statusSince.getTime() }]
  })
}
