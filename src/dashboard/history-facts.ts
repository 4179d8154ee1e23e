// What a card needs from a session's history: its last change of status, and whether a command ended it. Read again only
// when the file has changed.
import { statSync } from 'node:fs'
import type { SessionEvent } from '../contract/events.ts'
import type { SessionStore } from '../store/session-store.ts'

export interface HistoryFacts {
  lastChange: Extract<SessionEvent, { type: 'status.changed' }> | null
  endedByCommand: boolean
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
  const endedByCommand = events
    .slice(lastStart + 1)
    .some((one) => one.type === 'operation.started' && (one.operation === 'kill' || one.operation === 'cleanup'))
  return { lastChange, endedByCommand }
}
