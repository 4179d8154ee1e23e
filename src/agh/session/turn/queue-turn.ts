// Prompts that wait for the running turn: first come, first served. A prompt is on disk before it is reported as queued. The
// queue itself is data of the session's machine; here is only who waits for it.

import { AoError } from '../../../contract/errors.ts'
import { daemonLeft } from '../../../core/agh/daemon-left.ts'
import { notActive } from '../../../core/agh/machine/decide.ts'
import { findQueued } from '../../../core/agh/machine/prompt-queue.ts'
import { NOT_DELIVERED } from '../../../core/agh/session/waiting-prompt.ts'
import { nowIso } from '../../../lib/clock.ts'
import type { AghContext } from '../context.ts'
import type { LiveSession } from '../live-session.ts'
import { addWaiter, note, removeWaiter, take } from '../publish.ts'
import { newTurnId, type StartedTurn, startTurn, type TurnOptions } from './prompt.ts'

export interface QueueOptions extends Omit<TurnOptions, 'waitedAs' | 'from'> {
  /** Its name on disk while it waits. Without one it waits in memory only: for callers that keep it elsewhere. */
  waitsAs?: string
  /** It is already on disk, from before this start of the session. */
  isKept?: boolean
}

export interface QueuedTurn {
  /** false: its turn begins immediately. */
  waits: boolean
  /** Resolves when its position in the queue is on disk. */
  kept: Promise<void>
  /** Rejects when it never gets its turn. */
  started: Promise<StartedTurn>
}

/** Like `startTurn`, but waits while other turns are running. */
export function queueTurn(
  context: AghContext,
  session: LiveSession,
  text: string,
  options: QueueOptions = {},
): QueuedTurn {
  const { waitsAs, isKept = false, source = 'user', turnId = newTurnId(), messageId, attachments } = options
  const waits = session.running !== null || session.state.queue.length > 0
  const id = messageId ?? turnId
  const prompt = { id, text, source, queuedAt: nowIso(context), keptAs: waitsAs ?? null, messageId: messageId ?? null }
  take(context, session, { type: 'queue_prompt', prompt })
  const kept =
    waits && waitsAs !== undefined && !isKept ? session.store.keepMessage({ id: waitsAs, text, attachments }) : null
  const waitedAs = waits || isKept ? waitsAs : undefined
  const begin = (text: string) =>
    startTurn(context, session, text, {
      ...{ source, turnId, attachments, ...(messageId && { messageId }) },
      ...{ from: id, waitedAs },
    })
  const started = waitForTurn(context, session, { id, kept, begin })
  // A caller that awaits only `kept` learns of it there.
  started.catch(() => undefined)
  return { waits, kept: kept ?? Promise.resolve(), started }
}

interface Waiting {
  id: string
  kept: Promise<void> | null
  begin: (text: string) => Promise<StartedTurn>
}

async function waitForTurn(
  context: AghContext,
  session: LiveSession,
  { id, kept, begin }: Waiting,
): Promise<StartedTurn> {
  let hasWaited = kept !== null
  const waiter = addWaiter(session, id)
  try {
    if (kept) await kept
    let prompt = findQueued(session.state.queue, id)
    while (session.running || !prompt) {
      hasWaited = true
      const { running } = session
      const over = running?.ended.promise.then(() => true)
      const isOver = await Promise.race([...(over ? [over] : []), waiter.decided()])
      if (isOver && session.running === running) throw notBegun(context, session)
      prompt = findQueued(session.state.queue, id)
    }
    // Not awaited here: from its first step on it has a turn and no longer a position in the queue.
    const started = begin(prompt.text)
    return hasWaited ? started.catch((error) => rejectUndelivered(session, error)) : started
  } finally {
    removeWaiter(session, id)
    note(session, { type: 'prompt_left_queue', id })
  }
}

/** Left, not ended: whoever continues the session records the prompt as not delivered. */
function notBegun(context: AghContext, { meta }: LiveSession): AoError {
  if (context.leaving.signal.aborted) return daemonLeft('the prompt was not delivered')
  if (!context.postponed.has(meta.id)) return notActive(meta.id, 'stopping')
  return new AoError('RUNTIME_FAILED', `The host of session ${meta.id} does not answer; the prompt was not delivered`, {
    hint: `Send it again when its health is known again: agh session status ${meta.id}`,
    details: { sessionId: meta.id },
  })
}

function rejectUndelivered({ meta }: LiveSession, error: unknown): never {
  if (!(error instanceof AoError) || error.code !== 'SESSION_NOT_ACTIVE') throw error
  throw new AoError('SESSION_NOT_ACTIVE', NOT_DELIVERED, {
    hint: `Resume it with: agh session resume ${meta.id}. Then send the prompt again`,
    details: error.details,
    cause: error,
  })
}
