// The one way a session ends, whatever the cause. Runs once; a failing step does not prevent the next.
import { existsSync } from 'node:fs'
import { durationMs } from '../../contract/agh/duration.ts'
import type { SessionMeta } from '../../contract/agh/session-meta.ts'
import { errorText } from '../../contract/errors.ts'
import { classifyStop, type StopCause, type StopManner } from '../../core/agh/session/classify-stop.ts'
import { describeRpcError } from '../../core/agh/session/describe-rpc-error.ts'
import { failedTurn } from '../../core/agh/session/turn-end.ts'
import { endHost } from '../../host/end.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { ignoreFailure } from '../../lib/ignore-failure.ts'
import { measure } from '../../lib/measures.ts'
import { formatIdentity, type ProcessIdentity } from '../../lib/process/process-identity.ts'
import { findFamily, type StopOutcome, stopProcesses } from '../../lib/process/process-tree.ts'
import type { UnprovenProcess } from '../../lib/process/unproven-processes.ts'
import { agentHostDirectory, stopElsewhere } from '../acp/agent-host.ts'
import type { AgentProcess } from '../acp/agent-process.ts'
import { childrenOf } from './children.ts'
import type { AghContext } from './context.ts'
import { cleanDetail, describeFailure, secretsOf } from './crash-bundle.ts'
import type { LiveSession } from './live-session.ts'
import { CANCEL_GRACE_MS, endUnwritten, finishOnce, perform, sendCancel, within } from './publish.ts'
import { readSession } from './read-session.ts'
import { runHooks } from './start/run-hooks.ts'
import { cancelPermissions } from './turn/permission-desk.ts'
import { reportUndelivered } from './turn/report-undelivered.ts'
import { cancelTurn, endTurn } from './turn/running-turn.ts'

export function finishSession(context: AghContext, session: LiveSession, cause: StopCause): Promise<SessionMeta> {
  return finishOnce(session, () => finish(context, session, cause))
}

/** For a stop request: a start in progress is aborted and then ends on its own. */
export async function stopLive(context: AghContext, session: LiveSession, cause: StopCause): Promise<SessionMeta> {
  const starting = context.starting.get(session.meta.id)
  const isStarting = session.state.phase.name === 'starting'
  await perform(context, session, { type: 'stop' })
  if (isStarting) await starting?.catch(() => undefined)
  const isOver = context.live.get(session.meta.id) !== session
  return isOver ? readSession(context, session.meta.id) : finishSession(context, session, cause)
}

async function finish(context: AghContext, session: LiveSession, cause: StopCause): Promise<SessionMeta> {
  const turnWasRunning = session.running !== null
  await tolerate(context, 'mark it as stopping', () => perform(context, session, { type: 'end' }))
  failpoint('agh-stopping')
  for (const timer of session.timers) clearInterval(timer)
  session.abort.abort()
  await session.running?.handedOver.promise
  const how = cause.kind === 'user' ? cause.how : undefined
  const { left, unproven, closed } = await endAgent(context, session, how)
  await endChildren(context, session)
  const done: StopCause = closed === undefined ? cause : { kind: 'user', detail: closed }
  const final = left.length === 0 ? done : leftBehind(left)
  await writeEnd(context, session, final, { turnWasRunning: turnWasRunning || session.running !== null, unproven })
  context.live.delete(session.meta.id)
  measure('sessionEnd', { agent: session.meta.agent_name, reason: session.meta.stop_reason ?? 'unknown' })
  return session.meta
}

/** Children do not outlive their parent. */
async function endChildren(context: AghContext, session: LiveSession): Promise<void> {
  const cause: StopCause = { kind: 'user', detail: 'the parent session stopped' }
  await Promise.all(
    childrenOf(context, session.meta.id).map((child) => {
      const isStarting = child.state.phase.name === 'starting'
      const stopped = tolerate(context, 'stop a child', async () => void (await stopLive(context, child, cause)))
      // A session that is starting ends on its own: its hooks may take a while.
      return isStarting ? undefined : stopped
    }),
  )
}

/** Cooperative first: cancel, then close its input, then signals. Afterwards no process of it is left. */
async function endAgent(
  context: AghContext,
  session: LiveSession,
  how?: StopManner,
): Promise<StopOutcome & { closed?: string | undefined }> {
  const { process } = session
  const spawnId = session.meta.process?.spawn_id
  if (spawnId === undefined) return { left: [], unproven: [] }
  if (!process) return endHalfStarted(context, session, spawnId)
  // Listed before it is asked to end: a child that cleared its environment is identified by its parent only while the
  // parent is alive.
  const family = await findFamily(spawnId, process.identity)
  const closed = how?.force ? undefined : await askToEnd(context, session, process, how)
  if (process.stop) await within(process.stop(how?.force ? 0 : SIGNAL_GRACE_MS), STOP_ELSEWHERE_MS)
  const outcome = await stopProcesses(spawnId, family, {
    graceMs: how?.force ? 0 : SIGNAL_GRACE_MS,
    workspacePath: session.meta.workspace_path,
  })
  session.connection?.close()
  await within(process.exited, SIGNAL_GRACE_MS)
  return { ...outcome, closed }
}

/** Its host may have been started, and its agent, without our knowing. */
async function endHalfStarted(context: AghContext, { meta }: LiveSession, spawnId: string): Promise<StopOutcome> {
  const directory = agentHostDirectory(context.paths, { id: meta.id, process: meta.process! })
  if (!existsSync(directory)) return { left: [], unproven: [] }
  await tolerate(context, 'end its agent elsewhere', () => stopElsewhere(directory, meta.id, 0))
  endHost(directory)
  return stopProcesses(spawnId, [], { graceMs: 0, workspacePath: meta.workspace_path })
}

/** What became of the request to close its conversation; undefined: there was none. */
async function askToEnd(
  context: AghContext,
  session: LiveSession,
  process: AgentProcess,
  how: StopManner | undefined,
): Promise<string | undefined> {
  const stopGraceMs = how?.graceMs ?? durationMs(context.config.session.timeouts.driver_stop)
  if (session.running && process.exit() === null) {
    await cancelTurn(context, session, 'stop')
    await within(session.running?.ended.promise, Math.min(stopGraceMs, CANCEL_GRACE_MS))
  } else if (session.meta.acp_session_id !== null && process.exit() === null) {
    await sendCancel(context, session)
  }
  const closed = how?.closes && process.exit() === null ? await closeThere(session, stopGraceMs) : undefined
  process.endInput()
  await within(process.exited, stopGraceMs)
  return closed
}

async function closeThere({ connection, meta }: LiveSession, graceMs: number): Promise<string> {
  let closed = `its agent did not answer session/close within ${graceMs} ms`
  const request = connection?.agent.request('session/close', { sessionId: meta.acp_session_id ?? '' }).then(
    () => {
      closed = 'its agent closed the conversation'
    },
    (error) => {
      closed = `its agent did not close the conversation: ${describeRpcError(error)}`
    },
  )
  await within(request, graceMs)
  return closed
}

const SIGNAL_GRACE_MS = 500
/** One that cannot be reached now is for whoever started it to end. */
const STOP_ELSEWHERE_MS = 5_000

/**
 * Lets go of it, and leaves its agent to the next daemon. Nothing is said about an end, because there is none. `isPostponed`: this
 * daemon continues it, once its host answers.
 */
export async function leaveRunning(
  context: AghContext,
  session: LiveSession,
  { isPostponed = false } = {},
): Promise<void> {
  await finishOnce(session, async () => {
    for (const timer of session.timers) clearInterval(timer)
    await session.running?.handedOver.promise
    await tolerate(context, 'close the history', () => session.store.close())
    session.process?.detach()
    for (const { child } of session.terminals.open.values()) child.unref()
    if (isPostponed) context.postponed.set(session.meta.id, new AbortController())
    context.live.delete(session.meta.id)
    return session.meta
  })
}

async function writeEnd(
  context: AghContext,
  session: LiveSession,
  cause: StopCause,
  { turnWasRunning, unproven }: { turnWasRunning: boolean; unproven: UnprovenProcess[] },
): Promise<void> {
  const { reason, detail, failure: kind } = classifyStop(cause, turnWasRunning)
  const error = `${detail ?? reason}`
  const events = storedEvents(session)
  const evidence = {
    meta: session.meta,
    error,
    exit: session.process?.exit() ?? null,
    stderr: session.process?.stderr.text() ?? '',
    events,
    secrets: secretsOf(context, session),
  }
  const failure = kind && (await describeFailure(context, { ...evidence, kind }))
  const stop_detail = detail === null ? null : cleanDetail(detail, evidence.secrets)
  const leftRunning = unproven.length === 0 ? {} : { left_running: unproven }
  const facts = { stop_reason: reason, stop_detail, failure, ...leftRunning }
  // A turn that the agent can no longer end is ended here, with the same failure.
  if (failure) await endTurn(context, session, failedTurn(failure))
  cancelPermissions(session.permissions)
  let isWritten = false
  await tolerate(context, 'record the end', async () => {
    await reportUndelivered(context, session)
    // Stopping a session discards its driver's messages; after any other end they are delivered later.
    if (cause.kind === 'user') session.store.dropMessages()
    const event = { type: 'session_stopped' as const, content: facts }
    await perform(context, session, { type: 'record', event, turnId: null, isDurable: true })
    isWritten = true
  })
  const limit = durationMs(context.config.session.timeouts.lifecycle)
  await tolerate(context, 'run the hooks of its end', async () => {
    const denied = await runHooks(context, session, 'session.stopped', facts, limit)
    // The agent is already gone, so a refusal could not end anything.
    if (denied !== null) context.log.warn(`session ${session.meta.id} has ended, but ${denied}`)
  })
  failpoint('agh-before-final-meta')
  await tolerate(context, 'close the history', () => session.store.close())
  // Before the last write: a session that says `stopped` has nothing left.
  await tolerate(context, 'end its host', async () => session.process?.leave())
  const exit = session.process?.exit() ?? null
  await writeFinal(context, session, { ...facts, process: null, activity: null, exit }, isWritten)
  failpoint('agh-stopped')
}

/** `stopped` comes last. When it cannot be written, or the event log lacks the end, a later repair does both. */
async function writeFinal(
  context: AghContext,
  session: LiveSession,
  end: Partial<SessionMeta>,
  hasEvent: boolean,
): Promise<void> {
  if (!hasEvent) {
    endUnwritten(context, session, end)
    return
  }
  try {
    await perform(context, session, { type: 'finish', meta: end })
  } catch (error) {
    endUnwritten(context, session, end)
    context.log.error(`the end of session ${session.meta.id} was not written: ${errorText(error)}`)
  }
}

function storedEvents(session: LiveSession) {
  try {
    return session.store.readLast(20)
  } catch {
    // Only evidence for the bundle; an unreadable event log is the smaller problem now.
    return []
  }
}

function leftBehind(survivors: ProcessIdentity[]): StopCause {
  return {
    kind: 'internal',
    detail: `the stop failed: these processes could not be ended: ${survivors.map(formatIdentity).join(', ')}`,
  }
}

function tolerate(context: AghContext, what: string, act: () => void | Promise<void>): Promise<void> {
  return ignoreFailure(`while a session ended, could not ${what}`, { ...context.log, debug: context.log.error }, act)
}
