// One turn: the prompt is recorded, then handed to the agent; the agent's answer ends it. What comes from the wire is
// written in the order of the wire.
import { randomBytes } from 'node:crypto'
import { AoError, errorText } from '../../contract/errors.ts'
import { updateOffers } from '../../core/agh/agent-settings.ts'
import { classifyFailure, type FailureEvidence } from '../../core/agh/classify-failure.ts'
import { describeExit } from '../../core/agh/classify-stop.ts'
import { describeRpcError } from '../../core/agh/describe-rpc-error.ts'
import { prefaceBlock } from '../../core/agh/preface.ts'
import { readAbilities } from '../../core/agh/read-abilities.ts'
import { type AcpUpdate, eventTypeOf } from '../../core/agh/read-update.ts'
import { requireActive } from '../../core/agh/transition.ts'
import { beginTurn, evolve, type Turn } from '../../core/agh/turn.ts'
import type { PromptAnswer, WireHandlers } from '../acp/connection.ts'
import { exitSoon } from './attempt.ts'
import { type AghContext, nowMs } from './context.ts'
import { secretsOf, summarizeFailure } from './crash-bundle.ts'
import { finishSession } from './finish.ts'
import type { LiveSession, RunningTurn } from './live-session.ts'
import { cancelPermissions } from './permission-desk.ts'
import { runHooks } from './run-hooks.ts'
import { saveMeta } from './save-meta.ts'
import { superviseTurn } from './supervise-turn.ts'

export interface StartedTurn {
  turnId: string
  /** Number of its `user_message`. */
  sequence: number
  /** true: the agent has been sent it. false: it never will be. */
  handedOver: Promise<boolean>
  ended: Promise<void>
}

export interface TurnOptions {
  source?: Turn['source']
  /** The driver's own, kept with the message. */
  messageId?: string
}

export function startTurn(
  context: AghContext,
  session: LiveSession,
  text: string,
  options: TurnOptions = {},
): StartedTurn {
  const { source = 'user', messageId } = options
  requireActive(session.meta.id, session.meta.state)
  if (session.turn) {
    throw new AoError('TURN_IN_PROGRESS', `Session ${session.meta.id} works on another prompt`, {
      hint: `Wait for it with: agh session wait ${session.meta.id} --until idle`,
      details: { sessionId: session.meta.id, turnId: session.turn.turn.id },
    })
  }
  const turn = beginTurn(`turn-${randomBytes(8).toString('hex')}`, source, nowMs(context))
  const recorded = session.store.appendDurable({
    turn_id: turn.id,
    type: 'user_message',
    content: {
      text,
      source,
      ...(messageId === undefined ? {} : { message_id: messageId }),
      ...(session.preface.length === 0 ? {} : { preface: session.preface }),
    },
  })
  const running = openTurn(turn)
  session.turn = running
  session.usage = null
  superviseTurn(context, session, running)
  void askAgent(context, session, running, text)
  const { ended, handedOver } = running
  return { turnId: turn.id, sequence: recorded.sequence, ended, handedOver }
}

const MAX_QUEUED = 10

/** As `startTurn`, but waits while others are at work; first come, first served. */
export async function queueTurn(
  context: AghContext,
  session: LiveSession,
  text: string,
  options: TurnOptions = {},
): Promise<StartedTurn> {
  if (session.turn && session.queued >= MAX_QUEUED) {
    throw new AoError('TURN_IN_PROGRESS', `${MAX_QUEUED} prompts wait for session ${session.meta.id} already`)
  }
  session.queued++
  try {
    while (session.turn) await session.turn.ended
    return startTurn(context, session, text, options)
  } finally {
    session.queued--
  }
}

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

interface OpenTurn extends RunningTurn {
  handedOver: Promise<boolean>
  markHandedOver(isDone: boolean): void
  markSetup(): void
  markEnded(): void
}

function openTurn(turn: Turn): OpenTurn {
  const setup = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const handedOver = Promise.withResolvers<boolean>()
  return {
    turn,
    setup: setup.promise,
    ended: ended.promise,
    handedOver: handedOver.promise,
    markSetup: setup.resolve,
    markEnded: ended.resolve,
    markHandedOver: handedOver.resolve,
  }
}

async function askAgent(context: AghContext, session: LiveSession, running: OpenTurn, text: string): Promise<void> {
  const prompt = [...session.preface.map(prefaceBlock), text].map((block) => ({ type: 'text' as const, text: block }))
  try {
    const denied = await runHooks(context, session, 'prompt.pre_submit', { turn_id: running.turn.id, prompt: text })
    if (denied !== null) return denyTurn(context, session, denied)
    const answer = session.connection!.agent.request('session/prompt', {
      sessionId: session.meta.acp_session_id ?? '',
      prompt,
    })
    running.markSetup()
    running.markHandedOver(true)
    await answer
  } catch (error) {
    // An error that the agent sent has ended the turn already, in its place on the wire.
    if (session.turn === running) await loseTurn(context, session, errorText(error))
  } finally {
    running.markHandedOver(false)
    running.markSetup()
    running.markEnded()
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

function denyTurn(context: AghContext, session: LiveSession, why: string): void {
  const failure = summarizeFailure('permission_failure', why, secretsOf(context, session))
  endTurn(context, session, 'error', { error: failure.summary, failure })
  void finishSession(context, session, { kind: 'hook_denied', detail: why })
}

/** The agent can answer no more. */
async function loseTurn(context: AghContext, session: LiveSession, why: string): Promise<void> {
  const exit = await exitSoon(session)
  const evidence: FailureEvidence = {
    phase: 'prompt',
    exited: exit !== null,
    transportClosed: true,
    canceled: session.turn?.turn.cancel?.why === 'stop',
  }
  const error = exit ? describeExit(exit) : why
  const failure = summarizeFailure(classifyFailure(evidence), error, secretsOf(context, session))
  endTurn(context, session, 'error', { error: failure.summary, failure })
}

function endTurn(context: AghContext, session: LiveSession, type: 'done' | 'error', content: object): void {
  const running = session.turn
  if (!running) return
  cancelPermissions(session.permissions)
  orFinish(context, session, () => {
    session.store.appendDurable({ turn_id: running.turn.id, type, content })
    session.turn = null
    if (session.meta.state !== 'active') return
    saveMeta(context, session, { activity: null, ...(type === 'done' ? { failure: null, preface: [] } : {}) })
  })
  session.turn = null
}

/** A session whose history or metadata cannot be written must not go on as if it could. */
function orFinish(context: AghContext, session: LiveSession, write: () => void): void {
  try {
    write()
  } catch (error) {
    const detail = `its files cannot be written: ${errorText(error)}`
    void finishSession(context, session, { kind: 'internal', detail })
  }
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
