// The protocol's way to end a turn early.
import type { CancelReason } from '../../../contract/agh/session-terms.ts'
import { type AghContext, nowMs } from '../context.ts'
import type { LiveSession } from '../live-session.ts'
import { perform } from '../publish.ts'

/** Asks the agent to end the turn. The turn ends with its response; its open questions are withdrawn immediately. */
export async function cancelTurn(context: AghContext, session: LiveSession, why: CancelReason): Promise<void> {
  const { running } = session
  if (!running) return
  await running.setup
  await perform(context, session, { type: 'cancel_turn', turnId: running.id, why, at: nowMs(context) })
}
