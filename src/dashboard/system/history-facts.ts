// What the board needs from a session's history: its last change of status, whether a command ended it, and whether its
// record was damaged. Read again only when the file has changed.
import { statSync } from 'node:fs'
import type { SessionEvent } from '../../contract/events.ts'
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
  const known = new Map<string, { stamp: string; facts: HistoryFacts }>()
  return {
    read(store, sessionId) {
      const stat = statSync(store.paths.historyFile(sessionId), { throwIfNoEntry: false })
      const stamp = stat ? `${stat.size} ${stat.mtimeMs}` : ''
      const before = known.get(sessionId)
      if (before?.stamp === stamp) return before.facts
      const facts = historyFacts(store.readHistory(sessionId).events)
      known.set(sessionId, { stamp, facts })
      return facts
    },
    forget: (sessionId) => known.delete(sessionId),
  }
}

function historyFacts(events: SessionEvent[]): HistoryFacts {
  const lastChange = events.findLast((one) => one.type === 'status.changed') ?? null
  const lastStart = events.findLastIndex((one) => one.type === 'runtime.started')
  const sinceStart = events.slice(lastStart + 1)
  const endedByCommand = sinceStart.some(
    (one) => one.type === 'operation.started' && (one.operation === 'kill' || one.operation === 'cleanup'),
  )
  const damage = sinceStart.findLast((one) => one.type === 'metadata.damaged') ?? null
  return { lastChange, endedByCommand, damage }
}
