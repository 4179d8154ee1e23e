// Frees the disk of what a stopped session has on it: the beginning of its event log, and the files that went along with it. Only on
// request, and the log says what went.
import { join } from 'node:path'
import type { TrimReport } from '../../contract/agh/answers.ts'
import { ATTACHMENTS } from '../../contract/agh/attachment.ts'
import type { SessionMeta } from '../../contract/agh/session-meta.ts'
import { AoError } from '../../contract/errors.ts'
import { nowMs } from '../../lib/clock.ts'
import { sweepFiles } from '../../store/attachments.ts'
import { sessionDirectory } from '../paths.ts'
import { readDatabase } from '../store/database.ts'
import { historyFile } from '../store/meta-file.ts'
import { attachedHashes } from '../store/read-log.ts'
import { trimLog } from '../store/trim-log.ts'
import type { AghContext } from './context.ts'
import { readSession } from './read-session.ts'
import { readRepaired } from './repair-session.ts'

export async function trimSession(context: AghContext, sessionId: string): Promise<TrimReport> {
  await readRepaired(context, sessionId)
  return context.repairing.run(sessionId, async () => {
    const meta = readSession(context, sessionId)
    // A session that was started meanwhile has other metadata, and events that the new file lacks.
    const requireUnchanged = () => requireStopped(context, sessionId, meta)
    requireUnchanged()
    const path = historyFile(context.paths, sessionId)
    const trimmed = await trimLog(path, { clock: context.clock, requireUnchanged })
    if (trimmed === null) return { session_id: sessionId, dropped_events: 0, dropped_bytes: 0 }
    const named = await readDatabase(path, attachedHashes)
    sweepFiles(join(sessionDirectory(context.paths, sessionId), ATTACHMENTS), nowMs(context), () => named)
    return { session_id: sessionId, ...trimmed }
  })
}

function requireStopped(context: AghContext, sessionId: string, before: SessionMeta): void {
  const meta = readSession(context, sessionId)
  const isSame = JSON.stringify(meta) === JSON.stringify(before)
  const isHere = context.live.has(sessionId) || context.starting.has(sessionId)
  if (meta.state === 'stopped' && isSame && !isHere) return
  throw new AoError('STATE_REFUSED', `The event log of session ${sessionId} is in use: it is ${meta.state}`, {
    hint: `First: agh session stop ${sessionId}`,
    details: { sessionId, state: meta.state },
  })
}
