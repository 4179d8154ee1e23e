// What a session's record says about its pull request and its turn: the last word of the forge, until it says another.
import type { PrFacts, SessionRecord } from '../../contract/record.ts'
import type { SessionStatus } from '../../contract/status.ts'

/** Facts of an earlier pull request never pass for those of a new one. */
export function recordedPrFacts({ pr, prFacts }: SessionRecord): PrFacts | null {
  if (!prFacts || prFacts.url !== pr) return null
  const { url: _, ...facts } = prFacts
  return facts
}

/** Did the forge itself say that it is merged? The status alone may be the agent's word. */
export function isMergeConfirmed(record: SessionRecord): boolean {
  return record.status === 'merged' && (!record.pr || recordedPrFacts(record)?.state === 'merged')
}

/** Statuses that a verdict of others put the agent into: its turn began when the status did. */
const ANSWERING: ReadonlySet<SessionStatus | undefined> = new Set<SessionStatus>([
  'working',
  'ci_failed',
  'changes_requested',
])

export function recordedTurn({ lastMessageAt, status, statusSince }: SessionRecord): number | null {
  const times = [lastMessageAt, ANSWERING.has(status) ? statusSince : undefined].flatMap(
    (date) => date?.getTime() ?? [],
  )
  return times.length === 0 ? null : Math.max(...times)
}
