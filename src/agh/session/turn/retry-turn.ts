// The prompt of a failed turn, once more and word for word.
import { planRetry } from '../../../core/agh/session/plan-retry.ts'
import type { AghContext } from '../context.ts'
import type { LiveSession } from '../live-session.ts'
import { type StartedTurn, startTurn } from './prompt.ts'

export async function retryTurn(
  context: AghContext,
  session: LiveSession,
  wanted: string | undefined,
): Promise<{ started: StartedTurn; retries: string }> {
  // No await until the turn is claimed: two retries of one turn cannot both begin.
  const plan = planRetry(session.meta.id, session.store.findLastTurn(), wanted)
  if ('refusal' in plan) throw plan.refusal
  const { text, ...options } = plan
  return { started: await startTurn(context, session, text, options), retries: plan.retries }
}
