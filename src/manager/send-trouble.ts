// A message while nothing can be written. It is recorded before it is sent, so a message that could not be recorded was not
// sent.
import { AoError } from '../contract/errors.ts'
import { lastOf } from '../store/session/history-pages.ts'
import type { ManagerContext } from './context.ts'
import { findActive } from './observe/find-session.ts'
import { writeTrouble } from './remove/stop-unrecorded.ts'

/** States whether a message that hit a full disk was sent, as far as that is known. */
export async function withSendTrouble<T>(
  context: ManagerContext,
  message: { sessionId: string; text: string },
  send: () => Promise<T>,
): Promise<T> {
  const since = context.clock.now()
  try {
    return await send()
  } catch (error) {
    const trouble = writeTrouble(error)
    if (!trouble) throw error
    const { sessionId } = message
    const what = wasNoted(context, message, since)
      ? `It is not certain that the message reached ${sessionId}, because that could not be recorded`
      : `The message was not sent to ${sessionId}`
    const hint = trouble.hint === undefined ? {} : { hint: trouble.hint }
    throw new AoError(trouble.code, `${what}: ${trouble.message}`, { ...hint, details: trouble.details, cause: error })
  }
}

function wasNoted(
  context: ManagerContext,
  { sessionId, text }: { sessionId: string; text: string },
  since: Date,
): boolean {
  const store = findActive(context, sessionId)?.store
  const queued = store && lastOf(store.paths, sessionId, 'message.queued')
  return queued?.text === text && Date.parse(queued.at) >= since.getTime()
}
