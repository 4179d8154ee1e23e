// The one way an agent is started: runs the steps of a plan in order, and rolls all of them back when one fails.
import { rmSync } from 'node:fs'
import { type LaunchStep, promptAtStart, shortCommand } from '../../core/session/plan-launch.ts'
import { withPorts } from '../../core/session/session-variables.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { createUndo } from '../../lib/undo.ts'
import type { AgentLaunch } from '../../slots/agent.ts'
import type { ManagerContext } from '../context.ts'
import { countUsed } from '../fallback/count-used.ts'
import { destroyRuntime } from '../remove/remove-session.ts'
import { ensurePorts } from '../session-variables.ts'
import { ownEnvironment } from './agent-environment.ts'
import { findLaunchCommand } from './find-resume.ts'
import { prepareAgent, requireCommand, savePrompt, startRuntime } from './launch.ts'
import { type Launched, type LaunchJob, type LaunchRun, launchIn } from './launch-run.ts'
import { launchCommand } from './make-plan.ts'
import { recordFinished, recordStarted } from './record-started.ts'
import { restoreWorkspace } from './restore-workspace.ts'
import { rollBackLaunch } from './roll-back-launch.ts'
import { rollBackWorkspace } from './roll-back-workspace.ts'

export async function executeLaunch(context: ManagerContext, job: LaunchJob): Promise<Launched> {
  const { plan } = job
  const run: LaunchRun = {
    ...job,
    undo: createUndo(context.log),
    step: plan.steps[0]!,
    path: plan.workspace.path,
    words: job.own.words,
    launch: null,
    created: null,
    resume: null,
    promptDelivered: promptAtStart(plan),
    remindsAgent: false,
    command: [],
    handle: null,
    usedBefore: null,
    recorded: null,
  }
  try {
    run.words = withPorts(run.words, await ensurePorts(context, plan.project, plan.session))
    for (const step of plan.steps) {
      run.step = step
      await STEPS[step](context, run)
    }
  } catch (error) {
    await rollBackLaunch(context, run, error)
    throw error
  }
  return {
    session: run.recorded!,
    prompt: run.promptDelivered === 'no' ? plan.prompt : null,
    remindsAgent: run.remindsAgent,
  }
}

const STEPS: Record<LaunchStep, (context: ManagerContext, run: LaunchRun) => Promise<void>> = {
  'create workspace': createWorkspace,
  'prepare workspace': prepareWorkspace,
  'restore workspace': (context, run) =>
    restoreWorkspace(context, run.workspace!, { ...run, ...run.restoring!, sessionId: run.plan.session }),
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
  run.undo.push('workspace', () => rollBackWorkspace(workspace, info, project))
  run.created = info
  run.path = info.path
  run.words = { ...run.words, AO_WORKSPACE_PATH: info.path }
  failpoint('spawn.workspace-created')
}

async function prepareWorkspace(context: ManagerContext, run: LaunchRun): Promise<void> {
  const spec = workspaceSpec(context, run)
  // The mirror of a session elsewhere gets the files that go along; commands run where the agent does.
  const project = run.parts.runtime.elsewhere ? { ...spec.project, postCreate: [], symlinks: [] } : spec.project
  await run.workspace!.postCreate?.(run.created!, { ...spec, project })
  failpoint('spawn.workspace-prepared')
}

function workspaceSpec(context: ManagerContext, { project, plan, words, onProgress }: LaunchRun) {
  const stateDir = context.paths.project(project.id).stateDir(plan.session)
  const branch = plan.workspace.branch ?? ''
  return { projectId: project.id, project, sessionId: plan.session, branch, stateDir, words, onProgress }
}

async function destroyOldRuntime(context: ManagerContext, run: LaunchRun): Promise<void> {
  run.onProgress('ending what may be left of the old agent')
  const { record } = run.restoring!.stored
  // The place that it was paused in continues; anywhere else it would be left behind.
  const pause = record.runtimeHandle?.runtimeName === run.parts.runtime.name ? 'keep' : undefined
  await destroyRuntime(context, run.project.id, run.plan.session, record, { force: true, pause })
  failpoint('restore.old-runtime-gone')
}

async function prepare(context: ManagerContext, run: LaunchRun): Promise<void> {
  const launch = launchOf(context, run)
  await prepareAgent(context, launch, run.parts, run.own.scm)
  // Only now: the preparation may add to the command line.
  run.command = run.resume?.command ?? launchCommand(run.parts, launch)
  if (!run.parts.runtime.elsewhere) requireCommand(context, run.parts.agent, run.command, run.path)
  if (run.restoring?.change) run.usedBefore = await countUsed(context, run)
  run.reached.agentPrepared()
}

async function start(context: ManagerContext, run: LaunchRun): Promise<void> {
  const { parts, command, own } = run
  run.onProgress(`starting in ${parts.runtime.name}: ${shortCommand(command).join(' ')}`)
  const launch = launchOf(context, run)
  const ofSession = ownEnvironment(own.environment, run.words, parts.agent.getEnvironment(launch))
  const handle = await startRuntime(context, parts, launch, {
    spawnId: run.plan.spawnId,
    command,
    environment: { ...own.environment.inherited, ...ofSession },
    resumes: run.resume?.ended ?? undefined,
  })
  run.handle = handle
  const pause = run.restoring?.stored.record.paused && parts.runtime.elsewhere?.canPause ? 'now' : undefined
  run.undo.push('runtime', () => parts.runtime.destroy(handle, { force: true, pause }))
  if (run.resume && handle.data?.resumed === false) startedAfresh(run)
  run.reached.runtimeStarted()
}

/** Only where the agent runs was it known whether it could continue. It has no task yet. */
function startedAfresh(run: LaunchRun): void {
  run.resume = null
  if (run.plan.prompt !== null) run.promptDelivered = 'no'
  run.onProgress(`${run.parts.agent.name} could not continue its conversation there and starts afresh`)
}

function launchOf(context: ManagerContext, run: LaunchRun): AgentLaunch {
  const isResume = run.resume !== null
  return { ...launchIn(context, run, isResume ? null : run.plan.prompt), isResume }
}

async function postLaunchSetup(_context: ManagerContext, run: LaunchRun): Promise<void> {
  await run.parts.agent.postLaunchSetup?.(run.recorded!)
  run.reached.setUp?.()
  await recordFinished(run)
}
