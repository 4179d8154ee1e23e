// The protocol's way to end a turn early.
import type { CancelReason } from '../../../contract/agh/words.ts'
import { errorText } from '../../../contract/errors.ts'
import type { AghContext } from '../context.ts'
import type { LiveSession } from '../live-session.ts'
import { CANCEL_PATIENCE_MS, within } from '../within.ts'
import { noteInTurn } from './live-turn.ts'
import { cancelPermissions } from './permission-desk.ts'

/** Asks the agent to end the turn. The turn ends with its answer; questions it asked are withdrawn at once. */
export async function cancelTurn(context: AghContext, session: LiveSession, why: CancelReason): Promise<void> {
  const running = session.turn
  if (!running) return
  await running.setup
  noteInTurn(context, running, { type: 'cancel_sent', why })
  cancelPermissions(session.permissions)
  await sendCancel(context, session)
}

/** Resolves when it is written, or when it is clear that the agent reads nothing. */
export async function sendCancel(context: AghContext, session: LiveSession): Promise<void> {
  const sent = session.connection?.agent
    .notify('session/cancel', { sessionId: session.meta.acp_session_id ?? '' })
    .catch((error) => {
      // An agent that hears nothing any more ends otherwise; that is seen elsewhere.
      context.log.debug(`session/cancel was not sent: ${errorText(error)}`)
    })
  await within(sent, CANCEL_PATIENCE_MS)
}
