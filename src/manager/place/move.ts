// A session continues elsewhere: its agent is ended and its work comes home, then it is restored in the other place.
import type { Session } from '../../contract/session.ts'
import { isTerminalSession } from '../../contract/status.ts'
import type { ManagerContext } from '../context.ts'
import { requireRestartConsent } from '../launch/consent.ts'
import { restore } from '../launch/restore.ts'
import { requireSession } from '../observe/require-session.ts'
import { kill } from '../remove/kill.ts'
import type { MoveOptions } from '../types.ts'
import { roomFor } from './choose-place.ts'

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
