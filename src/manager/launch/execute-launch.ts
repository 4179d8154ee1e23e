// The one way an agent is started: runs the steps of a plan in their order, and rolls all of them back when one fails.
import { rmSync } from 'node:fs'
import type { ProjectConfig } from '../../contract/config.ts'
import type { RecordChange } from '../../contract/record.ts'
import type { RuntimeHandle, Session } from '../../contract/session.ts'
import type { SessionStatus } from '../../contract/status.ts'
import { type LaunchPlan, type LaunchStep, promptAtStart, shortCommand } from '../../core/session/plan-launch.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { createUndo, type Undo } from '../../lib/undo.ts'
import type { AgentLaunch } from '../../slots/agent.ts'
import type { Workspace, WorkspaceInfo } from '../../slots/workspace.ts'
import { metadataToSession } from '../../store/session/metadata-to-session.ts'
import type { SessionStore } from '../../store/session/session-store.ts'
import type { ManagerContext } from '../context.ts'
import type { Claims } from '../own-record.ts'
import { destroyRuntime } from '../remove/remove-session.ts'
import type { OnProgress } from '../types.ts'
import { findLaunchCommand } from './find-resume.ts'
import {
  agentLaunch,
  type LaunchParts,
  launchCommand,
  prepareAgent,
  requestOf,
  requireCommand,
  savePrompt,
  startRuntime,
} from './launch.ts'
import { recordFinished, recordStarted } from './record-started.ts'
import { restoreWorkspace } from './restore-workspace.ts'
import { rollBackLaunch } from './roll-back-launch.ts'
import { takeBackWorkspace } from './roll-back-workspace.ts'

/** A session that is brought back, as it was. */
export interface Restoring {
  stored: Claims
  previous: SessionStatus
  fromArchive: boolean
  by: string
  /** What a person should hear even without progress. */
  onNotice: OnProgress
}

export interface LaunchJob {
  plan: LaunchPlan
  project: ProjectConfig
  store: SessionStore
  parts: LaunchParts
  /** null: it works in the project's own directory, or the workspace is found by the record. */
  workspace: Workspace | null
  /** null: the session is new. */
  restoring: Restoring | null
  onProgress: OnProgress
  reached: Reached
}

/** Failpoints after the steps that all launches have, each under its own name. */
export interface Reached {
  agentPrepared(): void
  runtimeStarted(): void
  recorded(): void
  setUp?(): void
}

/** What the steps hand on to each other. */
export interface LaunchRun extends LaunchJob {
  undo: Undo
  /** The step under way, named in the history when it fails. */
  step: LaunchStep
  path: string
  created: WorkspaceInfo | null
  /** The agent's or the runtime's own way to continue; null: it starts afresh. */
  resume: { command: string[]; ended: RuntimeHandle | null } | null
  promptDelivered: RecordChange['promptDelivered']
  command: string[]
  handle: RuntimeHandle | null
  pairs: Record<string, string>
}

export interface Launched {
  session: Session
  /** To be sent now; null: there is none, or the agent has it. */
  prompt: string | null
}

export async function executeLaunch(context: ManagerContext, job: LaunchJob): Promise<Launched> {
  const { plan } = job
  const run: LaunchRun = {
    ...job,
    undo: createUndo(context.log),
    step: plan.steps[0]!,
    path: plan.workspace.path,
    created: null,
    resume: null,
    promptDelivered: promptAtStart(plan),
    command: [],
    handle: null,
    pairs: {},
  }
  try {
    for (const step of plan.steps) {
      run.step = step
      await STEPS[step](context, run)
    }
  } catch (error) {
    await rollBackLaunch(context, run, error)
    throw error
  }
  return {
    session: metadataToSession(plan.session, run.pairs),
    prompt: run.promptDelivered === 'no' ? plan.prompt : null,
  }
}

const STEPS: Record<LaunchStep, (context: ManagerContext, run: LaunchRun) => Promise<void>> = {
  'create workspace': createWorkspace,
  'prepare workspace': prepareWorkspace,
  'restore workspace': (context, run) =>
    restoreWorkspace(context, { ...run, ...run.restoring!, sessionId: run.plan.session }),
  'destroy old runtime': destroyOldRuntime,
  'find the launch command': findLaunchCommand,
  'prepare agent': prepare,
  'start runtime': start,
  'write metadata': recordStarted,
  'post-launch setup': postLaunchSetup,
}

async function createWorkspace(context: ManagerContext, run: LaunchRun): Promise<void> {
  const { project, plan, onProgress } = run
  const workspace = run.workspace!
  const { branch, path } = plan.workspace
  const spec = workspaceSpec(context, run)
  onProgress(`creating workspace ${path} on branch ${branch}`)
  savePrompt(spec.stateDir, plan.prompt)
  run.undo.push('state', () => rmSync(spec.stateDir, { recursive: true, force: true }))
  const info = await workspace.create(spec)
  run.undo.push('workspace', () => takeBackWorkspace(workspace, info, project))
  run.created = info
  run.path = info.path
  failpoint('spawn.workspace-created')
}

async function prepareWorkspace(context: ManagerContext, run: LaunchRun): Promise<void> {
  await run.workspace!.postCreate?.(run.created!, workspaceSpec(context, run))
  failpoint('spawn.workspace-prepared')
}

function workspaceSpec(context: ManagerContext, { project, plan, onProgress }: LaunchRun) {
  const stateDir = context.paths.project(project.id).stateDir(plan.session)
  const branch = plan.workspace.branch ?? ''
  return { projectId: project.id, project, sessionId: plan.session, branch, stateDir, onProgress }
}

async function destroyOldRuntime(context: ManagerContext, run: LaunchRun): Promise<void> {
  run.onProgress('ending what may be left of the old agent')
  await destroyRuntime(context, run.project.id, run.plan.session, run.restoring!.stored.record, { force: true })
  failpoint('restore.old-runtime-gone')
}

async function prepare(context: ManagerContext, run: LaunchRun): Promise<void> {
  const launch = launchOf(context, run)
  await prepareAgent(context, launch, run.parts)
  // Only now: what was prepared may belong on the command line.
  run.command = run.resume?.command ?? launchCommand(run.parts, launch)
  requireCommand(context, run.parts.agent, run.command, run.path)
  run.reached.agentPrepared()
}

async function start(context: ManagerContext, run: LaunchRun): Promise<void> {
  const { parts, command } = run
  run.onProgress(`starting in ${parts.runtime.name}: ${shortCommand(command).join(' ')}`)
  const handle = await startRuntime(context, requestOf(run), launchOf(context, run), command)
  run.handle = handle
  run.undo.push('runtime', () => parts.runtime.destroy(handle, { force: true }))
  run.reached.runtimeStarted()
}

function launchOf(context: ManagerContext, run: LaunchRun): AgentLaunch {
  return { ...agentLaunch(context, requestOf(run)), isResume: run.resume !== null }
}

async function postLaunchSetup(_context: ManagerContext, run: LaunchRun): Promise<void> {
  await run.parts.agent.postLaunchSetup?.(metadataToSession(run.plan.session, run.pairs))
  run.reached.setUp?.()
  await recordFinished(run)
}
