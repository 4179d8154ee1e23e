// The effects of a decision beside writing: see core/agh/machine/command.ts.
import { errorText } from '../../contract/errors.ts'
import type { Effect } from '../../core/agh/machine/command.ts'
import type { AghContext } from './context.ts'
import type { LiveSession } from './live-session.ts'
import { cancelPermissions } from './turn/permission-desk.ts'
import { CANCEL_GRACE_MS, within } from './within.ts'

/** Begins immediately; resolves when done. */
export async function runEffect(context: AghContext, session: LiveSession, effect: Effect): Promise<void> {
  switch (effect) {
    case 'withdraw_questions':
      return cancelPermissions(session.permissions)
    case 'send_cancel':
      return sendCancel(context, session)
    case 'abort_start':
      return session.abort.abort()
  }
}

/** Resolves when it is written, or when the agent has clearly stopped reading. */
export async function sendCancel(context: AghContext, session: LiveSession): Promise<void> {
  const sent = session.connection?.agent
    .notify('session/cancel', { sessionId: session.meta.acp_session_id ?? '' })
    .catch((error) => {
      // An agent that no longer listens is ended by other means; that is handled elsewhere.
      context.log.debug(`session/cancel was not sent: ${errorText(error)}`)
    })
  await within(sent, CANCEL_GRACE_MS)
}
