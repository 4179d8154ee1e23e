// The one way an agent is started: runs the steps of a plan in order, and rolls all of them back when one fails.
import { setImmediate as nextRound } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { OtherEvent } from '../../contract/events.ts'
import type { RecordChange } from '../../contract/record.ts'
import type { RuntimeHandle } from '../../contract/session.ts'
import { ownEnvironment, type PortBlock, wantedPorts, withPorts } from '../../core/session/agent-environment.ts'
import type { LaunchStep } from '../../core/session/plan-launch.ts'
import { STARTED } from '../../core/status/status-of-record.ts'
import { shortCommand } from '../../core/text/command-line.ts'
import { readHead } from '../../git/git-dir.ts'
import { writeAttachmentFile } from '../../inside/write-message-file.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { ignoreFailure } from '../../lib/ignore-failure.ts'
import { currentProcess, formatIdentity } from '../../lib/process/process-identity.ts'
import type { AgentLaunch } from '../../slots/agent.ts'
import type { WorkspaceInfo } from '../../slots/workspace.ts'
import { isPaused, readPause } from '../../store/fleet-pause.ts'
import { removeState } from '../../store/session/session-file.ts'
import { takePorts } from '../../store/session-ports.ts'
import type { ManagerContext } from '../context.ts'
import { countUsed } from '../fallback/account-keys.ts'
import { keepAttachments, readAttachment } from '../message/attached-files.ts'
import { NO_OPERATION } from '../operation.ts'
import { destroyRuntime } from '../remove/remove-session.ts'
import type { Launched, LaunchJob, LaunchRun } from './launch-run.ts'
import { launchCommand, requireCommand } from './plan.ts'
import { restoreWorkspace } from './restore-workspace.ts'
import { findLaunchCommand, recordRestored } from './resume.ts'
import { rollBackLaunch, rollBackWorkspace } from './roll-back.ts'
import { launchIn, prepareAgent, startRuntime } from './start-agent.ts'
import { createUndo } from './undo.ts'

export async function executeLaunch(context: ManagerContext, job: LaunchJob): Promise<Launched> {
  const { plan } = job
  const run: LaunchRun = {
    ...job,
    undo: createUndo(context.log),
    step: plan.steps[0]!,
    path: plan.workspace.path,
    variables: job.own.variables,
    launch: null,
    created: null,
    settled: Promise.resolve(),
    resume: null,
    promptDelivered: job.own.promptDelivered,
    remindsAgent: false,
    saved: [],
    command: [],
    handle: null,
    usedBefore: null,
    recorded: null,
  }
  try {
    // Here too, where every start comes by: of a task that is settled, or of a session that a message wakes.
    if (isPaused(readPause(context.paths))) (await import('../attend/pause-fleet.ts')).refuseWhilePaused(context)
    if (plan.steps[0] !== 'create workspace') await givePorts(context, run)
    for (const step of plan.steps) {
      run.step = step
      await STEPS[step](context, run)
    }
  } catch (error) {
    // What failed in a workspace that could not settle may have failed for that.
    const why = await run.settled.then(
      () => error,
      (failure: unknown) => failure,
    )
    await rollBackLaunch(context, run, why)
    throw why
  }
  return {
    session: run.recorded!,
    prompt: run.promptDelivered === 'no' ? plan.prompt : null,
    remindsAgent: run.remindsAgent,
  }
}

/** Before its agent starts; they stay the same when it is restored. */
async function givePorts(context: ManagerContext, run: LaunchRun): Promise<void> {
  run.variables = withPorts(run.variables, await ensurePorts(context, run))
}

/** undefined: it has none. */
async function ensurePorts(context: ManagerContext, { store, plan }: LaunchRun): Promise<PortBlock | undefined> {
  const { config, paths, log } = context
  const wanted = wantedPorts(config)
  const stored = store.read(plan.session)
  if (wanted.count === 0 || stored === null) return undefined
  const before = stored.record.firstPort
  let first = before
  const record = store.paths.sessionFile(plan.session)
  await ignoreFailure(`${plan.session} gets no ports`, log, async () => {
    const block = await takePorts(paths.home, { record, before, wanted, reserved: [config.port] })
    if (block === null) log.warn(`${plan.session} gets no ports: all from ${wanted.first} on are taken`)
    if (block === null || block.first === before) return
    await store.update(plan.session, { firstPort: block.first })
    first = block.first
  })
  return first === undefined ? undefined : { first, count: wanted.count }
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
  const waits = run.store.read(plan.session)?.record.waitsSince !== undefined
  run.undo.push('state', () => removeState(spec.stateDir, { waits }))
  const creating = workspace.create({ ...spec, onSettling: (settled) => settleLater(run, settled) })
  const [created, kept] = await Promise.allSettled([creating, keepMeanwhile(context, run)])
  if (created.status === 'rejected') throw created.reason
  const info = created.value
  run.undo.push('workspace', () => rollBackWorkspace(workspace, info, project))
  if (kept.status === 'rejected') throw kept.reason
  run.created = info
  run.path = info.path
  run.variables = { ...run.variables, AO_WORKSPACE_PATH: info.path }
  await noteStart(run, info)
  failpoint('spawn.workspace-created')
}

function settleLater(run: LaunchRun, settled: Promise<void>): void {
  run.settled = settled
  // It is awaited before the agent starts, perhaps after it has failed.
  settled.catch(() => undefined)
}

/** What waits for the disk is written while git checks out the files. */
async function keepMeanwhile(context: ManagerContext, run: LaunchRun): Promise<void> {
  await nextRound()
  run.store.savePrompt(run.plan.session, run.plan.prompt)
  if (run.files?.length) keepAttachments(run.store.paths, run.plan.session, run.files)
  await givePorts(context, run)
}

/** Where its own work begins, before its agent adds to it: everything below is that of the session it stands on. */
async function noteStart({ store, plan }: LaunchRun, { path, branchCreated }: WorkspaceInfo): Promise<void> {
  const stack = store.read(plan.session)?.record.stack
  // A branch that was there before may hold work of its own anywhere.
  const at = stack && branchCreated ? readHead(path).commit : null
  if (stack) await store.update(plan.session, { stack: at === null ? null : { on: stack.on, at } })
}

async function prepareWorkspace(context: ManagerContext, run: LaunchRun): Promise<void> {
  const spec = workspaceSpec(context, run)
  // The mirror of a session elsewhere gets the files that go along; commands run where the agent does.
  const project = run.parts.runtime.elsewhere ? { ...spec.project, postCreate: [], symlinks: [] } : spec.project
  await run.workspace!.postCreate?.(run.created!, { ...spec, project })
  failpoint('spawn.workspace-prepared')
}

function workspaceSpec(context: ManagerContext, { project, plan, store, variables, onProgress }: LaunchRun) {
  const stateDir = context.paths.project(project.id).stateDir(plan.session)
  const branch = plan.workspace.branch ?? ''
  const review = plan.role === 'reviewer' ? store.read(plan.session)?.record.reviews : undefined
  return { projectId: project.id, project, sessionId: plan.session, branch, stateDir, variables, onProgress, review }
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
  const launch = await launchOf(context, run)
  run.command = run.resume?.command ?? plannedCommand(run, launch)
  if (!run.parts.runtime.elsewhere) requireCommand(context, run.parts.agent, run.command, run.path)
  await prepareAgent(context, launch, run.parts, run.own.scm)
  placeAttachments(run)
  if (run.restoring?.change) run.usedBefore = await countUsed(context, run)
  failpoint(`${run.plan.kind}.agent-prepared`)
}

/** What its prompt names is there before its agent is; into a place they follow it, with the prompt. */
function placeAttachments({ project, store, plan, parts, path }: LaunchRun): void {
  const attachments = store.read(plan.session)?.record.attachments ?? []
  if (parts.runtime.elsewhere) return
  const place = { path, ownCheckout: project.path }
  for (const one of attachments) writeAttachmentFile(place, one, readAttachment(store.paths, plan.session, one))
}

/** The agent is asked again only if its workspace is different from what was planned, or if it described itself there. */
function plannedCommand({ plan, own, parts }: LaunchRun, launch: AgentLaunch): string[] {
  const { workspacePath, sandbox } = own.launch
  const isAsPlanned = workspacePath === launch.workspacePath && isDeepStrictEqual(sandbox, launch.sandbox)
  return isAsPlanned && plan.command && launch.facts === undefined ? plan.command : launchCommand(parts, launch)
}

/** Before a prompt that is part of the command; one that is sent later is saved then (message/hand-over.ts). */
async function saveFiles(
  { env }: ManagerContext,
  { plan, parts, store, path, workspace }: LaunchRun,
  { prompt }: AgentLaunch,
): Promise<OtherEvent[]> {
  if (prompt === undefined || parts.promptDelivery !== 'inline') return []
  // No message has that id: what it was is the prompt.
  const messageId = plan.spawnId
  const owner = { role: plan.role, path: workspace && path, isElsewhere: parts.runtime.elsewhere !== undefined }
  const { hasTurns, saveTurn } = await import('../../git/rescue/checkpoint.ts')
  if (!hasTurns(owner)) return []
  const turn = plan.kind === 'spawn' ? 1 : store.nextTurn(plan.session, messageId)
  return saveTurn({ path, sessionId: plan.session, turn, env, messageId, isRecorded: false })
}

async function start(context: ManagerContext, run: LaunchRun): Promise<void> {
  const { parts, command, own } = run
  run.onProgress(`starting in ${parts.runtime.name}: ${shortCommand(command).join(' ')}`)
  const launch = await launchOf(context, run)
  run.saved = await saveFiles(context, run, launch)
  await run.settled
  const ofSession = ownEnvironment(own.environment, run.variables, parts.agent.getEnvironment(launch))
  const handle = await startRuntime(context, parts, launch, {
    spawnId: run.plan.spawnId,
    command,
    environment: { ...own.environment.inherited, ...ofSession },
    resumes: run.resume?.ended ?? undefined,
    forks: run.resume?.fork?.of,
  })
  run.handle = handle
  const pause = run.restoring?.stored.record.paused && parts.runtime.elsewhere?.canPause ? 'now' : undefined
  run.undo.push('runtime', () => parts.runtime.destroy(handle, { force: true, pause }))
  if (parts.runtime.elsewhere) await bringAttachments(run, handle)
  if (run.resume && handle.data?.resumed === false) startedAfresh(run, handle.data.whyNot)
  failpoint(`${run.plan.kind}.runtime-started`)
}

/** Into its place, which there was not before: it may have to wait a moment for what its task names. */
async function bringAttachments({ store, plan, parts: { runtime } }: LaunchRun, handle: RuntimeHandle): Promise<void> {
  const attachments = store.read(plan.session)?.record.attachments ?? []
  for (const one of attachments)
    await runtime.elsewhere?.writeAttachment?.(handle, one, readAttachment(store.paths, plan.session, one))
}

/** Only where the agent runs was it known whether it could continue. It has no task yet. */
function startedAfresh(run: LaunchRun, whyNot: unknown): void {
  const { name } = run.parts.agent
  const { onNotice } = run.restoring!
  if (run.resume?.fork) onNotice(`${name} did not copy the conversation and begins a new one: ${String(whyNot)}`)
  else run.onProgress(`${name} could not continue its conversation there and starts afresh`)
  run.resume = null
  if (run.plan.prompt !== null) run.promptDelivered = 'no'
}

async function launchOf(context: ManagerContext, run: LaunchRun): Promise<AgentLaunch> {
  const isResume = run.resume !== null && run.resume.fork === undefined
  return { ...(await launchIn(context, run)), prompt: isResume ? undefined : (run.plan.prompt ?? undefined), isResume }
}

async function postLaunchSetup(_context: ManagerContext, run: LaunchRun): Promise<void> {
  await run.parts.agent.postLaunchSetup?.(run.recorded!)
  failpoint(`${run.plan.kind}.set-up`)
  await recordFinished(run)
}

/** For an agent that gets its first prompt as a message: until that is handed over, somebody has to be there to do it. */
export function promptKeys(promptDelivered: RecordChange['promptDelivered']): RecordChange {
  return { promptDelivered, promptSender: promptDelivered === 'no' ? formatIdentity(currentProcess()) : null }
}

/** The last step unless the agent has more to set up: then the intent stays until that is done. */
async function recordStarted(context: ManagerContext, run: LaunchRun): Promise<void> {
  const { store, plan, restoring } = run
  const handle = run.handle!
  const started = { runtimeHandle: handle, ...promptKeys(run.promptDelivered) }
  const created: OtherEvent[] = run.created
    ? [{ type: 'workspace.created', path: run.created.path, branch: run.created.branch }]
    : []
  const runs: OtherEvent = {
    type: 'runtime.started',
    handle,
    launch: plan.launch,
    command: shortCommand(run.command),
  }
  if (restoring) await recordRestored(context, run, started, runs)
  const isLast = plan.steps.at(-1) === 'write metadata'
  run.recorded = await store.update(
    plan.session,
    { ...started, ...STARTED, ...(isLast ? NO_OPERATION : {}) },
    [...(restoring ? [] : [...created, ...run.saved, runs]), ...(isLast ? [finished(run)] : [])],
    [`${plan.agent} was started`],
  )
  failpoint(`${run.plan.kind}.recorded`)
}

async function recordFinished(run: LaunchRun): Promise<void> {
  const { store, plan } = run
  run.recorded = await store.update(plan.session, NO_OPERATION, [finished(run)], [`${plan.agent} was started`])
}

function finished({ restoring }: LaunchRun): OtherEvent {
  return { type: 'operation.finished', operation: restoring ? 'restore' : 'spawn' }
}
