// Traffic from the agent: recorded in wire order, and counted as activity of the turn.
import type { SessionFailure } from '../../../contract/agh/session-meta.ts'
import { turnOf } from '../../../core/agh/machine/session-state.ts'
import { troubleOf, usageOfTurn } from '../../../core/agh/session/beside-protocol.ts'
import { classifyFailure } from '../../../core/agh/session/classify-failure.ts'
import { describeRpcError } from '../../../core/agh/session/describe-rpc-error.ts'
import { answeredTurn, classifyRefusal, failedTurn } from '../../../core/agh/session/end-of-turn.ts'
import { freshStartHint, isLostConversation } from '../../../core/agh/session/lost-conversation.ts'
import { readAbilities } from '../../../core/agh/transcript/read-abilities.ts'
import { isObject } from '../../../core/agh/transcript/read-content.ts'
import type { PromptAnswer, WireHandlers, WireUpdate } from '../../acp/wire.ts'
import { type AghContext, nowMs } from '../context.ts'
import { secretsOf, summarizeFailure } from '../crash-bundle.ts'
import type { LiveSession } from '../live-session.ts'
import { note, take } from '../publish.ts'
import { endTurn, orFinish } from './end-turn.ts'

/** What the connection reports of this session. */
export function wireHandlers(context: AghContext, session: () => LiveSession): WireHandlers {
  return {
    onUpdate: (update) => takeUpdate(context, session(), update),
    onPromptAnswer: (answer) => void orFinish(session(), () => takeAnswer(context, session(), answer)),
    onInitialized: (result) => note(session(), { type: 'agent_initialized', abilities: readAbilities(result) }),
    onGarbage: (line) => take(context, session(), { type: 'take_garbage', line }),
    onRequest: (offset, line) => session().store.recordRequest({ add: { offset, line } }),
    onAnswered: (offset) => session().store.recordRequest({ remove: offset }),
    beginStep: () => session().store.hold(),
    endStep() {
      session().store.moveBookmark()
      session().store.release()
    },
    recorded() {
      session().store.moveBookmark()
      return session().store.settle()
    },
    backlog: () => session().store.backlog(),
    turnId: () => session().running?.id ?? null,
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
