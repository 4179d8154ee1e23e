// Ended sessions as they were last shown, for a process that stays: nothing about them changes while their record does not,
// except what people do by hand. Their workspace is checked each time, by the times of the directory it is in; the agent's
// files and the runtime are read again every few minutes.
import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { TERMINAL_STATUSES } from '../../contract/status.ts'
import type { ObservedSession } from './observe-sessions.ts'

export interface EndedSessions {
  /** As it would be shown now; null: it has to be observed. */
  recall(stored: Session): Session | null
  /** From here on it is recalled, if it has ended and everything about it could be read. */
  keep(observed: ObservedSession, shown: Session, now: number): void
}

interface Kept {
  shown: Session
  until: number
  parent: string | null
  stamp: string
}

/** Keyed by the stored session: another record is another object. */
const cached = new WeakMap<Session, Kept>()

/** What an agent writes in its last moments, and what a place sends home after them, has arrived by then. */
const SETTLED_MS = 60_000
/** Spread, so that thousands are not read again at once. */
const KEPT_MS = 5 * 60_000

/** For one list: each directory is asked once. */
export function openEndedSessions(): EndedSessions {
  const stamps = new Map<string, string>()
  const stampOf = (directory: string): string => {
    let stamp = stamps.get(directory)
    if (stamp === undefined) {
      stamp = readStamp(directory)
      stamps.set(directory, stamp)
    }
    return stamp
  }
  return {
    recall(stored) {
      const kept = cached.get(stored)
      if (kept === undefined || performance.now() > kept.until) return null
      if (kept.parent === null) return kept.shown
      const stamp = stampOf(kept.parent)
      if (stamp !== kept.stamp || stamp === UNSETTLED) {
        kept.stamp = stamp
        const workspacePath = existsSync(stored.workspacePath!) ? stored.workspacePath : null
        if (workspacePath !== kept.shown.workspacePath) kept.shown = { ...kept.shown, workspacePath }
      }
      return kept.shown
    },
    keep(observed, shown, now) {
      const stored = observed.session
      if (!isOver(observed, shown, now)) return
      const parent = stored.workspacePath === null ? null : dirname(stored.workspacePath)
      const until = performance.now() + KEPT_MS * (1 + Math.random())
      // The workspace was checked before the directory's times are taken, so it is checked once more.
      cached.set(stored, { shown, until, parent, stamp: UNSETTLED })
    },
  }
}

function isOver({ session, facts, liveness, isComplete }: ObservedSession, shown: Session, now: number): boolean {
  if (!isComplete || facts.operation !== null || !TERMINAL_STATUSES.has(facts.stored)) return false
  if (shown.activity !== 'exited') return false
  const isGone = session.runtimeHandle === null || liveness?.state === 'dead'
  const { statusSince } = recordOf(session)
  const moments = [statusSince, session.createdAt, session.restoredAt, shown.lastActivityAt]
  return isGone && moments.every((one) => one === undefined || now - one.getTime() > SETTLED_MS)
}

/** A directory that changed just now may change again within the same tick of its clock. */
const UNSETTLED = 'unsettled'
const TICK_MS = 100

function readStamp(directory: string): string {
  const stats = statSync(directory, { throwIfNoEntry: false })
  if (stats === undefined) return ''
  const { ino, mtimeMs, ctimeMs } = stats
  return Date.now() - mtimeMs > TICK_MS ? `${ino} ${mtimeMs} ${ctimeMs}` : UNSETTLED
}
