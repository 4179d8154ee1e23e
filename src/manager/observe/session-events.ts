// What an agent says: its conversation, where the runtime talks to it in events; else its screen.

import type { SessionEvent as AgentEvent } from '../../contract/agh/events.ts'
import type { TranscriptPage } from '../../contract/agh/transcript.ts'
import { AoError } from '../../contract/errors.ts'
import type { Session } from '../../contract/session.ts'
import { type Events, findEvents, ownHandle } from '../active.ts'
import { findActive, findArchived, type ManagerContext, sessionNotFound } from '../context.ts'
import type { FollowOptions } from '../types.ts'

/** Also for an archived session. */
export async function readTranscript(context: ManagerContext, sessionId: string): Promise<TranscriptPage> {
  const { events, handle } = await eventsOf(context, sessionId)
  return events.readTranscript(handle)
}

/** Which conversation a session has now; another start may have another one. */
export function conversationKey(context: ManagerContext, sessionId: string): string {
  const found = findActive(context, sessionId) ?? findArchived(context, sessionId)
  const handle = found && ownHandle(context, found.project.id, sessionId, found.stored.record)
  return JSON.stringify([sessionId, handle ?? null])
}

/** The next stored events after this one, a page of them; none: there are no more. */
export async function readStoredEvents(
  context: ManagerContext,
  sessionId: string,
  after: number,
): Promise<AgentEvent[]> {
  const { events, handle } = await eventsOf(context, sessionId)
  return events.readEvents(handle, after)
}

/** Ends with the session, or with the signal. Fold each into the transcript with `core/agh/transcript/transcript.ts`. */
export async function* followEvents(
  context: ManagerContext,
  sessionId: string,
  options: FollowOptions,
): AsyncGenerator<AgentEvent> {
  const { events, handle } = await eventsOf(context, sessionId)
  yield* events.follow(handle, options.after ?? 0, options.signal)
}

async function eventsOf(context: ManagerContext, sessionId: string): Promise<Events> {
  const found = findActive(context, sessionId) ?? findArchived(context, sessionId)
  if (!found) throw sessionNotFound(context, sessionId)
  const heard = await findEvents(context, found)
  if (heard) return heard
  throw new AoError('STATE_REFUSED', `Session ${sessionId} has a terminal and no conversation that ao can read`, {
    hint: `Inspect it with: ao session attach ${sessionId}`,
    details: { sessionId, runtime: found.stored.record.runtime ?? null },
  })
}

export async function readScreen({ registry }: ManagerContext, session: Session, lines?: number): Promise<string> {
  const { runtimeHandle: handle } = session
  return handle ? (await registry.load('runtime', handle.runtimeName)).getOutput(handle, lines) : ''
}
