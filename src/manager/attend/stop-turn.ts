// A person, or the loop, stops the turn that is running: the agent stays, with its conversation, and waits for the next message.
import { AoError } from '../../contract/errors.ts'
import type { ManagerContext } from '../context.ts'
import { requireActive } from '../observe/find-session.ts'
import { findEvents } from '../observe/session-events.ts'
import { THE_USER } from '../operation.ts'

export async function stopTurn(
  context: ManagerContext,
  sessionId: string,
  { by = THE_USER }: { by?: string } = {},
): Promise<void> {
  const found = requireActive(context, sessionId)
  const heard = await findEvents(context, found)
  if (!heard?.events.cancelTurn) {
    throw new AoError(
      'STATE_REFUSED',
      `${sessionId} has a terminal: its turn is stopped there, with the agent's own key`,
      {
        hint: `Attach to it with: ao session attach ${sessionId}`,
        details: { sessionId },
      },
    )
  }
  await heard.events.cancelTurn(heard.handle)
  await found.store.appendEvents(sessionId, [{ type: 'turn.stopped', by }])
}
