// One turn: the prompt is recorded, then sent to the agent; the agent's response ends it.

import { randomBytes } from 'node:crypto'
import type { Attachment } from '../../../contract/agh/attachment.ts'
import type { TurnSource } from '../../../contract/agh/session-terms.ts'
import { AoError, errorText } from '../../../contract/errors.ts'
import type { StopCause } from '../../../core/agh/session/classify-stop.ts'
import { planRetry } from '../../../core/agh/session/plan-retry.ts'
import { prefaceBlock } from '../../../core/agh/session/preface.ts'
import { linkedOnly } from '../../../core/agh/session/prompt-form.ts'
import { newTurn } from '../../../core/agh/session/turn.ts'
import { nowMs } from '../../../lib/clock.ts'
import { isBusy } from '../../store/database.ts'
import type { AghContext } from '../context.ts'
import { finishSession } from '../finish.ts'
import type { LiveSession, RunningTurn } from '../live-session.ts'
import { addTimer, beginTurn, clearTimer } from '../publish.ts'
import { exitSoon, soon } from '../start/attempt.ts'
import { runHooks } from '../start/run-hooks.ts'
import { promptContent } from './attached-files.ts'
import { closeTurn } from './running-turn.ts'
import { superviseTurn } from './supervise-turn.ts'

export interface StartedTurn {
  turnId: string
  /** The number of its `user_message`. */
  sequence: number
  /** true: it has been sent to the agent. false: it never will be. */
  handedOver: Promise<boolean>
  ended: Promise<void>
}

export interface TurnOptions {
  source?: TurnSource
  turnId?: string
  /** The driver's own id, kept with the message. */
  messageId?: string
  /** What goes along with it, kept already. */
  attachments?: readonly Attachment[] | undefined
  /** The failed turn that it repeats. */
  retries?: string | undefined
  /** Its position in the queue, which it leaves. */
  from?: string | undefined
  /** It waited on disk under this name, and no longer does. */
  waitedAs?: string | undefined
}

export function newTurnId(): string {
  return `turn-${randomBytes(8).toString('hex')}`
}

/** Resolves when the prompt is on disk. */
export async function startTurn(
  context: AghContext,
  session: LiveSession,
  text: string,
  options: TurnOptions = {},
): Promise<StartedTurn> {
  const { source = 'user', turnId = newTurnId(), messageId, attachments, retries, from, waitedAs } = options
  const running = openTurn(turnId)
  const { preface } = session.state
  const content = {
    text,
    source,
    ...(messageId === undefined ? {} : { message_id: messageId }),
    ...attachedTo(session, attachments),
    retries,
    ...(preface.length === 0 ? {} : { preface: [...preface] }),
  }
  const event = { type: 'user_message' as const, content }
  const turn = newTurn(turnId, source, nowMs(context))
  const command = { type: 'begin_turn' as const, turn, event, from, waitedAs }
  const recorded = await beginTurn(context, session, command, running).catch((error) => {
    // It was not logged, so there is no turn to end.
    closeTurn(running)
    throw isBusy(error) ? historyLocked(session.meta.id, error) : error
  })
  const timer = superviseTurn(context, session, running)
  addTimer(session, timer)
  void running.ended.promise.then(() => clearTimer(session, timer))
  void askAgent(context, session, running, [...preface.map(prefaceBlock), text], attachments)
  return { turnId, sequence: recorded.sequence, ended: running.ended.promise, handedOver: running.handedOver.promise }
}

export function openTurn(id: string): RunningTurn {
  return {
    id,
    handedOver: Promise.withResolvers(),
    ended: Promise.withResolvers(),
    recordings: [],
  }
}

/** What the log says of the files. */
function attachedTo({ state }: LiveSession, attachments: readonly Attachment[] | undefined) {
  if (attachments === undefined || attachments.length === 0) return {}
  const linked = linkedOnly(attachments, state.abilities).map(({ sha256 }) => sha256)
  return { attachments: [...attachments], ...(linked.length > 0 && { linked }) }
}

function historyLocked(sessionId: string, cause: unknown): AoError {
  return new AoError('LOCK_TIMEOUT', `Another program keeps the history of session ${sessionId} locked`, {
    hint: 'Close whatever writes to its events.db, then send the prompt again',
    details: { sessionId },
    cause,
  })
}

/** Resolves when the turn is over. */
export async function askAgent(
  context: AghContext,
  session: LiveSession,
  running: RunningTurn,
  texts: readonly string[],
  attachments: readonly Attachment[] = [],
): Promise<void> {
  try {
    const facts = { turn_id: running.id, prompt: texts.at(-1) }
    const denied = await runHooks(context, session, 'prompt.pre_submit', facts)
    if (denied !== null) return await lose(context, session, running, { kind: 'hook_denied', detail: denied })
    if (session.running !== running) return
    const answer = session.connection!.prompt(running.id, {
      sessionId: session.meta.acp_session_id ?? '',
      prompt: attachments.length > 0 ? promptContent(context, session, texts, attachments) : texts.map(textBlock),
    })
    running.handedOver.resolve(true)
    await answer
  } catch (error) {
    // An error response from the agent has already ended the turn, in its order on the wire.
    if (session.running === running) await lose(context, session, running, await explainLoss(session, error))
  } finally {
    await Promise.all(running.recordings)
    closeTurn(running)
  }
}

function textBlock(text: string) {
  return { type: 'text' as const, text }
}

/** The turn ends with its session and with the same failure; see finish.ts. */
async function lose(context: AghContext, session: LiveSession, running: RunningTurn, cause: StopCause): Promise<void> {
  running.handedOver.resolve(false)
  await finishSession(context, session, cause)
}

/** The most specific cause wins: an exit says more than a closed connection, and that more than a failed request. */
async function explainLoss(session: LiveSession, error: unknown): Promise<StopCause> {
  const [exit, why] = await Promise.all([exitSoon(session), soon(session.connection?.closed)])
  return exit ? { kind: 'exited', exit } : { kind: 'transport', detail: why ?? errorText(error) }
}

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
