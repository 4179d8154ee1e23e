// Session ids: taken exclusively, complete from the first moment, and never reused.

import { existsSync, rmSync } from 'node:fs'
import type { OtherEvent } from '../../contract/events.ts'
import { isOrchestratorId, sessionNumber } from '../../contract/ids.ts'
import type { RecordChange } from '../../contract/record.ts'
import { createFileExclusive, syncPath } from '../../lib/atomic-write.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { scratchFile } from '../../lib/lock.ts'
import type { ProjectPaths } from '../paths.ts'
import type { StoreContext } from '../store-context.ts'
import { listArchived } from './archive-files.ts'
import { appendHistory } from './history.ts'
import { formatMetadata } from './metadata-codec.ts'
import { listFiles, listSessionIds } from './session-file.ts'
import { lockSession } from './session-lock.ts'
import { mergeRecord } from './update-session.ts'

/** false: this id is or was in use. The event comes first, so that a crash in between still burns the id. */
export function reserveSession(
  context: StoreContext,
  sessionId: string,
  record: RecordChange,
  event: OtherEvent,
): Promise<boolean> {
  const { paths } = context
  const step = mergeRecord(context, {}, record, () => ({ events: [event], why: [] }))
  const text = formatMetadata(step.pairs)
  return lockSession(context, sessionId, () => {
    if (existsSync(paths.sessionFile(sessionId))) return false
    // There is one orchestrator, whose id is its role: a new one continues the history of the last.
    if (!isOrchestratorId(sessionId) && wasUsed(paths, sessionId)) return false
    appendHistory(context, sessionId, step.events)
    failpoint('store.reserve-recorded')
    return createFileExclusive(paths.sessionFile(sessionId), text, {
      temporary: scratchFile(paths.lockFile(sessionId)),
    })
  })
}

/** One more than the highest number that an active, archived or removed session ever had. */
export function nextNumber(paths: ProjectPaths, prefix: string): number {
  const used = [
    ...listSessionIds(paths),
    ...listArchived(paths).map((archived) => archived.id),
    ...listFiles(paths.history).map((name) => name.replace(/\.jsonl$/, '')),
  ]
  return used.reduce((highest, id) => Math.max(highest, sessionNumber(id, prefix) ?? 0), 0) + 1
}

/** The id stays used: its history is still there. */
export function removeSession(context: StoreContext, sessionId: string): Promise<void> {
  const { paths } = context
  return lockSession(context, sessionId, () => {
    rmSync(paths.sessionFile(sessionId), { force: true })
    syncPath(paths.sessions)
  })
}

/** Also by files that an interrupted import left: they would become part of another session. */
function wasUsed(paths: ProjectPaths, sessionId: string): boolean {
  return (
    existsSync(paths.historyFile(sessionId)) ||
    existsSync(paths.stateDir(sessionId)) ||
    listArchived(paths).some((archived) => archived.id === sessionId)
  )
}
