// Restores an ended session: the same id, workspace and branch, and the agent's own resume where it has one.
import { randomUUID } from 'node:crypto'
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError, SessionNotRestorableError } from '../../contract/errors.ts'
import { THE_USER } from '../../contract/events.ts'
import { EMPTY_RECORD, type RecordChange } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { isRestorable, isTerminalSession, NON_RESTORABLE_STATUSES, type SessionStatus } from '../../contract/status.ts'
import { storedSession } from '../../contract/stored-session.ts'
import { agentAccount, isSameAccount, presentAccount } from '../../core/budget/choose-fallback.ts'
import type { LaunchPlan } from '../../core/session/plan-launch.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { ignoreFailure } from '../../lib/ignore-failure.ts'
import { requireWritable } from '../../lib/process/own-home.ts'
import { readPrompt } from '../../store/session/session-file.ts'
import type { SessionStore } from '../../store/session/session-store.ts'
import { requireOwnRecord } from '../../store/session/update-session.ts'
import {
  findActive,
  findArchived,
  type ManagerContext,
  projectOfSession,
  requireActive,
  requireLaunchConsent,
  scmOf,
  sessionNotFound,
  workspaceOf,
} from '../context.ts'
import { get, readOne } from '../observe/enrich.ts'
import { type Claims, ownRecord } from '../own-record.ts'
import { isInFormerPlace, withRoom } from '../place/choose-place.ts'
import { recoverSession, withSettledOperation } from '../remove/recover.ts'
import type { OnProgress, RestoreOptions } from '../types.ts'
import { executeLaunch } from './execute-launch.ts'
import { deliverInitialPrompt, deliverToStarted } from './first-prompt.ts'
import type { Launched } from './launch-run.ts'
import { launchParts, makePlan } from './plan.ts'
import { startWaiting } from './start-waiting.ts'

export async function restore(
  context: ManagerContext,
  sessionId: string,
  options: RestoreOptions = {},
): Promise<Session> {
  const onProgress = options.onProgress ?? (() => undefined)
  const onNotice = options.onNotice ?? onProgress
  requireWritable(context.paths)
  const finished = await finishedBefore(context, sessionId)
  if (finished) return finished
  // One that never started has no workspace to come back to, also when it was ended meanwhile.
  if (findActive(context, sessionId)?.stored.record.waitsSince) return startWaiting(context, sessionId, options)
  const { project, store } = await validate(context, sessionId)
  const restored = await withSettledOperation(context, { project, store, sessionId }, async () => {
    await nameConversation(context, sessionId)
    // Checked again under the lock: another restore may have been faster.
    const target = await validate(context, sessionId)
    requireLaunchConsent(context, target.project)
    if (options.switching && target.stored.record.switchTo === undefined) {
      throw new SessionNotRestorableError(sessionId, 'it was ended while it was to be continued with another account')
    }
    onProgress(
      `found ${sessionId} ${target.fromArchive ? 'in the archive' : 'among the sessions'}, it was ${target.previous}`,
    )
    return bringBack(context, { ...target, by: options.by ?? THE_USER, onNotice, place: options.place }, onProgress)
  })
  if (restored.prompt !== null) await deliverInitialPrompt(context, sessionId, restored.prompt, onProgress)
  if (restored.remindsAgent) {
    onProgress('sending the original task for reference, which its resume leaves out')
    await ignoreFailure(`the original task is sent to ${sessionId} later`, context.log, () =>
      deliverToStarted(context, sessionId),
    )
  }
  return restored.session
}

/** An interrupted restore whose agent is already running: recovering it is all that was left to do. */
async function finishedBefore(context: ManagerContext, sessionId: string): Promise<Session | null> {
  if ((await recoverSession(context, sessionId)) !== 'finished') return null
  const session = await get(context, sessionId)
  return session && !isTerminalSession(session) ? session : null
}

interface Target {
  sessionId: string
  project: ProjectConfig
  store: SessionStore
  /** As far as it may be acted on. */
  stored: Claims
  previous: SessionStatus
  fromArchive: boolean
}

/** Steps 1 and 2: find it and check that it may be restored, before anything is changed. */
async function validate(context: ManagerContext, sessionId: string): Promise<Target> {
  const active = findActive(context, sessionId)
  if (active) {
    requireActive(context, sessionId)
    const session = await readOne(context, active)
    if (!isRestorable(session)) throw new SessionNotRestorableError(sessionId, whyNot(session.status))
    const { project, store, stored } = active
    const own = await restorableRecord(context, project, sessionId, stored)
    return { sessionId, project, store, stored: own, previous: session.status, fromArchive: false }
  }
  const archived = findArchived(context, sessionId)
  if (!archived) throw sessionNotFound(context, sessionId)
  const previous = storedSession(archived.stored, archived.project.id).status
  if (NON_RESTORABLE_STATUSES.has(previous)) throw new SessionNotRestorableError(sessionId, whyNot(previous))
  if (archived.stored.record.waitsSince)
    throw new SessionNotRestorableError(sessionId, 'it was never started; start its task again with: ao spawn')
  requireOwnRecord(archived.stored.file, archived.stored)
  const stored = await restorableRecord(context, archived.project, sessionId, archived.stored)
  return { sessionId, ...archived, stored, previous, fromArchive: true }
}

/** Without a workspace of its own it would run in the main checkout, so it is not restored. */
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
  place: string | null | undefined
  onNotice: OnProgress
}

/** A pane was adopted before anybody knew which conversation it has: the newest that its agent held there is the one that is continued. */
async function nameConversation(context: ManagerContext, sessionId: string): Promise<void> {
  const found = findActive(context, sessionId)
  const { adopted, conversation, agent: name, worktree } = found?.stored.record ?? EMPTY_RECORD
  if (adopted !== 'terminal' || conversation !== undefined || worktree === undefined || name === undefined) return
  const agent = await context.registry.find('agent', name)
  const held = (await agent?.listConversations?.([worktree])) ?? []
  const newest = held.toSorted((a, b) => b.at.getTime() - a.at.getTime())[0]
  if (!newest) return
  const others = agent?.sessionIdKey ? { [agent.sessionIdKey]: newest.id } : undefined
  await found!.store.update(sessionId, { conversation: newest.id, others })
}

/** From the plan on: the intent is recorded first, then every step can be rolled back. */
async function bringBack(context: ManagerContext, target: Wanted, onProgress: OnProgress): Promise<Launched> {
  const { sessionId, store, stored, previous, fromArchive, by, onNotice } = target
  const { record } = stored
  const project = projectOfSession(target.project, record)
  const role = record.role ?? 'worker'
  const path = record.worktree ?? project.path
  requireOwnPlace(context, target)
  const { account, agent, change } = accountOf(context, target)
  const stateDir = context.paths.project(project.id).stateDir(sessionId)
  const parts = await launchParts(context, project, role, {
    agent,
    account,
    model: record.wantedModel,
    mode: record.startMode,
    ...runtimeOf(target),
  })
  const workspace = path === project.path ? null : await workspaceOf(context, project, record.workspace)
  const planned = makePlan(context, {
    kind: 'restore',
    project,
    parts,
    scm: await scmOf(context, project),
    sessionId,
    spawnId: randomUUID(),
    launch: (record.launch ?? 1) + 1,
    role,
    workspace,
    git: workspace?.gitFor?.(project, path) ?? null,
    path,
    branch: record.branch ?? null,
    issueId: record.issue ?? null,
    firstPort: record.firstPort,
    // An agent that takes over gets its task with a note of what was done, as a message.
    prompt: change && record.switchTo ? null : (readPrompt(stateDir) ?? record.userPrompt ?? null),
  })
  const { plan } = planned
  await withRoom(context, plan, () => announce(target, plan, account))
  failpoint('restore.announced')
  const restoring = { stored, previous, fromArchive, by, change, onNotice }
  const job = { ...planned, project, store, parts, workspace, restoring, onProgress }
  const launched = await executeLaunch(context, job)
  onProgress('done')
  return launched
}

/** Nothing new is started in a place that was taken out of the configuration. */
function requireOwnPlace(context: ManagerContext, { sessionId, place, stored }: Wanted): void {
  const own = stored.record.place
  if (place !== undefined || !isInFormerPlace(context, stored.record)) return
  throw new AoError('PLACE_NOT_FOUND', `The place ${own} of ${sessionId} is no longer in the configuration`, {
    hint: `Put it back, or continue elsewhere with: ao session move ${sessionId} --here`,
    details: { place: own, configPath: context.config.configPath },
  })
}

/** As it was, or with the account that it is being continued with. */
function accountOf(context: ManagerContext, { project, stored: { record } }: Wanted) {
  const { switchTo } = record
  const from = presentAccount(record)
  const wanted = switchTo ? switchTo.account : (record.account ?? null)
  const to = agentAccount(context.config, project, record, wanted)
  const why = switchTo?.why ?? 'the configuration has another agent for this account'
  const change = from && !isSameAccount(from, to) ? { from, to, why } : null
  return { agent: to.account === null ? to.agent : undefined, account: to.account ?? undefined, change }
}

/** Where it was; in the place that was asked for; or with the project's runtime, on this machine. */
function runtimeOf({ place, stored }: Wanted): { runtime?: string | undefined; place?: string | undefined } {
  if (place === null) return {}
  return { runtime: stored.record.runtime, place }
}

async function announce(target: Wanted, plan: LaunchPlan, account: string | undefined): Promise<void> {
  const { store, sessionId, stored, previous, fromArchive, by } = target
  const intent: RecordChange = {
    // The record may have named another session's handle.
    worktree: stored.record.worktree,
    operation: 'restore',
    operationData: {
      ...{ previous, fromArchive, spawnId: plan.spawnId, agent: plan.agent, account },
      place: plan.place ?? undefined,
    },
  }
  const events = [{ type: 'operation.started', operation: 'restore', by } as const]
  const why = [`restore by ${by}`]
  if (fromArchive) await store.unarchive(sessionId, intent, events, why)
  else await store.update(sessionId, intent, events, why)
}
