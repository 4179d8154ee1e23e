// A session leaves where it runs: its agent is ended, and its work comes home. Paused, its place keeps its disk without using
// anything else, and a restore, or the next message, starts it there again; moved, it is restored in the other place.
import { AoError } from '../../contract/errors.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { endedHint, isTerminalSession } from '../../contract/status.ts'
import type { ManagerContext } from '../context.ts'
import { restore } from '../launch/restore.ts'
import { requireRestartConsent } from '../launch/start-agent.ts'
import { requireSession } from '../observe/require-session.ts'
import { kill } from '../remove/kill.ts'
import { recoverSession } from '../remove/recover.ts'
import type { MoveOptions, OnProgress } from '../types.ts'
import { roomFor } from './choose-place.ts'

export async function pause(
  context: ManagerContext,
  sessionId: string,
  { onProgress }: { onProgress?: OnProgress } = {},
): Promise<void> {
  await recoverSession(context, sessionId)
  const session = await requireSession(context, sessionId)
  if (recordOf(session).paused !== undefined && isTerminalSession(session)) return
  await requirePausable(context, session)
  await kill(context, sessionId, {
    keepWorkspace: true,
    keepMessages: true,
    pause: true,
    ...(onProgress && { onProgress }),
  })
}

/** Before its agent is ended. */
async function requirePausable(context: ManagerContext, session: Session): Promise<void> {
  const { id, status, runtimeHandle } = session
  if (runtimeHandle === null || isTerminalSession(session)) {
    throw new AoError('SESSION_NOT_RUNNING', `Session ${id} cannot be paused: its status is ${status}`, {
      hint: endedHint(id, status),
      details: { sessionId: id, status },
    })
  }
  const runtime = await context.registry.load('runtime', runtimeHandle.runtimeName)
  if (runtime.elsewhere?.canPause) return
  const where = runtime.elsewhere ? `the place ${runtime.elsewhere.place}` : runtime.name
  throw new AoError('USAGE', `Session ${id} runs in ${where}, which cannot pause it`, {
    hint: `Only kubernetes places with sandboxTemplate or sandboxPool can. To end it and keep its work: ao session kill ${id}`,
  })
}

export async function move(context: ManagerContext, sessionId: string, options: MoveOptions): Promise<Session> {
  const { place, force = false, onProgress = () => undefined } = options
  const session = await requireSession(context, sessionId)
  // Everything that can be refused, before its agent is ended.
  if (place !== null) roomFor(context, place)
  await requireRestartConsent(context, session)
  if (!isTerminalSession(session)) {
    await kill(context, sessionId, { keepWorkspace: true, keepMessages: true, force, onProgress })
  }
  return restore(context, sessionId, { onProgress, place })
}
