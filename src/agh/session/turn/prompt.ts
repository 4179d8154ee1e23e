// One turn: the prompt is recorded, then handed to the agent; the agent's answer ends it.
import { randomBytes } from 'node:crypto'
import type { EventDraft, EventRow } from '../../../contract/agh/events.ts'
import type { TurnSource } from '../../../contract/agh/words.ts'
import { AoError, errorText } from '../../../contract/errors.ts'
import type { StopCause } from '../../../core/agh/session/classify-stop.ts'
import { prefaceBlock } from '../../../core/agh/session/preface.ts'
import { requireActive } from '../../../core/agh/session/transition.ts'
import { beginTurn, type Turn } from '../../../core/agh/session/turn.ts'
import { isBusy } from '../../store/database.ts'
import { type AghContext, nowMs } from '../context.ts'
import { finishSession } from '../finish.ts'
import type { LiveSession, RunningTurn } from '../live-session.ts'
import { exitSoon, soon } from '../start/attempt.ts'
import { runHooks } from '../start/run-hooks.ts'
import { leaveTurn, takeTurn } from './live-turn.ts'
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
  source?: TurnSource
  /** The driver's own, kept with the message. */
  messageId?: string
  /** It waited under its id, and does so no longer. */
  hasWaited?: boolean
}

/** Resolves when the prompt is on the disk. */
export async function startTurn(
  context: AghContext,
  session: LiveSession,
  text: string,
  options: TurnOptions = {},
): Promise<StartedTurn> {
  const { source = 'user' } = options
  requireFree(session)
  const turn = beginTurn(`turn-${randomBytes(8).toString('hex')}`, source, nowMs(context))
  const running = openTurn(turn)
  // Taken before the write, which may have to wait: no second turn begins meanwhile.
  takeTurn(session, running)
  const recorded = await recordPrompt(session, running, text, options)
  session.usage = null
  superviseTurn(context, session, running)
  void askAgent(context, session, running, text)
  const { ended, handedOver } = running
  return { turnId: turn.id, sequence: recorded.sequence, ended, handedOver }
}

function requireFree(session: LiveSession): void {
  requireActive(session.meta.id, session.finishing ? 'stopping' : session.meta.state)
  if (!session.turn) return
  throw new AoError('TURN_IN_PROGRESS', `Session ${session.meta.id} works on another prompt`, {
    hint: `Wait for it with: agh session wait ${session.meta.id} --until idle`,
    details: { sessionId: session.meta.id, turnId: session.turn.turn.id },
  })
}

async function recordPrompt(
  session: LiveSession,
  running: OpenTurn,
  text: string,
  { source = 'user', messageId, hasWaited }: TurnOptions,
): Promise<EventRow> {
  const draft: EventDraft = {
    turn_id: running.turn.id,
    type: 'user_message',
    content: {
      text,
      source,
      ...(messageId === undefined ? {} : { message_id: messageId }),
      ...(session.preface.length === 0 ? {} : { preface: session.preface }),
    },
  }
  try {
    const { store } = session
    return await (hasWaited && messageId ? store.appendDelivered(draft, messageId) : store.appendDurable(draft))
  } catch (error) {
    // It is in no history, so there is no turn to end.
    leaveTurn(session, running)
    close(running)
    throw isBusy(error) ? historyLocked(session.meta.id, error) : error
  }
}

function historyLocked(sessionId: string, cause: unknown): AoError {
  return new AoError('LOCK_TIMEOUT', `Another program keeps the history of session ${sessionId} locked`, {
    hint: 'Close whatever writes to its events.db, then send the prompt again',
    details: { sessionId },
    cause,
  })
}

const MAX_QUEUED = 10

/** As `startTurn`, but waits while others are at work; first come, first served. */
export async function queueTurn(
  context: AghContext,
  session: LiveSession,
  text: string,
  options: TurnOptions = {},
): Promise<StartedTurn> {
  requireRoom(session)
  session.queued++
  try {
    while (session.turn) await session.turn.ended
    return startTurn(context, session, text, options)
  } finally {
    session.queued--
  }
}

export function requireRoom(session: LiveSession): void {
  if (!session.turn || session.queued < MAX_QUEUED) return
  throw new AoError('TURN_IN_PROGRESS', `${MAX_QUEUED} prompts wait for session ${session.meta.id} already`)
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
    recorded: null,
    setup: setup.promise,
    ended: ended.promise,
    handedOver: handedOver.promise,
    markSetup: setup.resolve,
    markEnded: ended.resolve,
    markHandedOver: handedOver.resolve,
  }
}

function close(running: OpenTurn): void {
  running.markHandedOver(false)
  running.markSetup()
  running.markEnded()
}

async function askAgent(context: AghContext, session: LiveSession, running: OpenTurn, text: string): Promise<void> {
  const prompt = [...session.preface.map(prefaceBlock), text].map((block) => ({ type: 'text' as const, text: block }))
  try {
    const denied = await runHooks(context, session, 'prompt.pre_submit', { turn_id: running.turn.id, prompt: text })
    if (denied !== null) return await lose(context, session, running, { kind: 'hook_denied', detail: denied })
    if (session.turn !== running) return
    const answer = session.connection!.agent.request('session/prompt', {
      sessionId: session.meta.acp_session_id ?? '',
      prompt,
    })
    running.markSetup()
    running.markHandedOver(true)
    await answer
  } catch (error) {
    // An error that the agent sent has ended the turn already, in its place on the wire.
    if (session.turn === running) await lose(context, session, running, await explainLoss(session, error))
  } finally {
    await running.recorded
    close(running)
  }
}

/** The turn ends with its session and with the same failure; see finish.ts. */
async function lose(context: AghContext, session: LiveSession, running: OpenTurn, cause: StopCause): Promise<void> {
  running.markHandedOver(false)
  running.markSetup()
  await finishSession(context, session, cause)
}

/** Whoever noticed first knows best: an exit says more than a closed connection, and that more than a failed request. */
async function explainLoss(session: LiveSession, error: unknown): Promise<StopCause> {
  const [exit, why] = await Promise.all([exitSoon(session), soon(session.connection?.closed)])
  return exit ? { kind: 'exited', exit } : { kind: 'transport', detail: why ?? errorText(error) }
}
