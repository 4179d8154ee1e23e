// Sessions whose runtime speaks with the agent in events: what was said, what is asked, and the answers of people.
import type { SessionEvent as AgentEvent } from '../../contract/agh/events.ts'
import type { TranscriptPage } from '../../contract/agh/transcript.ts'
import { AoError } from '../../contract/errors.ts'
import type { PermissionAnswer, PermissionRequest } from '../../contract/permission.ts'
import type { RecordChange, SessionRecord } from '../../contract/record.ts'
import type { RuntimeHandle } from '../../contract/session.ts'
import type { SessionEvents } from '../../slots/session-events.ts'
import type { ManagerContext } from '../context.ts'
import { type FoundSession, findActive, findArchived, requireActive, sessionNotFound } from './find-session.ts'

export async function answerPermission(
  context: ManagerContext,
  sessionId: string,
  answer: PermissionAnswer,
): Promise<{ requestId: string; decision: string }> {
  const found = requireActive(context, sessionId)
  const { events, handle } = await eventsOf(context, sessionId, found.stored.record)
  const given = await events.answerPermission(handle, answer)
  await found.store.update(sessionId, afterAnswer(found), [{ type: 'permission.answered', ...given }])
  return given
}

/** The alarm that this answers is over; what follows is for the facts to say. */
function afterAnswer({ stored }: FoundSession): RecordChange {
  if (stored.record.status !== 'needs_input') return {}
  return { status: stored.record.pr ? 'pr_open' : 'working' }
}

/** Empty for a session whose runtime does not hear such questions. */
export async function pendingPermissions(context: ManagerContext, sessionId: string): Promise<PermissionRequest[]> {
  const { stored } = requireActive(context, sessionId)
  const found = await findEvents(context, stored.record)
  if (!found) return []
  const at = { readyThresholdMs: context.config.readyThresholdMs, now: context.clock.now() }
  return (await found.events.read([found.handle], at)).get(found.handle.id)?.permissions ?? []
}

/** Also of a session in the archive. */
export async function readTranscript(context: ManagerContext, sessionId: string): Promise<TranscriptPage> {
  const { events, handle } = await eventsOf(context, sessionId, anyRecord(context, sessionId))
  return events.readTranscript(handle)
}

/** Ends with the session, or with the signal. Fold each into the transcript with `core/agh/transcript/transcript.ts`. */
export async function* followEvents(
  context: ManagerContext,
  sessionId: string,
  options: { after?: number; signal: AbortSignal },
): AsyncGenerator<AgentEvent> {
  const { events, handle } = await eventsOf(context, sessionId, anyRecord(context, sessionId))
  yield* events.follow(handle, options.after ?? 0, options.signal)
}

function anyRecord(context: ManagerContext, sessionId: string): SessionRecord {
  const found = findActive(context, sessionId) ?? findArchived(context, sessionId)
  if (!found) throw sessionNotFound(context, sessionId)
  return found.stored.record
}

async function eventsOf(context: ManagerContext, sessionId: string, record: SessionRecord): Promise<Events> {
  const found = await findEvents(context, record)
  if (found) return found
  throw new AoError('STATE_REFUSED', `Session ${sessionId} has a terminal and no conversation that ao can read`, {
    hint: `Inspect it with: ao session attach ${sessionId}`,
    details: { sessionId, runtime: record.runtime ?? null },
  })
}

interface Events {
  events: SessionEvents
  handle: RuntimeHandle
}

async function findEvents(context: ManagerContext, { runtimeHandle: handle }: SessionRecord): Promise<Events | null> {
  if (!handle) return null
  const events = (await context.registry.find('runtime', handle.runtimeName))?.events
  return events ? { events, handle } : null
}
