// What a person should see first: groups of sessions, and the colour of a status.
import type { Session } from '../../contract/session.ts'
import { type SessionStatus, TERMINAL_STATUSES } from '../../contract/status.ts'
import { isCalling, needOfRecord } from '../../core/queue/find-need.ts'
import { shownStatus, statusName } from '../../core/queue/shown-status.ts'
import { hasLeftTrain } from '../../core/status/recorded-facts.ts'
import { waitsFor } from '../../core/task/read-blockers.ts'
import type { Paint } from './style.ts'

export const ATTENTION_GROUPS = [
  'Needs you',
  'Ready to merge',
  'Left the train',
  'Pull requests',
  'Working',
  'Waiting',
  'Ended',
] as const
export type AttentionGroup = (typeof ATTENTION_GROUPS)[number]

interface Attention {
  group: AttentionGroup
  /** Within its group: lower is first. */
  rank: number
  paint: Paint | null
}

const ATTENTION: Record<SessionStatus, Attention> = {
  needs_input: { group: 'Needs you', rank: 0, paint: 'yellow' },
  stuck: { group: 'Needs you', rank: 1, paint: 'red' },
  errored: { group: 'Needs you', rank: 2, paint: 'red' },
  mergeable: { group: 'Ready to merge', rank: 0, paint: 'green' },
  approved: { group: 'Pull requests', rank: 0, paint: 'green' },
  ci_failed: { group: 'Pull requests', rank: 1, paint: 'red' },
  changes_requested: { group: 'Pull requests', rank: 2, paint: 'yellow' },
  review_pending: { group: 'Pull requests', rank: 3, paint: 'blue' },
  pr_open: { group: 'Pull requests', rank: 4, paint: 'blue' },
  working: { group: 'Working', rank: 0, paint: 'cyan' },
  spawning: { group: 'Working', rank: 1, paint: 'cyan' },
  cleanup: { group: 'Ended', rank: 0, paint: 'dim' },
  killed: { group: 'Ended', rank: 1, paint: 'dim' },
  terminated: { group: 'Ended', rank: 2, paint: 'dim' },
  done: { group: 'Ended', rank: 3, paint: 'dim' },
  merged: { group: 'Ended', rank: 4, paint: 'dim' },
}

export function needsPerson(session: Session): boolean {
  return attentionGroup(session) === 'Needs you'
}

/** The same need that the board and the queue follow decides, as far as the session itself shows it. */
export function attentionGroup(session: Session, now = new Date(), need = needOfRecord(session, now)): AttentionGroup {
  if (need !== null && isCalling(need.kind)) return 'Needs you'
  if (hasLeftTrain(session)) return 'Left the train'
  if (waitsFor(session) !== null) return 'Waiting'
  const { group } = ATTENTION[session.status]
  if (group !== 'Needs you') return group
  // A coordinator is stuck without needing anybody; an end with a closed pull request leaves nothing to decide.
  return TERMINAL_STATUSES.has(session.status) ? 'Ended' : 'Working'
}

/** For people; programs read `status`. */
export function statusWord(session: Session, now = new Date(), need = needOfRecord(session, now)): string {
  const { status, agentInfo } = session
  const isWaiting = waitsFor(session) !== null
  return statusName(shownStatus({ status, need, isWaiting, isPaused: Boolean(agentInfo?.paused) }))
}

/** Sorts a group: by urgency, then the longest waiting first. */
export function byUrgency(a: Session, b: Session): number {
  return ATTENTION[a.status].rank - ATTENTION[b.status].rank || a.lastActivityAt.getTime() - b.lastActivityAt.getTime()
}

/** A working agent that needs someone is shown as needing someone, not as working. `now`: the group that it is in. */
export function statusPaint(session: Session, now = attentionGroup(session)): Paint | null {
  const { group, paint } = ATTENTION[session.status]
  if (now === 'Waiting') return 'dim'
  return now === 'Needs you' && group !== 'Needs you' ? 'yellow' : paint
}
