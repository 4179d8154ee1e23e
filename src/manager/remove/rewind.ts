// `ao session rewind`: takes a session's files back to how they were before one of its turns, between two turns of its agent; and its
// conversation, where the agent can begin with a copy of it until then: the record says so together with the files, the agent is ended,
// and its next start goes back. A crash in between leaves the old conversation or the new one, and the next command continues.
import { AoError, errorText } from '../../contract/errors.ts'
import { THE_USER } from '../../contract/events.ts'
import type { Session } from '../../contract/session.ts'
import { isTerminalSession } from '../../contract/status.ts'
import { storedSession } from '../../contract/stored-session.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { ignoreFailure } from '../../lib/ignore-failure.ts'
import { requireWritable } from '../../lib/process/own-home.ts'
import { currentProcess, formatIdentity } from '../../lib/process/process-identity.ts'
import { isPaused, readPause } from '../../store/fleet-pause.ts'
import type { SessionStore } from '../../store/session/session-store.ts'
import { type FoundSession, type ManagerContext, requireActive } from '../context.ts'
import { deliverHeld } from '../deliver.ts'
import { restore } from '../launch/restore.ts'
import { withSendLock } from '../message/send-lock.ts'
import { readOne } from '../observe/enrich.ts'
import { isReturnLeft, whileReturning } from '../operation.ts'
import { ownRecord } from '../own-record.ts'
import { kill } from './kill.ts'
import { recoverSession, withSettledOperation } from './recover.ts'
import { goBackTo, pointOf, type Rewound, requireFiles, requireTurn, type Turn } from './turns.ts'

export interface RewindOptions {
  to: number
  /** Its agent is to remember what came later. */
  filesOnly?: boolean
  /** Who requested it, for the history; absent: the user. */
  by?: string
}

const BY = 'rewind'
const RESTORED: ReadonlySet<string> = new Set(['session.restored'])

export async function rewind(
  context: ManagerContext,
  sessionId: string,
  { to, by = THE_USER, filesOnly = false }: RewindOptions,
): Promise<Rewound> {
  requireWritable(context.paths)
  await recoverSession(context, sessionId)
  await finishReturn(context, sessionId)
  return whileReturning(sessionId, () => rewindAndReturn(context, { sessionId, to, by, filesOnly }))
}

interface Wanted {
  sessionId: string
  to: number
  by: string
  filesOnly: boolean
}

async function rewindAndReturn(context: ManagerContext, wanted: Wanted): Promise<Rewound> {
  const { sessionId } = wanted
  const { project, store } = requireActive(context, sessionId)
  const rewound = await withSettledOperation(context, { project, store, sessionId }, (isSettled) => {
    if (!isSettled) {
      throw new AoError('STATE_REFUSED', `${sessionId} cannot be rewound now: an interrupted command is not settled`, {
        hint: 'See what is in its way with: ao doctor',
        details: { sessionId },
      })
    }
    return withSendLock(store, sessionId, 'person', () => rewindIdle(context, wanted))
  })
  if (rewound.conversation === 'kept') return rewound
  await returnConversation(context, sessionId)
  return asStarted(store, rewound)
}

/** The agent's records, or the configuration, may have changed since they were read. */
function asStarted(store: SessionStore, rewound: Rewound): Rewound {
  const { sessionId, notice } = rewound
  if (store.read(sessionId)?.record.conversationTo !== undefined) return { ...rewound, conversation: 'next-start' }
  const [restored] = store.readHistory(sessionId, { last: 1, types: RESTORED }).events
  if (restored?.type !== 'session.restored' || restored.how === 'rewind') return rewound
  if (restored.how === 'resume')
    return { ...rewound, conversation: 'kept', keptBecause: 'its records changed, and it goes on in its conversation' }
  return { ...rewound, notice: [notice, FRESH].filter(Boolean).join('. ') }
}

const FRESH = 'Its agent began a new conversation: the old one could not be copied until then'

/** After a command that was killed. While everything is paused nothing is ended that could not be started again. */
export async function finishReturn(context: ManagerContext, sessionId: string): Promise<boolean> {
  const { record } = requireActive(context, sessionId).stored
  const isLeft = isReturnLeft(sessionId, record) && !isPaused(readPause(context.paths))
  if (isLeft) await whileReturning(sessionId, () => returnConversation(context, sessionId))
  return isLeft
}

export async function finishReturns(
  context: ManagerContext,
  ids: readonly string[],
  onFailure?: (sessionId: string, why: string) => void,
): Promise<Array<{ sessionId: string; outcome: 'finished' }>> {
  const finished: Array<{ sessionId: string; outcome: 'finished' }> = []
  const left = ids.flatMap((id) => context.store(id).readAll()).filter(({ id, record }) => isReturnLeft(id, record))
  for (const { id: sessionId } of left) {
    try {
      if (await finishReturn(context, sessionId)) finished.push({ sessionId, outcome: 'finished' })
    } catch (error) {
      onFailure?.(sessionId, errorText(error))
      context.log.warn(`${sessionId}: it could not go back in its conversation: ${errorText(error)}`)
    }
  }
  return finished
}

/** Ends the agent that remembers too much, and starts it where it is to be. One that has ended goes back with its next start. */
async function returnConversation(context: ManagerContext, sessionId: string): Promise<void> {
  const { store } = requireActive(context, sessionId)
  const isOver = () => store.read(sessionId)?.record.returner === undefined
  const hand = (returner: string | null) => store.update(sessionId, (record) => (record.returner ? { returner } : {}))
  if (isOver()) return
  await hand(formatIdentity(currentProcess()))
  const { status = 'spawning' } = store.read(sessionId)!.record
  try {
    if (!isTerminalSession({ status, activity: null }))
      await kill(context, sessionId, { keepWorkspace: true, keepMessages: true, rewinding: true, by: BY })
  } catch (error) {
    await hand('nobody')
    throw error
  }
  failpoint('go-back.ended')
  try {
    if (!isOver()) await restore(context, sessionId, { by: BY })
  } catch (error) {
    // Somebody else was faster.
    if (isOver()) return
    await hand(null)
    throw new AoError(
      'STATE_REFUSED',
      `${sessionId} has gone back, but its agent could not be started: ${errorText(error)}`,
      {
        hint: `Its files are in place. Start it where it is to go on with: ao session restore ${sessionId}`,
        cause: error,
      },
    )
  }
  failpoint('go-back.restored')
  await ignoreFailure(`what waits for ${sessionId} is delivered later`, context.log, () =>
    deliverHeld(context, sessionId),
  )
}

async function rewindIdle(context: ManagerContext, { sessionId, to, by, filesOnly }: Wanted): Promise<Rewound> {
  const found = requireActive(context, sessionId)
  const path = await requireFiles(context, found, sessionId)
  const target = await requireTurn(context, sessionId, to)
  await refuseInTurn(context, found, sessionId)
  const keptBecause = filesOnly ? 'only files were to go back' : await whyKept(context, found, sessionId, target)
  const returner = formatIdentity(currentProcess())
  return goBackTo(context, { ...found, sessionId, path, target, by, keptBecause, returner })
}

/** Why its agent cannot go back, too; null: it can. */
async function whyKept(
  context: ManagerContext,
  { project, store, stored }: FoundSession,
  sessionId: string,
  turn: Turn,
): Promise<string | null> {
  const claims = await ownRecord(context, project, sessionId, stored)
  const { agent: name = '', runtime: runtimeName = '', adopted, spawnId } = claims.record
  const agent = await context.registry.find('agent', name)
  const runtime = await context.registry.find('runtime', runtimeName)
  const session = storedSession(claims, project.id)
  if (isPaused(readPause(context.paths))) return 'everything is paused'
  if (adopted === 'terminal' && spawnId !== undefined && !isTerminalSession(session))
    return 'its agent runs in a terminal of your own'
  if (runtime?.drivesAcpAgents) return 'over ACP no agent can be asked to forget'
  if (!agent?.fork) return `${name} keeps no conversation that could be copied until then`
  const point = pointOf(context, sessionId, turn)
  return point === null
    ? 'its state at that time was not recorded'
    : agent.fork.whyNot(session, store.paths.stateDir(sessionId), point)
}

async function refuseInTurn(context: ManagerContext, found: FoundSession, sessionId: string): Promise<void> {
  const session = await readOne(context, found)
  const why = whyInTurn(session)
  if (why === null) return
  const runtime = session.runtimeHandle && (await context.registry.find('runtime', session.runtimeHandle.runtimeName))
  const hint =
    runtime?.events || session.activity === 'active'
      ? `Stop its turn with: ao session interrupt ${sessionId}`
      : `Answer it in its terminal (ao session attach ${sessionId}), or end it and bring it back afterwards: ao session kill ${sessionId}`
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
