// What an agent asks a person, and the answer: over events where the runtime receives them, else on the agent's screen.
import type { PermissionAnswer, PermissionRequest } from '../contract/permission.ts'
import type { RecordChange, SessionRecord } from '../contract/record.ts'
import { withLock } from '../lib/lock.ts'
import type { ManagerContext } from './context.ts'
import { runtimeOf } from './deliver.ts'
import { answerDialog, readDialog } from './message/answer-dialog.ts'
import { enrichOne } from './observe/enrich.ts'
import { type FoundSession, requireActive } from './observe/find-session.ts'
import { findEvents } from './observe/session-events.ts'

/** Two answers at once, or an answer and a message, would mix on the screen. */
const ANSWER_LOCK_MS = 60_000

export async function answerPermission(
  context: ManagerContext,
  sessionId: string,
  answer: PermissionAnswer,
): Promise<{ requestId: string; decision: string }> {
  const found = requireActive(context, sessionId)
  const heard = await findEvents(context, found)
  if (!heard) return answerOnScreen(context, found, answer)
  const given = await heard.events.answerPermission(heard.handle, answer)
  await found.store.update(sessionId, afterAnswer, [{ type: 'permission.answered', ...given }])
  return given
}

/** The alarm that this answers is over; the facts decide what follows. */
function afterAnswer({ status }: SessionRecord): RecordChange {
  return status === 'needs_input' ? { alarm: null } : {}
}

async function answerOnScreen(context: ManagerContext, found: FoundSession, answer: PermissionAnswer) {
  const session = await enrichOne(context, found)
  const to = { store: found.store, session, runtime: await runtimeOf(context, session) }
  found.store.ensure()
  return withLock(found.store.paths.lockFile(`${session.id}.send`), () => answerDialog(context, to, answer), {
    timeoutMs: ANSWER_LOCK_MS,
  })
}

export async function pendingPermissions(context: ManagerContext, sessionId: string): Promise<PermissionRequest[]> {
  const found = requireActive(context, sessionId)
  const heard = await findEvents(context, found)
  if (heard) {
    const at = { readyThresholdMs: context.config.readyThresholdMs, now: context.clock.now() }
    return (await heard.events.read([heard.handle], at)).get(heard.handle.id)?.permissions ?? []
  }
  const session = await enrichOne(context, found)
  if (session.runtimeHandle === null || session.activity === 'exited') return []
  const runtime = await context.registry.find('runtime', session.runtimeHandle.runtimeName)
  const request = runtime && (await readDialog(context, { session, runtime }))
  return request ? [request] : []
}
