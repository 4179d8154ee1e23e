// What happened to a pull request, in the record of the session that owns it: the same facts the wrappers write.
import type { SessionStatus } from '../../contract/status.ts'
import type { SessionStore } from './session-store.ts'

export interface PullNote {
  sessionId: string
  url: string
  status: SessionStatus
}

export async function notePullStatus(store: SessionStore, note: PullNote): Promise<void> {
  const record = store.read(note.sessionId)?.record
  if (record === undefined) return
  const owns = record.pr === note.url
  // Known already, or somebody else's: the status may have moved on since and must not be set back.
  if (note.status === 'pr_open' ? owns : !owns && record.pr !== undefined) return
  const evidence = [`${note.url} was ${note.status === 'merged' ? 'merged' : 'opened'}`]
  await store.update(note.sessionId, { pr: note.url, status: note.status }, [
    { type: 'status.changed', from: record.status ?? null, to: note.status, evidence },
  ])
}
