// From an issue or a prompt to a running agent in its own workspace: the nine steps, each of which can be taken back.
import { rmSync } from 'node:fs'
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import type { RecordChange } from '../../contract/record.ts'
import type { RuntimeHandle, Session, SessionSpawnConfig } from '../../contract/session.ts'
import { buildPrompt } from '../../core/prompt/build-prompt.ts'
import { resolveBranch } from '../../core/session/name-branch.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { createUndo, type Undo } from '../../lib/undo.ts'
import type { Workspace, WorkspaceInfo } from '../../slots/workspace.ts'
import { metadataToSession } from '../../store/session/metadata-to-session.ts'
import type { SessionStore } from '../../store/session/session-store.ts'
import { workspaceOf } from '../chosen-plugin.ts'
import { type ManagerContext, requireProject } from '../context.ts'
import { deliverInitialPrompt } from '../deliver.ts'
import { NO_OPERATION } from '../operation.ts'
import { recover } from '../remove/recover.ts'
import type { OnProgress, SpawnOptions } from '../types.ts'
import { requireLaunchConsent } from './consent.ts'
import { type FetchedIssue, fetchIssue } from './fetch-issue.ts'
import {
  agentLaunch,
  type LaunchParts,
  type LaunchRequest,
  launchCommand,
  launchParts,
  prepareAgent,
  projectRules,
  requireCommand,
  savePrompt,
  shorten,
  startRuntime,
} from './launch.ts'
import { type Reservation, reserveSession } from './reserve-session.ts'
import { takeBackWorkspace } from './roll-back-workspace.ts'

export async function spawn(
  context: ManagerContext,
  config: SessionSpawnConfig,
  options: SpawnOptions = {},
): Promise<Session> {
  const onProgress = options.onProgress ?? (() => undefined)
  const project = requireProject(context, config.projectId)
  const plan = await planSpawn(context, project, config, options)
  await recover(context, project.id)

  const { session, reservation } = await createSession(context, project, plan, config, onProgress)
  if (plan.parts.promptDelivery === 'post-launch') {
    await deliverInitialPrompt(context, session.id, plan.promptFor(reservation), onProgress)
  }
  return session
}

/** How often another checkout may snatch the path of the number that was just reserved. */
const PATH_RACES = 20

async function createSession(
  context: ManagerContext,
  project: ProjectConfig,
  plan: SpawnPlan,
  config: SessionSpawnConfig,
  onProgress: OnProgress,
): Promise<{ session: Session; reservation: Reservation }> {
  const store = context.store(project.id)
  for (let races = 0; ; races++) {
    const reservation = await reserveSession(context, {
      project,
      store,
      parts: plan.parts,
      workspace: plan.workspace,
      issueId: plan.issueId,
      issueTitle: plan.issueTitle,
      userPrompt: config.prompt ?? null,
      branchFor: plan.branchFor,
    })
    failpoint('spawn.reserved')
    onProgress(`reserved ${reservation.sessionId}`)
    try {
      const session = await store.withOperation(reservation.sessionId, () =>
        create(context, { project, store, plan, reservation, onProgress }),
      )
      return { session, reservation }
    } catch (error) {
      const isRace = error instanceof AoError && error.details.pathTaken === true
      if (!isRace || races >= PATH_RACES) throw error
    }
  }
}

/** A record is read all the time; a title is a line. */
const LONGEST_TITLE = 300

interface SpawnPlan {
  parts: LaunchParts
  workspace: Workspace
  issueId: string | null
  issueTitle: string | null
  branchFor(sessionId: string): string
  promptFor(reservation: Reservation): string | null
}

/** Steps 1 and 2 and everything else that can be refused before anything is created. */
async function planSpawn(
  context: ManagerContext,
  project: ProjectConfig,
  config: SessionSpawnConfig,
  options: SpawnOptions,
): Promise<SpawnPlan> {
  const issueId = config.issueId?.trim() || undefined
  const parts = await launchParts(context, project, 'worker', { agent: config.agent })
  requireLaunchConsent(context, project)
  const workspace = await workspaceOf(context, project)
  const rules = projectRules(project)
  const fetched = await fetchIssue(context, project, issueId, options)
  const trackerBranch = fetched
    ? (fetched.issue.branchName ?? fetched.tracker.branchName(issueId!, project))
    : undefined
  const preview = agentLaunch(context, {
    ...bare(project, parts),
    sessionId: `${project.sessionPrefix}-0`,
    workspacePath: project.path,
  })
  requireCommand(context, parts.agent, launchCommand(parts, preview), project.path)
  return {
    parts,
    workspace,
    issueId: issueId ?? null,
    issueTitle: fetched?.issue.title.slice(0, LONGEST_TITLE) ?? null,
    branchFor: (sessionId) => resolveBranch({ explicit: config.branch, issueId, trackerBranch, sessionId }),
    promptFor: ({ branch }) =>
      buildPrompt({
        projectName: project.name,
        repo: project.repo ?? null,
        defaultBranch: project.defaultBranch,
        branch,
        issue: issueContext(fetched, project),
        adHocIssue: fetched ? null : (issueId ?? null),
        rules,
        userPrompt: config.prompt ?? null,
      }),
  }
}

function bare(project: ProjectConfig, parts: LaunchParts) {
  return { project, parts, role: 'worker' as const, spawnId: '', prompt: null, issueId: null }
}

function issueContext(fetched: FetchedIssue | null, project: ProjectConfig) {
  if (!fetched) return null
  const { issue, tracker } = fetched
  const author = issue.author ? `, written by ${issue.author}` : ''
  return { id: issue.id, context: tracker.generatePrompt(issue, project), origin: `issue ${issue.id}${author}` }
}

interface Creation {
  project: ProjectConfig
  store: SessionStore
  plan: SpawnPlan
  reservation: Reservation
  onProgress: OnProgress
  undo: Undo
  /** The step under way, named in the history when it fails. */
  step: string
}

/** Steps 4 to 8. One try: on failure everything made so far is taken back, newest first, and the error goes on. */
async function create(context: ManagerContext, request: Omit<Creation, 'undo' | 'step'>): Promise<Session> {
  const creation: Creation = { ...request, undo: createUndo(context.log), step: '' }
  try {
    const info = await createWorkspace(context, creation)
    const launched = await startAgent(context, creation, info)
    return await record(creation, info, launched)
  } catch (error) {
    await takeBack(creation, error)
    throw error
  }
}

async function createWorkspace(context: ManagerContext, creation: Creation): Promise<WorkspaceInfo> {
  const { project, plan, reservation, onProgress } = creation
  const { sessionId, branch } = reservation
  const stateDir = context.paths.project(project.id).stateDir(sessionId)
  const spec = { projectId: project.id, project, sessionId, branch, stateDir, onProgress }
  creation.step = 'create workspace'
  onProgress(`creating workspace ${reservation.workspacePath} on branch ${branch}`)
  savePrompt(stateDir, plan.promptFor(reservation))
  creation.undo.push('state', () => rmSync(stateDir, { recursive: true, force: true }))
  const info = await plan.workspace.create(spec)
  creation.undo.push('workspace', () => takeBackWorkspace(plan.workspace, info, project))
  failpoint('spawn.workspace-created')
  creation.step = 'prepare workspace'
  await plan.workspace.postCreate?.(info, spec)
  failpoint('spawn.workspace-prepared')
  return info
}

interface Launched {
  handle: RuntimeHandle
  command: string[]
}

async function startAgent(context: ManagerContext, creation: Creation, info: WorkspaceInfo): Promise<Launched> {
  const { project, plan, reservation } = creation
  const { agent, runtime } = plan.parts
  const request: LaunchRequest = {
    project,
    sessionId: reservation.sessionId,
    role: 'worker',
    workspacePath: info.path,
    spawnId: reservation.spawnId,
    parts: plan.parts,
    prompt: plan.promptFor(reservation),
    issueId: plan.issueId,
  }
  const launch = agentLaunch(context, request)
  creation.step = 'prepare agent'
  await prepareAgent(context, launch, plan.parts)
  failpoint('spawn.agent-prepared')
  creation.step = 'start runtime'
  creation.onProgress(`starting ${agent.name} in ${runtime.name}`)
  const command = launchCommand(plan.parts, launch)
  const handle = await startRuntime(context, request, launch, command)
  creation.undo.push('runtime', () => runtime.destroy(handle, { force: true }))
  failpoint('spawn.runtime-started')
  return { handle, command }
}

async function record(creation: Creation, info: WorkspaceInfo, launched: Launched): Promise<Session> {
  const { store, plan, reservation } = creation
  const { agent } = plan.parts
  const { sessionId } = reservation
  const finished = { type: 'operation.finished', operation: 'spawn' } as const
  const isLast = agent.postLaunchSetup === undefined
  creation.step = 'write metadata'
  const pairs = await store.update(
    sessionId,
    {
      status: 'working',
      runtimeHandle: launched.handle,
      promptDelivered: promptAtStart(plan, reservation),
      ...(isLast ? NO_OPERATION : {}),
    },
    [
      { type: 'workspace.created', path: info.path, branch: info.branch },
      { type: 'runtime.started', handle: launched.handle, launch: 1, command: shorten(launched.command) },
      { type: 'status.changed', from: 'spawning', to: 'working', evidence: [`${agent.name} was started`] },
      ...(isLast ? [finished] : []),
    ],
  )
  failpoint('spawn.recorded')
  if (isLast) return metadataToSession(sessionId, pairs)
  creation.step = 'post-launch setup'
  await agent.postLaunchSetup?.(metadataToSession(sessionId, pairs))
  failpoint('spawn.set-up')
  return metadataToSession(sessionId, await store.update(sessionId, NO_OPERATION, [finished]))
}

/** On the command line it was handed over; otherwise it is sent next. null: there is none. */
function promptAtStart(plan: SpawnPlan, reservation: Reservation): RecordChange['promptDelivered'] {
  if (plan.promptFor(reservation) === null) return null
  return plan.parts.promptDelivery === 'inline' ? 'unconfirmed' : 'no'
}

async function takeBack(creation: Creation, error: unknown): Promise<void> {
  const { store, reservation, step } = creation
  const { sessionId } = reservation
  const left = await creation.undo.unwind()
  await store.appendEvents(sessionId, [{ type: 'operation.failed', operation: 'spawn', step, error: errorText(error) }])
  if (left.length === 0) return store.remove(sessionId)
  // Something is still there: the record stays, so that it can be seen and removed.
  const evidence = left.map(({ name, error: why }) => `could not remove ${name}: ${why}`)
  await store.update(sessionId, { status: 'errored', ...NO_OPERATION }, [
    { type: 'status.changed', from: 'spawning', to: 'errored', evidence },
  ])
}
