// A session that was exported elsewhere becomes an archived one here: its history first, its record last. Whoever asks wrote down
// before that it would, and removes what a crash in between leaves.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionEvent, SessionEventBody } from '../../contract/events.ts'
import type { RecordChange } from '../../contract/record.ts'
import { formatPairs } from '../../core/text/key-value.ts'
import { createFileExclusive } from '../../lib/atomic-write.ts'
import { failpoint } from '../../lib/failpoint.ts'
import type { StoreContext } from '../store-context.ts'
import { freeArchiveName } from './archive-session.ts'
import { listArchived } from './session-file.ts'
import { lockSession, mergeRecord } from './update-session.ts'

export interface AdoptedSession {
  record: RecordChange
  /** What happened before, in order; numbered anew. */
  history: readonly SessionEvent[]
  event: SessionEventBody
}

/** false: this id is or was in use. */
export function adoptSession(
  context: StoreContext,
  sessionId: string,
  { record, history, event }: AdoptedSession,
): Promise<boolean> {
  const { paths, clock } = context
  return lockSession(context, sessionId, () => {
    if (exists(context, sessionId)) return false
    const { pairs } = mergeRecord(context, {}, record, () => ({ events: [], why: [] }))
    const file = freeArchiveName(paths, sessionId, clock.now())
    const at = clock.now().toISOString()
    const ours = [event, { type: 'session.archived' as const, file }].map((body) => ({ at, ...body }))
    const lines = [...history, ...ours].map(
      (one, index) => `${JSON.stringify({ ...one, seq: index + 1, sessionId })}\n`,
    )
    if (!createFileExclusive(paths.historyFile(sessionId), lines.join(''))) return false
    failpoint('import.history')
    return createFileExclusive(join(paths.archive, file), formatPairs(pairs))
  })
}

/** Also by files that something left without a record. */
export function isUsed(context: Pick<StoreContext, 'paths'>, sessionId: string): boolean {
  return exists(context, sessionId) || existsSync(context.paths.stateDir(sessionId))
}

function exists({ paths }: Pick<StoreContext, 'paths'>, sessionId: string): boolean {
  return (
    existsSync(paths.sessionFile(sessionId)) ||
    existsSync(paths.historyFile(sessionId)) ||
    listArchived(paths).some(({ id }) => id === sessionId)
  )
}
