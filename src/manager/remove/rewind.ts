// `ao session rewind`: takes a session's files back to how they were before one of its turns, between two turns of its agent. Its
// conversation stays: no agent can be asked to forget.
import { AoError } from '../../contract/errors.ts'
import { THE_USER } from '../../contract/events.ts'
import type { Session } from '../../contract/session.ts'
import { isTerminalSession } from '../../contract/status.ts'
import { withLock } from '../../lib/lock.ts'
import { requireWritable } from '../../lib/process/own-home.ts'
import { type FoundSession, type ManagerContext, requireActive } from '../context.ts'
import { readOne } from '../observe/enrich.ts'
import { recoverSession, withSettledOperation } from './recover.ts'
import { goBackTo, type Rewound, requireFiles, requireTurn } from './turns.ts'

export interface RewindOptions {
  to: number
  /** Who requested it, for the history; absent: the user. */
  by?: string
}

/** A message may be on its way to the agent at this moment. */
const SEND_LOCK_MS = 5_000

export async function rewind(
  context: ManagerContext,
  sessionId: string,
  { to, by = THE_USER }: RewindOptions,
): Promise<Rewound> {
  requireWritable(context.paths)
  await recoverSession(context, sessionId)
  const { project, store } = requireActive(context, sessionId)
  return withSettledOperation(context, { project, store, sessionId }, (isSettled) => {
    if (!isSettled) {
      throw new AoError('STATE_REFUSED', `${sessionId} cannot be rewound now: an interrupted command is not settled`, {
        hint: 'See what is in its way with: ao doctor',
        details: { sessionId },
      })
    }
    return withLock(store.paths.sendLock(sessionId), () => rewindIdle(context, { sessionId, to, by }), {
      timeoutMs: SEND_LOCK_MS,
    })
  })
}

async function rewindIdle(
  context: ManagerContext,
  { sessionId, to, by }: { sessionId: string; to: number; by: string },
): Promise<Rewound> {
  const found = requireActive(context, sessionId)
  const path = await requireFiles(context, found, sessionId)
  const target = await requireTurn(context, sessionId, to)
  await refuseInTurn(context, found, sessionId)
  return goBackTo(context, { ...found, sessionId, path, target, by })
}

async function refuseInTurn(context: ManagerContext, found: FoundSession, sessionId: string): Promise<void> {
  const session = await readOne(context, found)
  const why = whyInTurn(session)
  if (why === null) return
  const runtime = session.runtimeHandle && (await context.registry.find('runtime', session.runtimeHandle.runtimeName))
  const hint = runtime?.events
    ? `Stop its turn with: ao session interrupt ${sessionId}`
    : `Stop its turn in its terminal (ao session attach ${sessionId}), or end it and bring it back afterwards: ao session kill ${sessionId}`
  throw new AoError('STATE_REFUSED', `${sessionId} cannot be rewound now: ${why}`, { hint, details: { sessionId } })
}

/** null: its agent is between two turns, or is not running. */
function whyInTurn(session: Session): string | null {
  if (isTerminalSession(session)) return null
  switch (session.activity) {
    case 'ready':
    case 'idle':
    case 'exited':
      return null
    case null:
      return 'what its agent is doing is unknown'
    default:
      return `its agent is in a turn (${session.activity})`
  }
}
