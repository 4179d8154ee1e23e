// The protocol's way to end a turn early.
import { errorText } from '../../../contract/errors.ts'
import { type CancelReason, evolve } from '../../../core/agh/session/turn.ts'
import { type AghContext, nowMs } from '../context.ts'
import type { LiveSession } from '../live-session.ts'
import { cancelPermissions } from './permission-desk.ts'

/** Asks the agent to end the turn. The turn ends with its answer; questions it asked are taken back at once. */
export async function cancelTurn(context: AghContext, session: LiveSession, why: CancelReason): Promise<void> {
  const running = session.turn
  if (!running) return
  await running.setup
  running.turn = evolve(running.turn, { type: 'cancel_sent', why }, nowMs(context))
  cancelPermissions(session.permissions)
  await sendCancel(context, session)
}

/** For the agent's ears only: nothing is waited for. */
export async function sendCancel(context: AghContext, session: LiveSession): Promise<void> {
  await session.connection?.agent
    .notify('session/cancel', { sessionId: session.meta.acp_session_id ?? '' })
    .catch((error) => {
      // An agent that hears nothing any more ends otherwise; that is seen elsewhere.
      context.log.debug(`session/cancel was not sent: ${errorText(error)}`)
    })
}
