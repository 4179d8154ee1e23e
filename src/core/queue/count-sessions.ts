// Sessions in numbers, from their records alone: for metrics, which must not open a file per session. Pure.
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { spentOf } from '../status/spent.ts'
import { isCalling, needOfRecord } from './find-need.ts'

export interface SessionCounts {
  byStatus: Array<{ agent: string; status: string; sessions: number }>
  /** Those that wait for a person, as far as their records say. */
  byNeed: Array<{ kind: string; sessions: number }>
  spent: Array<{ agent: string; tokens: number; costUsd: number }>
}

export function countSessions(sessions: readonly Session[], now: number): SessionCounts {
  const byStatus = new Map<string, SessionCounts['byStatus'][number]>()
  const byNeed = new Map<string, SessionCounts['byNeed'][number]>()
  const spent = new Map<string, SessionCounts['spent'][number]>()
  for (const session of sessions) {
    const { status } = session
    const agent = recordOf(session).agent ?? 'unknown'
    entry(byStatus, `${agent} ${status}`, { agent, status, sessions: 0 }).sessions += 1
    const kind = callingNeed(session, now)
    if (kind !== null) entry(byNeed, kind, { kind, sessions: 0 }).sessions += 1
    const used = spentOf(session)
    if (!used) continue
    const sum = entry(spent, agent, { agent, tokens: 0, costUsd: 0 })
    sum.tokens += used.tokens
    sum.costUsd += used.costUsd ?? 0
  }
  return { byStatus: [...byStatus.values()], byNeed: [...byNeed.values()], spent: [...spent.values()] }
}

function entry<T>(map: Map<string, T>, key: string, fresh: T): T {
  const count = map.get(key) ?? fresh
  map.set(key, count)
  return count
}

/** A permission counts as a question, an ended session by its status. */
function callingNeed(session: Session, now: number): string | null {
  const { activity, snoozedUntil, snoozedNeed } = recordOf(session)
  const need = needOfRecord({ ...session, activity: activity ?? null }, new Date(now))
  if (need === null || !isCalling(need.kind)) return null
  const isAsleep = snoozedNeed === need.kind && (snoozedUntil?.getTime() ?? 0) > now
  return isAsleep ? null : need.kind
}
