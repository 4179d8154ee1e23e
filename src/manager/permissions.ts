// What an agent asks a person, and the answer: over events where the runtime receives them, else on the agent's screen.
import { AoError } from '../contract/errors.ts'
import type { PermissionAnswer, PermissionRequest } from '../contract/permission.ts'
import type { RecordChange, SessionRecord } from '../contract/record.ts'
import { sleep } from '../lib/clock.ts'
import { findEvents, reachAgent, recordedSession } from './active.ts'
import { type FoundSession, type ManagerContext, reachSessions, requireActive, requireToRead } from './context.ts'
import { answerDialog, readDialog } from './message/answer-dialog.ts'
import { withSendLock } from './message/send-lock.ts'
import { enrichOne, probeOne } from './observe/enrich.ts'
import type { PendingOptions } from './types.ts'

export async function answerPermission(
  context: ManagerContext,
  sessionId: string,
  answer: PermissionAnswer,
): Promise<{ requestId: string; decision: string }> {
  const found = requireActive(context, sessionId)
  try {
    return await give(context, found, answer)
  } catch (error) {
    if (!(error instanceof AoError) || error.code !== 'PERMISSION_NOT_FOUND') throw error
    throw await explainGone(found, answer, error)
  }
}

async function give(context: ManagerContext, found: FoundSession, answer: PermissionAnswer) {
  const sessionId = found.stored.id
  const heard = await findEvents(context, found)
  if (!heard) return answerOnScreen(context, found, answer)
  const pending = await readRequests(context, heard)
  requireRead(sessionId, pending, answer)
  const given = await heard.events.answerPermission(heard.handle, answer)
  const event = { type: 'permission.answered', ...given, ...namesOf(pending, given, answer), ...byOf(answer) } as const
  await found.store.update(sessionId, afterAnswer, [event], ['it got an answer'])
  return given
}

/** An answer is for the request that its author has read, and not for a later one with the same id. */
function requireRead(sessionId: string, pending: PermissionRequest[], { requestId, askedAt }: PermissionAnswer): void {
  const now = pending.find((one) => one.requestId === requestId)
  if (now === undefined || askedAt === undefined || now.askedAt === askedAt) return
  throw new AoError('PERMISSION_NOT_FOUND', `${sessionId} asks something else now: ${now.title}`)
}

/** Whoever answers first writes it down a moment later. */
const WRITTEN_WITHIN_MS = 1_500
const RECENT_EVENTS = 200

/** Who loses the race reads who answered, and what. */
async function explainGone(found: FoundSession, { requestId }: PermissionAnswer, error: AoError): Promise<AoError> {
  if (requestId === undefined) return error
  const sessionId = found.stored.id
  const deadline = performance.now() + WRITTEN_WITHIN_MS
  for (;;) {
    const { events } = found.store.readHistory(sessionId, { last: RECENT_EVENTS })
    const given = events.findLast((event) => event.type === 'permission.answered' && event.requestId === requestId)
    if (given?.type === 'permission.answered') {
      const { by, option, decision } = given
      return new AoError('PERMISSION_NOT_FOUND', `${by ?? 'Someone'} has already answered it: ${option ?? decision}`, {
        hint: `See what it does now with: ao session show ${sessionId}`,
        details: { sessionId, requestId, by: by ?? null, decision },
      })
    }
    if (performance.now() >= deadline) break
    await sleep(DRAWN_POLL_MS)
  }
  return new AoError(
    'PERMISSION_NOT_FOUND',
    `${error.message}: its time ran out, its turn ended, or it was answered in its terminal`,
    {
      hint: `See what it does now with: ao session show ${sessionId}`,
      details: { sessionId, requestId },
    },
  )
}

type Heard = NonNullable<Awaited<ReturnType<typeof findEvents>>>

async function readRequests(context: ManagerContext, { events, handle }: Heard): Promise<PermissionRequest[]> {
  const at = { readyThresholdMs: context.config.readyThresholdMs, now: context.clock.now() }
  return (await events.read([handle], at)).get(handle.id)?.permissions ?? []
}

/** For the history: what was asked, and the agent's own name of the answer. */
function namesOf(
  pending: PermissionRequest[],
  given: { requestId: string; decision: string },
  { optionId }: PermissionAnswer,
): { title?: string; option?: string } {
  const request = pending.find(({ requestId }) => requestId === given.requestId)
  const option = request?.options.find((one) =>
    optionId === undefined ? one.decision === given.decision : one.optionId === optionId,
  )
  return { ...(request && { title: request.title }), ...(option && { option: option.name }) }
}

function byOf({ by }: { by?: string | undefined }): { by?: string } {
  return by === undefined ? {} : { by }
}

/** The alarm that this answers is over; the facts decide what follows. */
function afterAnswer({ status }: SessionRecord): RecordChange {
  return status === 'needs_input' ? { alarm: null } : {}
}

/** Nothing is observed for it: a key is pressed only in this launch, while it runs and shows this question. */
async function answerOnScreen(context: ManagerContext, found: FoundSession, answer: PermissionAnswer) {
  const to = await reachAgent(context, found, recordedSession(context, found))
  to.store.ensure()
  try {
    return await withSendLock(to.store, to.session.id, 'message', () => answerDialog(context, to, answer))
  } catch (error) {
    // An agent that has ended, which its record did not say yet, is the better reason.
    await reachAgent(context, found, await probeOne(context, found))
    throw error
  }
}

/** How often a screen is read again while it is expected to show a question. */
const DRAWN_POLL_MS = 100

export async function pendingPermissions(
  context: ManagerContext,
  sessionId: string,
  { drawnWithinMs = 0 }: PendingOptions = {},
): Promise<PermissionRequest[]> {
  const found = requireToRead(context, sessionId)
  const heard = await findEvents(context, found)
  if (heard) return readRequests(context, heard)
  const session = await enrichOne(context, found)
  if (session.runtimeHandle === null || session.activity === 'exited') return []
  const [reached] = await reachSessions(context, [session])
  if (!reached?.runtime) return []
  const asking = { ...reached, runtime: reached.runtime }
  const deadline = performance.now() + (session.activity === 'waiting_input' ? drawnWithinMs : 0)
  let request = await readDialog(asking)
  while (!request && performance.now() < deadline) {
    await sleep(DRAWN_POLL_MS)
    request = await readDialog(asking)
  }
  return request ? [request] : []
}
