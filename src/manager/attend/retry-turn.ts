// A turn that failed is tried again: with its own prompt, word for word, where the runtime has turns; in a terminal by asking.
import { RETRY_MESSAGE } from '../../contract/dashboard/needs.ts'
import { AoError } from '../../contract/errors.ts'
import type { ManagerContext } from '../context.ts'
import { requireActive } from '../observe/find-session.ts'
import { findEvents } from '../observe/session-events.ts'
import { send } from '../send.ts'
import type { RetryResult } from '../types.ts'

export async function retryTurn(
  context: ManagerContext,
  sessionId: string,
  { turnId }: { turnId?: string | undefined } = {},
): Promise<RetryResult> {
  const found = requireActive(context, sessionId)
  const heard = await findEvents(context, found)
  const turn = (await heard?.events.retryTurn?.(heard.handle, turnId).catch(orNothingFailed)) ?? null
  if (!turn) return { turn, receipt: await send(context, sessionId, RETRY_MESSAGE, { source: 'user' }) }
  const at = context.clock.now()
  await found.store.update(sessionId, { lastMessageAt: at, attendedAt: at }, [{ type: 'turn.retried', ...turn }])
  return { turn, receipt: null }
}

/** An agent may say in words that it failed: no turn of it did. */
function orNothingFailed(error: unknown): null {
  if (error instanceof AoError && error.details.reason === 'not_failed') return null
  throw error
}
