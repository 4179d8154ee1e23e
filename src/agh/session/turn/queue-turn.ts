// Prompts that wait for the running turn: first come, first served. A prompt is on disk before it is reported as queued.
import { AoError } from '../../../contract/errors.ts'
import { NOT_DELIVERED } from '../../../core/agh/session/waiting-prompt.ts'
import type { AghContext } from '../context.ts'
import type { LiveSession } from '../live-session.ts'
import { note, take } from '../publish.ts'
import { type StartedTurn, startTurn, type TurnOptions } from './prompt.ts'

export interface QueueOptions extends Omit<TurnOptions, 'waitedAs'> {
  /** Its name on disk while it waits. Without one it waits in memory only: for callers that keep it elsewhere. */
  waitsAs?: string
  /** It is already on disk, from before this start of the session. */
  isKept?: boolean
}

export interface QueuedTurn {
  /** false: its turn begins immediately. */
  waits: boolean
  /** Resolves when its place in the queue is on disk. */
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
  const { waitsAs, isKept = false, ...turn } = options
  const waits = session.running !== null || session.state.queued > 0
  take(context, session, { type: 'queue_prompt' })
  const kept = waits && waitsAs !== undefined && !isKept ? session.store.keepMessage(waitsAs, text) : null
  const begin = () => startTurn(context, session, text, { ...turn, waitedAs: waits || isKept ? waitsAs : undefined })
  const started = waitForTurn(session, kept, begin)
  // A caller that awaits only `kept` learns of it there.
  started.catch(() => undefined)
  return { waits, kept: kept ?? Promise.resolve(), started }
}

async function waitForTurn(
  session: LiveSession,
  kept: Promise<void> | null,
  begin: () => Promise<StartedTurn>,
): Promise<StartedTurn> {
  let hasWaited = kept !== null
  try {
    if (kept) await kept
    while (session.running) {
      hasWaited = true
      await session.running.ended
    }
    // Not awaited here: from its first step on it has a turn and no longer a place in the queue.
    const started = begin()
    return hasWaited ? started.catch((error) => rejectUndelivered(session, error)) : started
  } finally {
    note(session, { type: 'prompt_left_queue' })
  }
}

function rejectUndelivered({ meta }: LiveSession, error: unknown): never {
  if (!(error instanceof AoError) || error.code !== 'SESSION_NOT_ACTIVE') throw error
  throw new AoError('SESSION_NOT_ACTIVE', NOT_DELIVERED, {
    hint: `Resume it with: agh session resume ${meta.id}. Then send the prompt again`,
    details: error.details,
    cause: error,
  })
}
