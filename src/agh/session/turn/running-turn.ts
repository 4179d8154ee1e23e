// A running turn: how it is cancelled, what the agent reports in it (recorded in wire order, and counted as activity), and the
// one way it ends: its questions are withdrawn, its open tool calls get a result, and its last event is on disk before anybody
// sees it. Its data is in the session's state.

import type { SessionFailure } from '../../../contract/agh/session-meta.ts'
import type { CancelReason } from '../../../contract/agh/session-terms.ts'
import { errorText } from '../../../contract/errors.ts'
import { turnOf } from '../../../core/agh/machine/session-state.ts'
import { classifyFailure } from '../../../core/agh/session/classify-failure.ts'
import { describeRpcError } from '../../../core/agh/session/describe-rpc-error.ts'
import { freshStartHint, isLostConversation } from '../../../core/agh/session/lost-conversation.ts'
import type { TurnEnd } from '../../../core/agh/session/turn.ts'
import {
  answeredTurn,
  classifyRefusal,
  failedTurn,
  troubleOf,
  usageOfTurn,
} from '../../../core/agh/session/turn-end.ts'
import { readAbilities } from '../../../core/agh/transcript/read-abilities.ts'
import { isObject } from '../../../core/text/json-fields.ts'
import { nowMs } from '../../../lib/clock.ts'
import { measure } from '../../../lib/measures.ts'
import type { PromptAnswer, WireHandlers, WireUpdate } from '../../acp/wire.ts'
import type { AghContext } from '../context.ts'
import { secretsOf, summarizeFailure } from '../crash-bundle.ts'
import type { LiveSession, RunningTurn } from '../live-session.ts'
import { note, perform, take } from '../publish.ts'

/** Nothing needs to wait for it. */
export function closeTurn({ handedOver, ended }: RunningTurn): void {
  handedOver.resolve(false)
  ended.resolve()
}

/** Asks the agent to end the turn. The turn ends with its response; its open questions are withdrawn immediately. */
export async function cancelTurn(context: AghContext, session: LiveSession, why: CancelReason): Promise<void> {
  const { running } = session
  if (!running) return
  await running.handedOver.promise
  await perform(context, session, { type: 'cancel_turn', turnId: running.id, why, at: nowMs(context) })
}

/** Resolves when its end is on disk, or when the session ends because it could not be written. */
export async function endTurn(context: AghContext, session: LiveSession, end: TurnEnd): Promise<void> {
  const { running } = session
  if (!running) return
  const recording = orFinish(session, () => perform(context, session, { type: 'end_turn', end }))
  running.recordings.push(recording)
  await recording
  measureTurn(session.meta.agent_name, end)
  closeTurn(running)
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
async function orFinish(session: LiveSession, write: () => Promise<void>): Promise<void> {
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

/** What the connection reports of this session. */
export function wireHandlers(context: AghContext, session: LiveSession): WireHandlers {
  return {
    onUpdate: (update) => takeUpdate(context, session, update),
    onPromptAnswer: (answer) => void orFinish(session, () => takeAnswer(context, session, answer)),
    onInitialized: (result) => note(session, { type: 'agent_initialized', abilities: readAbilities(result) }),
    onGarbage: (line) => take(context, session, { type: 'take_garbage', line }),
    log: session.store,
  }
}

function takeUpdate(context: AghContext, session: LiveSession, { update, json, acpSessionId }: WireUpdate): void {
  const ownSession = session.meta.acp_session_id
  const at = nowMs(context)
  take(context, session, { type: 'take_update', update, json, ofSession: acpSessionId, ownSession, at })
}

async function takeAnswer(context: AghContext, session: LiveSession, answer: PromptAnswer): Promise<void> {
  const turn = turnOf(session.state)
  if (!turn) return
  if (!answer.error) {
    const { agentName } = session.state.abilities
    const { usage: ofResult, counted } = usageOfTurn(answer.result, { agentName, counted: session.state.counted })
    note(session, { type: 'tokens_counted', counted })
    const usage = ofResult ?? turn.beside.usage
    const trouble = troubleOf(turn.beside, agentName)
    const current = session.state.usage
    if (usage || current) session.store.recordUsage(turn.id, { ...current, ...usage })
    if (trouble !== null) return endTurn(context, session, failedTurn(ofTrouble(context, session, trouble)))
    return endTurn(context, session, answeredTurn(turn, { stopReason: stopReasonOf(answer.result), usage }))
  }
  const { code } = answer.error
  const kind = classifyRefusal(turn, code)
  const failure = summarizeFailure(kind, describeRpcError(answer.error), secretsOf(context, session))
  const lost = isLostConversation(answer.error, false)
  const advice = lost ? { error: `${failure.summary}. ${freshStartHint(session.meta.id)}` } : {}
  await endTurn(context, session, failedTurn(failure, { code: code ?? null, ...advice }))
}

function ofTrouble(context: AghContext, session: LiveSession, trouble: string): SessionFailure {
  const kind = classifyFailure({ phase: 'prompt', rpcCode: undefined, canceled: false })
  return summarizeFailure(kind, trouble, secretsOf(context, session))
}

function stopReasonOf(result: unknown): string | null {
  return isObject(result) && typeof result.stopReason === 'string' ? result.stopReason : null
}
