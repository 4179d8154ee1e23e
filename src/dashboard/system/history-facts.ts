// What the board needs from a session's history: its last change of status, whether a command ended it, and whether its
// record was damaged. Read again only when the file has changed.
import { statSync } from 'node:fs'
import type { SessionEvent } from '../../contract/events.ts'
import type { ProjectPaths } from '../../store/paths.ts'
import { scanBackwards, scanHistory } from '../../store/session/history.ts'
import type { SessionStore } from '../../store/session/session-store.ts'

export interface HistoryFacts {
  lastChange: Extract<SessionEvent, { type: 'status.changed' }> | null
  endedByCommand: boolean
  /** Since its last start. */
  damage: Extract<SessionEvent, { type: 'metadata.damaged' }> | null
}

export interface HistoryMemory {
  read(store: SessionStore, sessionId: string): HistoryFacts
  forget(sessionId: string): void
}

export function createHistoryMemory(): HistoryMemory {
  const cached = new Map<string, CachedFacts>()
  return {
    read(store, sessionId) {
      const stat = statSync(store.paths.historyFile(sessionId), { throwIfNoEntry: false })
      const stamp = stat ? `${stat.size} ${stat.mtimeMs}` : ''
      const before = cached.get(sessionId)
      if (before?.stamp === stamp) return before.facts
      // Only what is new is read. A file that has become shorter is a different one.
      const isLonger = before !== undefined && stat !== undefined && stat.size >= before.readTo
      const now: CachedFacts = isLonger ? { ...before, stamp } : { stamp, readTo: 0, facts: NOTHING }
      now.readTo = scanHistory(store.paths, sessionId, { from: now.readTo, types: TYPES }, (event) => {
        now.facts = withEvent(now.facts, event)
      })
      cached.set(sessionId, now)
      return now.facts
    },
    forget: (sessionId) => cached.delete(sessionId),
  }
}

const ENDS: ReadonlySet<string> = new Set(['runtime.started', 'operation.started'])

/** `endedByCommand` alone, from the end of its history: for thousands of sessions at once. */
export function wasEndedByCommand(paths: ProjectPaths, sessionId: string): boolean {
  let isEnded = false
  scanBackwards(paths, sessionId, ENDS, (event) => {
    isEnded = endsSession(event)
    return isEnded || event.type === 'runtime.started' ? 'enough' : 'more'
  })
  return isEnded
}

function endsSession(event: SessionEvent): boolean {
  return event.type === 'operation.started' && (event.operation === 'kill' || event.operation === 'cleanup')
}

interface CachedFacts {
  stamp: string
  readTo: number
  facts: HistoryFacts
}

const NOTHING: HistoryFacts = { lastChange: null, endedByCommand: false, damage: null }
const TYPES: ReadonlySet<string> = new Set([
  'status.changed',
  'runtime.started',
  'operation.started',
  'metadata.damaged',
])

function withEvent(facts: HistoryFacts, event: SessionEvent): HistoryFacts {
  if (event.type === 'status.changed') return { ...facts, lastChange: event }
  if (event.type === 'runtime.started') return { ...facts, endedByCommand: false, damage: null }
  if (event.type === 'metadata.damaged') return { ...facts, damage: event }
  return endsSession(event) ? { ...facts, endedByCommand: true } : facts
}
