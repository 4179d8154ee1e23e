// What comes from the agent over the wire: written in the order of the wire, and taken as activity of the turn.
import type { AcpUpdate } from '../../../contract/agh/events.ts'
import { updateOffers } from '../../../core/agh/session/agent-settings.ts'
import { describeRpcError } from '../../../core/agh/session/describe-rpc-error.ts'
import { answeredTurn, classifyRefusal, failedTurn } from '../../../core/agh/session/end-of-turn.ts'
import { freshStartHint, isLostConversation } from '../../../core/agh/session/lost-conversation.ts'
import { readAbilities } from '../../../core/agh/transcript/read-abilities.ts'
import { isObject } from '../../../core/agh/transcript/read-content.ts'
import { eventTypeOf } from '../../../core/agh/transcript/read-update.ts'
import type { PromptAnswer, WireHandlers, WireUpdate } from '../../acp/wire.ts'
import type { AghContext } from '../context.ts'
import { secretsOf, summarizeFailure } from '../crash-bundle.ts'
import type { LiveSession } from '../live-session.ts'
import { endTurn, orFinish } from './end-turn.ts'
import { noteInTurn } from './live-turn.ts'

/** What the connection tells of this session. */
export function wireHandlers(context: AghContext, session: () => LiveSession): WireHandlers {
  return {
    onUpdate: (update) => takeUpdate(context, session(), update),
    onPromptAnswer: (answer) => void orFinish(session(), () => takeAnswer(context, session(), answer)),
    onInitialized: (result) => {
      session().abilities = readAbilities(result)
    },
    onGarbage: (line) => takeGarbage(session(), line),
    backlog: () => session().store.backlog(),
  }
}

function takeUpdate(context: AghContext, session: LiveSession, { update, json, acpSessionId }: WireUpdate): void {
  if (isForeign(session, acpSessionId)) {
    takeForeign(session, update, acpSessionId)
    return
  }
  const type = eventTypeOf(update)
  if (type === 'system') session.offers = updateOffers(session.offers, update)
  if (session.replaying) return
  const running = session.turn
  session.store.append({ turn_id: running?.turn.id ?? null, type, content: update, json })
  if (!running) return
  if (type === 'usage') session.usage = { ...session.usage, ...update }
  noteInTurn(context, running, { type: 'update', update })
}

/** An agent may run more than one ACP session. While ours is being started, its id is not known yet. */
function isForeign({ meta }: LiveSession, acpSessionId: string | undefined): boolean {
  return acpSessionId !== undefined && meta.state !== 'starting' && acpSessionId !== meta.acp_session_id
}

/** Kept, but it is not what this session said. */
function takeForeign(session: LiveSession, update: AcpUpdate, acpSessionId: string | undefined): void {
  if (session.replaying) return
  session.store.append({
    turn_id: session.turn?.turn.id ?? null,
    type: 'system',
    content: { detail: 'update of another ACP session', acp_session_id: acpSessionId, update },
  })
}

async function takeAnswer(context: AghContext, session: LiveSession, answer: PromptAnswer): Promise<void> {
  const running = session.turn
  if (!running) return
  if (!answer.error) {
    const { stopReason, usage } = readResult(answer.result)
    if (usage || session.usage) session.store.recordUsage(running.turn.id, { ...session.usage, ...usage })
    session.preface = []
    return endTurn(context, session, answeredTurn(running.turn, { stopReason, usage }))
  }
  const { code } = answer.error
  const kind = classifyRefusal(running.turn, code)
  const failure = summarizeFailure(kind, describeRpcError(answer.error), secretsOf(context, session))
  const lost = isLostConversation(answer.error, false)
  const advice = lost ? { error: `${failure.summary}. ${freshStartHint(session.meta.id)}` } : {}
  await endTurn(context, session, failedTurn(failure, { code: code ?? null, ...advice }))
}

function readResult(result: unknown): { stopReason: string | null; usage: object | null } {
  const { stopReason, usage } = isObject(result) ? result : {}
  return { stopReason: typeof stopReason === 'string' ? stopReason : null, usage: isObject(usage) ? usage : null }
}

const MAX_GARBAGE_LINES = 20
const MAX_GARBAGE_LENGTH = 500

function takeGarbage(session: LiveSession, line: string): void {
  if (session.garbageLines++ >= MAX_GARBAGE_LINES) return
  session.store.append({
    turn_id: session.turn?.turn.id ?? null,
    type: 'system',
    content: { garbage: line.slice(0, MAX_GARBAGE_LENGTH) },
  })
}
