// `ao session rewind`: takes a session's files back to how they were before one of its turns, between two turns of its agent; and its
// conversation, where the agent can begin with a copy of it until then: the record says so together with the files, the agent is ended,
// and its next start goes back. A crash in between leaves the old conversation or the new one, and the next command continues.
import { AoError, errorText } from '../../contract/errors.ts'
import { THE_USER } from '../../contract/events.ts'
import type { SessionRecord } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { isTerminalSession } from '../../contract/status.ts'
import { storedSession } from '../../contract/stored-session.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { ignoreFailure } from '../../lib/ignore-failure.ts'
import { withLock } from '../../lib/lock.ts'
import { requireWritable } from '../../lib/process/own-home.ts'
import { isPaused, readPause } from '../../store/fleet-pause.ts'
import type { SessionStore } from '../../store/session/session-store.ts'
import { type FoundSession, type ManagerContext, requireActive } from '../context.ts'
import { deliverHeld } from '../deliver.ts'
import { restore } from '../launch/restore.ts'
import { get, readOne } from '../observe/enrich.ts'
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

/** A message may be on its way to the agent at this moment. */
const SEND_LOCK_MS = 5_000
const RESTORED: ReadonlySet<string> = new Set(['session.restored'])

export async function rewind(
  context: ManagerContext,
  sessionId: string,
  { to, by = THE_USER, filesOnly = false }: RewindOptions,
): Promise<Rewound> {
  requireWritable(context.paths)
  await recoverSession(context, sessionId)
  const { project, store } = requireActive(context, sessionId)
  if (isToGoBack(store.read(sessionId)!.record)) await returnConversation(context, sessionId)
  const rewound = await withSettledOperation(context, { project, store, sessionId }, (isSettled) => {
    if (!isSettled) {
      throw new AoError('STATE_REFUSED', `${sessionId} cannot be rewound now: an interrupted command is not settled`, {
        hint: 'See what is in its way with: ao doctor',
        details: { sessionId },
      })
    }
    return withLock(store.paths.sendLock(sessionId), () => rewindIdle(context, { sessionId, to, by, filesOnly }), {
      timeoutMs: SEND_LOCK_MS,
    })
  })
  if (rewound.conversation === 'kept') return rewound
  await returnConversation(context, sessionId)
  return asStarted(store, rewound)
}

/** The agent's records may have changed since they were read. */
function asStarted(store: SessionStore, rewound: Rewound): Rewound {
  const { sessionId } = rewound
  const isPending = store.read(sessionId)?.record.conversationTo !== undefined
  const [restored] = store.readHistory(sessionId, { last: 1, types: RESTORED }).events
  if (isPending || restored?.type !== 'session.restored' || restored.how !== 'resume') return rewound
  return { ...rewound, conversation: 'kept', keptBecause: 'its records changed, and it goes on in its conversation' }
}

/** Those that were killed before they ended the agent, which remembers what came later. */
export async function finishRewinds(
  context: ManagerContext,
  ids: readonly string[],
  onFailure?: (sessionId: string, why: string) => void,
): Promise<string[]> {
  const finished: string[] = []
  for (const { id: sessionId, record } of ids.flatMap((id) => context.store(id).readAll())) {
    if (!isToGoBack(record)) continue
    try {
      await returnConversation(context, sessionId)
      finished.push(sessionId)
    } catch (error) {
      onFailure?.(sessionId, errorText(error))
      context.log.warn(`${sessionId}: it could not go back in its conversation: ${errorText(error)}`)
    }
  }
  return finished
}

function isToGoBack({ conversationTo, operation, runtimeHandle, status = 'spawning' }: SessionRecord): boolean {
  if (conversationTo === undefined || operation !== undefined || runtimeHandle === undefined) return false
  return !isTerminalSession({ status, activity: null })
}

/** Ends the agent that remembers too much, and starts it where it is to be. One that has ended goes back with its next start. */
export async function returnConversation(context: ManagerContext, sessionId: string): Promise<void> {
  const session = await get(context, sessionId)
  if (!session || isTerminalSession(session)) return
  const by = 'rewind'
  await kill(context, sessionId, { keepWorkspace: true, keepMessages: true, rewinding: true, by })
  failpoint('go-back.ended')
  try {
    await restore(context, sessionId, { by })
  } catch (error) {
    // Somebody else was faster.
    if (context.store(session.projectId).read(sessionId)?.record.conversationTo === undefined) return
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

async function rewindIdle(
  context: ManagerContext,
  { sessionId, to, by, filesOnly }: { sessionId: string; to: number; by: string; filesOnly: boolean },
): Promise<Rewound> {
  const found = requireActive(context, sessionId)
  const path = await requireFiles(context, found, sessionId)
  const target = await requireTurn(context, sessionId, to)
  await refuseInTurn(context, found, sessionId)
  const keptBecause = filesOnly ? 'only files were to go back' : await whyKept(context, found, sessionId, target)
  return goBackTo(context, { ...found, sessionId, path, target, by, keptBecause })
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
    ? 'nobody wrote down what it was then'
    : agent.fork.whyNot(session, store.paths.stateDir(sessionId), point)
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
