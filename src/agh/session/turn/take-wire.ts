// What comes from the agent over the wire: written in the order of the wire, and taken as activity of the turn.
import { updateOffers } from '../../../core/agh/session/agent-settings.ts'
import { classifyFailure } from '../../../core/agh/session/classify-failure.ts'
import { describeRpcError } from '../../../core/agh/session/describe-rpc-error.ts'
import { evolve } from '../../../core/agh/session/turn.ts'
import { readAbilities } from '../../../core/agh/transcript/read-abilities.ts'
import { type AcpUpdate, eventTypeOf } from '../../../core/agh/transcript/read-update.ts'
import type { PromptAnswer, WireHandlers } from '../../acp/connection.ts'
import { type AghContext, nowMs } from '../context.ts'
import { secretsOf, summarizeFailure } from '../crash-bundle.ts'
import type { LiveSession } from '../live-session.ts'
import { saveMeta } from '../save-meta.ts'
import { endTurn, orFinish } from './end-turn.ts'

/** What the connection tells of this session. */
export function wireHandlers(context: AghContext, session: () => LiveSession): WireHandlers {
  return {
    onUpdate: (update, json) => takeUpdate(context, session(), update, json),
    onPromptAnswer: (answer) => orFinish(context, session(), () => takeAnswer(context, session(), answer)),
    onInitialized: (result) => {
      session().abilities = readAbilities(result)
    },
    onGarbage: (line) => takeGarbage(session(), line),
  }
}

function takeUpdate(context: AghContext, session: LiveSession, update: AcpUpdate, json: string | undefined): void {
  const type = eventTypeOf(update)
  if (type === 'system') session.offers = updateOffers(session.offers, update)
  if (session.replaying) return
  const running = session.turn
  session.store.append({
    turn_id: running?.turn.id ?? null,
    type,
    content: update,
    ...(json === undefined ? {} : { json }),
  })
  if (!running) return
  if (type === 'usage') session.usage = { ...session.usage, ...update }
  running.turn = evolve(running.turn, { type: 'update', update }, nowMs(context))
}

function takeAnswer(context: AghContext, session: LiveSession, answer: PromptAnswer): void {
  const running = session.turn
  if (!running) return
  if (!answer.error) {
    const { stopReason, usage } = (answer.result ?? {}) as { stopReason?: unknown; usage?: object }
    if (usage || session.usage) session.store.recordUsage(running.turn.id, { ...session.usage, ...usage })
    session.preface = []
    endTurn(context, session, 'done', {
      stop_reason: stopReason ?? null,
      usage: usage ?? null,
      canceled_by: running.turn.cancel?.why ?? null,
    })
    return
  }
  const { code } = answer.error
  const kind = classifyFailure({ phase: 'prompt', rpcCode: code, canceled: running.turn.cancel !== null })
  const failure = summarizeFailure(kind, describeRpcError(answer.error), secretsOf(context, session))
  endTurn(context, session, 'error', { error: failure.summary, code: code ?? null, failure })
  if (session.meta.state === 'active') saveMeta(context, session, { failure })
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
