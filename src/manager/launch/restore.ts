// Bring an ended session back: the same id, workspace and branch, the agent's own resume where it has one.
import { randomUUID } from 'node:crypto'
import type { ProjectConfig } from '../../contract/config.ts'
import { errorText, SessionNotRestorableError } from '../../contract/errors.ts'
import { recordOf, type SessionRecord } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { isRestorable, isTerminalSession, NON_RESTORABLE_STATUSES, type SessionStatus } from '../../contract/status.ts'
import type { Role } from '../../core/session/resolve-launch.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { createUndo, type Undo } from '../../lib/undo.ts'
import type { AgentLaunch } from '../../slots/agent.ts'
import { metadataToSession } from '../../store/session/metadata-to-session.ts'
import type { SessionStore } from '../../store/session/session-store.ts'
import type { ManagerContext } from '../context.ts'
import { deliverInitialPrompt } from '../deliver.ts'
import { enrichOne, get } from '../observe/enrich.ts'
import { findActive, findArchived, sessionNotFound } from '../observe/find-session.ts'
import { hasSeen } from '../observe/has-seen.ts'
import { NO_OPERATION, operationKeys, THE_USER } from '../operation.ts'
import { type Claims, ownRecord } from '../own-record.ts'
import { recoverSession } from '../remove/recover.ts'
import { destroyRuntime } from '../remove/remove-session.ts'
import type { OnProgress, RestoreOptions } from '../types.ts'
import { requireAgentFileConsent, requireLaunchConsent } from './consent.ts'
import {
  agentLaunch,
  type LaunchParts,
  type LaunchRequest,
  launchCommand,
  launchParts,
  prepareAgent,
  readPrompt,
  requireCommand,
  shorten,
  startRuntime,
} from './launch.ts'
import { recordRestored } from './record-restored.ts'
import { restoreWorkspace } from './restore-workspace.ts'

export async function restore(
  context: ManagerContext,
  sessionId: string,
  options: RestoreOptions = {},
): Promise<Session> {
  const onProgress = options.onProgress ?? (() => undefined)
  const onNotice = options.onNotice ?? onProgress
  const finished = await finishedBefore(context, sessionId)
  if (finished) return finished
  const { store } = await validate(context, sessionId)
  const restored = await store.withOperation(sessionId, async () => {
    // Looked at again under the lock: another restore may have been faster.
    const target = await validate(context, sessionId)
    requireLaunchConsent(context, target.project)
    onProgress(
      `found ${sessionId} ${target.fromArchive ? 'in the archive' : 'among the sessions'}, it was ${target.previous}`,
    )
    return bringBack(context, { ...target, by: options.by ?? THE_USER, onNotice }, onProgress)
  })
  if (restored.prompt !== null) await deliverInitialPrompt(context, sessionId, restored.prompt, onProgress)
  return restored.session
}

/** An interrupted restore whose agent runs already: recovering it is all that was left to do. */
async function finishedBefore(context: ManagerContext, sessionId: string): Promise<Session | null> {
  if ((await recoverSession(context, sessionId)) !== 'finished') return null
  const session = await get(context, sessionId)
  return session && !isTerminalSession(session) ? session : null
}

interface Target {
  sessionId: string
  project: ProjectConfig
  store: SessionStore
  /** As it may be acted on. */
  stored: Claims
  previous: SessionStatus
  fromArchive: boolean
}

/** Steps 1 and 2: find it and make sure that it may be restored, before anything is changed. */
async function validate(context: ManagerContext, sessionId: string): Promise<Target> {
  const active = findActive(context, sessionId)
  if (active) {
    const session = await enrichOne(context, active)
    if (!isRestorable(session)) throw new SessionNotRestorableError(sessionId, whyNot(session.status))
    const { project, store, stored } = active
    const own = await restorableRecord(context, project, sessionId, stored)
    return { sessionId, project, store, stored: own, previous: session.status, fromArchive: false }
  }
  const archived = findArchived(context, sessionId)
  if (!archived) throw sessionNotFound(context, sessionId)
  const previous = metadataToSession(sessionId, archived.stored.pairs).status
  if (NON_RESTORABLE_STATUSES.has(previous)) throw new SessionNotRestorableError(sessionId, whyNot(previous))
  const stored = await restorableRecord(context, archived.project, sessionId, archived.stored)
  return { sessionId, ...archived, stored, previous, fromArchive: true }
}

/** Without a workspace of its own it would run in the main checkout: then it is not restored. */
async function restorableRecord(
  context: ManagerContext,
  project: ProjectConfig,
  sessionId: string,
  stored: Claims,
): Promise<Claims> {
  const { worktree } = stored.record
  const own = await ownRecord(context, project, sessionId, stored)
  if (worktree === undefined || own.record.worktree !== undefined) return own
  throw new SessionNotRestorableError(sessionId, `its record names ${worktree}, which is not its own workspace`)
}

function whyNot(status: SessionStatus): string {
  if (status === 'merged') return 'its pull request is merged, the work is complete'
  return `it is still running, its status is ${status}`
}

interface Wanted extends Target {
  by: string
  onNotice: OnProgress
}

interface Restoration extends Wanted {
  spawnId: string
  launch: number
  role: Role
  path: string
  undo: Undo
  step: string
  onProgress: OnProgress
}

interface Restored {
  session: Session
  /** To be sent now: the agent started afresh and takes its prompt after the start. */
  prompt: string | null
}

/** Steps 3 to 7. */
async function bringBack(context: ManagerContext, target: Wanted, onProgress: OnProgress): Promise<Restored> {
  const { record } = target.stored
  const restoration: Restoration = {
    ...target,
    spawnId: randomUUID(),
    launch: (record.launch ?? 1) + 1,
    role: record.role ?? 'worker',
    path: record.worktree ?? target.project.path,
    undo: createUndo(context.log),
    step: 'announce',
    onProgress,
  }
  await announce(restoration)
  failpoint('restore.announced')
  try {
    restoration.step = 'restore workspace'
    await restoreWorkspace(context, restoration)
    restoration.step = 'destroy old runtime'
    onProgress('ending what may be left of the old agent')
    await destroyRuntime(context, target.project.id, target.sessionId, record, { force: true })
    failpoint('restore.old-runtime-gone')
    return await start(context, restoration)
  } catch (error) {
    onProgress(`failed to ${restoration.step}: ${errorText(error)}`)
    await takeBack(restoration, error)
    throw error
  }
}

async function announce(restoration: Restoration): Promise<void> {
  const { store, sessionId, stored, previous, fromArchive, spawnId } = restoration
  const intent = {
    // The record may have named another session's.
    worktree: stored.record.worktree,
    ...operationKeys('restore', { previous, fromArchive: String(fromArchive), spawnId }),
  }
  const events = [{ type: 'operation.started', operation: 'restore' } as const]
  if (fromArchive) await store.unarchive(sessionId, intent, events)
  else await store.update(sessionId, intent, events)
}

/** Steps 5 to 7. */
async function start(context: ManagerContext, restoration: Restoration): Promise<Restored> {
  const { project, store, sessionId, role, path, spawnId, onProgress } = restoration
  const { pairs, record } = restoration.stored
  restoration.step = 'find the launch command'
  const parts = await launchParts(context, project, role, { agent: record.agent, runtime: record.runtime })
  // Before the agent is asked how it resumes: some run their own program for that, in this very directory.
  await requireAgentFileConsent(context, project, parts.agent, path)
  const stateDir = context.paths.project(project.id).stateDir(sessionId)
  const original = readPrompt(stateDir) ?? record.userPrompt ?? null
  const base = { project, sessionId, role, workspacePath: path, spawnId, parts, issueId: record.issue ?? null }
  const resuming: LaunchRequest = { ...base, prompt: null }
  const session = metadataToSession(sessionId, pairs)
  const resume = await findResume(parts, session, agentLaunch(context, resuming))
  const ended = resume && parts.runtime.drivesAcpAgents ? session.runtimeHandle : null
  const request: LaunchRequest = resume
    ? { ...resuming, ...(ended ? { resumes: ended } : {}) }
    : { ...base, prompt: original }
  const launch = { ...agentLaunch(context, request), isResume: resume !== null }
  onProgress(
    resume
      ? `${parts.agent.name} resumes its own session`
      : `${parts.agent.name} starts afresh with the original prompt`,
  )

  restoration.step = 'prepare agent'
  const promptDelivered = await promptAfterStart(context, { session, parts, original, isResume: resume !== null })
  await prepareAgent(context, launch, parts)
  const command = resume ?? launchCommand(parts, launch)
  requireCommand(context, parts.agent, command, path)
  failpoint('restore.agent-prepared')

  restoration.step = 'start runtime'
  onProgress(`starting in ${parts.runtime.name}: ${shorten(command).join(' ')}`)
  const handle = await startRuntime(context, request, launch, command)
  restoration.undo.push('runtime', () => parts.runtime.destroy(handle, { force: true }))
  failpoint('restore.runtime-started')

  restoration.step = 'write metadata'
  const recorded = await recordRestored(context, {
    store,
    sessionId,
    handle,
    spawnId,
    how: resume ? 'resume' : 'fresh',
    promptDelivered,
    launch: restoration.launch,
    previous: restoration.previous,
    by: restoration.by,
    command,
  })
  failpoint('restore.recorded')
  onProgress('done')
  return { session: metadataToSession(sessionId, recorded), prompt: promptDelivered === 'no' ? original : null }
}

type PromptDelivered = NonNullable<SessionRecord['promptDelivered']>

interface PromptQuestion {
  session: Session
  parts: LaunchParts
  original: string | null
  isResume: boolean
}

/** What is known about the prompt once the agent runs; `no`: it has to be sent, `resumed`: it is a matter of the past. */
async function promptAfterStart(context: ManagerContext, question: PromptQuestion): Promise<PromptDelivered | null> {
  const { session, parts, original, isResume } = question
  if (original === null) return null
  if (!isResume) return parts.promptDelivery === 'inline' ? 'unconfirmed' : 'no'
  const { promptDelivered: before, spawnId } = recordOf(session)
  // An agent that was ended before it heard its task has nothing to go on with.
  if (before === 'yes' || (before === 'no' && parts.promptDelivery === 'post-launch')) return before
  const messageId = `prompt-${spawnId ?? session.id}`
  const seen = await hasSeen(context, session, { messageId, text: original, since: session.createdAt })
  return seen === true ? 'yes' : 'resumed'
}

/** The command that goes on where the session ended: the runtime's own way, or the agent's. null: there is none. */
async function findResume(parts: LaunchParts, session: Session, launch: AgentLaunch): Promise<string[] | null> {
  const { agent, runtime } = parts
  if (!runtime.drivesAcpAgents) return (await agent.getRestoreCommand?.(session, launch)) ?? null
  const { runtimeHandle } = session
  const canResume = runtimeHandle?.runtimeName === runtime.name && (await runtime.canResume?.(runtimeHandle))
  return canResume ? launchCommand(parts, launch) : null
}

async function takeBack(restoration: Restoration, error: unknown): Promise<void> {
  const { store, sessionId, previous, fromArchive, step } = restoration
  await restoration.undo.unwind()
  const failed = { type: 'operation.failed', operation: 'restore', step, error: errorText(error) } as const
  if (fromArchive) {
    await store.appendEvents(sessionId, [failed])
    // The archive still has it; the active copy was only the announcement.
    return store.remove(sessionId)
  }
  await store.update(sessionId, { status: previous, ...NO_OPERATION }, [failed])
}
