// The one way a turn ends: its questions are withdrawn, its open tool calls get a result, and its last event is on disk
// before anybody sees it.
import { errorText } from '../../../contract/errors.ts'
import type { TurnEnd } from '../../../core/agh/session/end-of-turn.ts'
import { measure } from '../../../lib/measures.ts'
import type { AghContext } from '../context.ts'
import type { LiveSession } from '../live-session.ts'
import { perform } from '../publish.ts'

/** Resolves when its end is on disk, or when the session ends because it could not be written. */
export async function endTurn(context: AghContext, session: LiveSession, end: TurnEnd): Promise<void> {
  const { running } = session
  if (!running) return
  running.markRecording(orFinish(session, () => perform(context, session, { type: 'end_turn', end })))
  await running.recorded()
  measureTurn(session.meta.agent_name, end)
  running.close()
}

/** The agent's own word is not a label: it could be a new one each time. */
const STOP_REASONS: ReadonlySet<string> = new Set([
  'end_turn',
  'max_tokens',
  'max_turn_requests',
  'refusal',
  'cancelled',
])

function measureTurn(agent: string, { event }: TurnEnd): void {
  const { stop_reason, usage } = event.type === 'done' ? event.content : { stop_reason: 'error', usage: null }
  const outcome = event.type === 'error' || STOP_REASONS.has(stop_reason ?? '') ? stop_reason! : 'other'
  measure('turn', { agent, outcome, tokens: tokensOf(usage) })
}

/** As the protocol names them. */
function tokensOf(usage: object | null): number {
  const { totalTokens, inputTokens, outputTokens } = { ...usage } as Record<string, unknown>
  const count = (value: unknown) => (typeof value === 'number' && value > 0 && Number.isFinite(value) ? value : 0)
  return count(totalTokens) || count(inputTokens) + count(outputTokens)
}

/** A session whose event log or metadata cannot be written must not continue as if it could. */
export async function orFinish(session: LiveSession, write: () => Promise<void>): Promise<void> {
  // The session ends because of it, which is what the caller would do too.
  await orFinishAndFail(session, write).catch(() => undefined)
}

/** The same for a caller that has to answer a request. */
export async function orFinishAndFail(session: LiveSession, write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    session.endUnwritable(`its files cannot be written: ${errorText(error)}`)
    throw error
  }
}
