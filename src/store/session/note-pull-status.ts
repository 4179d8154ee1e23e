// Records what happened to a pull request in its session's record: the same facts the wrappers write.
import { STARTED } from '../../core/status/status-of-record.ts'
import type { SessionStore } from './session-store.ts'

export interface PullNote {
  sessionId: string
  url: string
  status: 'pr_open' | 'merged'
}

export async function notePullStatus(store: Pick<SessionStore, 'read' | 'update'>, note: PullNote): Promise<void> {
  const record = store.read(note.sessionId)?.record
  if (record === undefined) return
  const owns = record.pr === note.url
  // Already known, or somebody else's: the status may have moved on since and must not be reset.
  if (note.status === 'pr_open' ? owns : !owns && record.pr !== undefined) return
  const evidence = [`${note.url} was ${note.status === 'merged' ? 'merged' : 'opened'}`]
  const facts = note.status === 'merged' ? { endedAs: 'merged' as const } : STARTED
  await store.update(note.sessionId, { pr: note.url, ...facts }, [], evidence)
}
