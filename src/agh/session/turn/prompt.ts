// One turn: the prompt is recorded, then handed to the agent; the agent's answer ends it.
import { randomBytes } from 'node:crypto'
import { AoError, errorText } from '../../../contract/errors.ts'
import { prefaceBlock } from '../../../core/agh/session/preface.ts'
import { requireActive } from '../../../core/agh/session/transition.ts'
import { beginTurn, type Turn } from '../../../core/agh/session/turn.ts'
import { type AghContext, nowMs } from '../context.ts'
import type { LiveSession, RunningTurn } from '../live-session.ts'
import { runHooks } from '../start/run-hooks.ts'
import { denyTurn, loseTurn } from './end-turn.ts'
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
