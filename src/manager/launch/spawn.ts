// From an issue or a prompt to a running agent in its own workspace.

import type { GivenFile } from '../../contract/agh/attachment.ts'
import { AoError } from '../../contract/errors.ts'
import { runtimeName } from '../../contract/ids.ts'
import type { ReviewSubject } from '../../contract/pull.ts'
import type { RecordChange } from '../../contract/record.ts'
import type { Session, SessionSpawnConfig, WithUndefined } from '../../contract/session.ts'
import { storedSession } from '../../contract/stored-session.ts'
import { type LaunchPlan, promptAtStart } from '../../core/session/plan-launch.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { requireWritable } from '../../lib/process/own-home.ts'
import { removeState } from '../../store/session/session-file.ts'
import type { SessionStore } from '../../store/session/session-store.ts'
import { type ManagerContext, requireProject } from '../context.ts'
import { describeAttachments, keepAttachments } from '../message/attached-files.ts'
import { warnAboutOverlap } from '../observe/ongoing-work.ts'
import { NO_OPERATION, NOT_STARTED } from '../operation.ts'
import { withRoom } from '../place/choose-place.ts'
import { recover } from '../remove/recover.ts'
import type { OnProgress, SpawnOptions } from '../types.ts'
import { executeLaunch, promptKeys } from './execute-launch.ts'
import { deliverInitialPrompt } from './first-prompt.ts'
import type { Launched } from './launch-run.ts'
import type { PlannedLaunch } from './plan.ts'
import { completePlan } from './start-agent.ts'
import { type Candidate, type CheckedTask, checkTask, freeIds, planTask, spawnIntent, type Task } from './task.ts'

export async function spawn(
  context: ManagerContext,
  given: WithUndefined<SessionSpawnConfig>,
  wanted: SpawnOptions = {},
): Promise<Session> {
  const { config, options } = await expandTask(context, given, wanted)
  const onProgress = options.onProgress ?? (() => undefined)
  let task = await checkTask(context, config, options)
  requireWritable(context.paths)
  if (options.onNotice) for (const notice of noticesFor(context, task)) options.onNotice(notice)
  await recover(context, task.project.id)
  if (task.waits !== null) {
    const { plan } = await reserveTask(context, task)
    failpoint('spawn.waits')
    return storedSession(context.store(plan.project).read(plan.session)!, plan.project)
  }
  const { session, prompt } = await retryWhilePlaceFull(
    () => launchTask(context, task, onProgress),
    async () => {
      task = await checkTask(context, config, options)
    },
  )
  if (prompt !== null) await deliverInitialPrompt(context, session.id, prompt, onProgress)
  return session
}

/** What the prompt of a person names goes along as the other files do. */
async function expandTask(context: ManagerContext, config: WithUndefined<SessionSpawnConfig>, options: SpawnOptions) {
  if (!options.byPerson || !config.prompt?.includes('@')) return { config, options }
  const { expandReferences } = await import('../message/references.ts')
  const to = { project: requireProject(context, config.projectId), workspacePath: null }
  const { text, files, notes } = await expandReferences(context, config.prompt, to)
  for (const note of notes) options.onNotice?.(note)
  return { config: { ...config, prompt: text }, options: { ...options, files: [...(options.files ?? []), ...files] } }
}

const ROOM_RACES = 20

/** Others may have taken the last room of the chosen place meanwhile: then it is chosen again, until none has any. */
async function retryWhilePlaceFull(
  launch: () => Promise<Launched>,
  chooseAgain: () => Promise<void>,
): Promise<Launched> {
  for (let races = 0; ; races++) {
    try {
      return await launch()
    } catch (error) {
      if (!(error instanceof AoError && error.code === 'PLACE_FULL') || races >= ROOM_RACES) throw error
      await chooseAgain()
    }
  }
}

/** Somebody may be at work in the same files. */
function noticesFor(context: ManagerContext, { project, config, fetched }: Task): string[] {
  if (context.store(project.id).list().length === 0) return []
  const text = [fetched?.issue.title, fetched?.issue.description, config.prompt].join('\n')
  return warnAboutOverlap(context, project.id, { text, labels: fetched?.issue.labels ?? [] })
}

/** What `spawn` would do now; changes nothing. */
export async function planSpawn(
  context: ManagerContext,
  config: WithUndefined<SessionSpawnConfig>,
  options: SpawnOptions = {},
): Promise<LaunchPlan> {
  const task = await checkTask(context, config, options)
  return { ...(await completePlan(context, task, task.first)), waits: task.waits }
}

/** How often another checkout may take the path of the number that was just reserved. */
const PATH_RACES = 20

async function launchTask(context: ManagerContext, task: CheckedTask, onProgress: OnProgress): Promise<Launched> {
  const store = context.store(task.project.id)
  for (let races = 0; ; races++) {
    const planned = await reserveTask(context, task)
    const { plan } = planned
    failpoint('spawn.reserved')
    onProgress(`reserved ${plan.session}`)
    try {
      return await store.withOperation(plan.session, () => launchReserved(context, task, planned, onProgress))
    } catch (error) {
      const isRace = error instanceof AoError && error.code === 'PATH_TAKEN'
      if (!isRace || races >= PATH_RACES) throw error
    }
  }
}

export function launchReserved(
  context: ManagerContext,
  { project, parts, workspace, options: { files } }: Task,
  planned: PlannedLaunch,
  onProgress: OnProgress,
): Promise<Launched> {
  const store = context.store(project.id)
  const job = { ...planned, project, store, parts, workspace, restoring: null, onProgress, files }
  return executeLaunch(context, job)
}

/** A task that waits is only written down: nothing of it exists, and no command is at work on it. */
export async function reserveTask(context: ManagerContext, task: CheckedTask): Promise<PlannedLaunch> {
  const { project, workspace, waits } = task
  const store = context.store(project.id)
  store.ensure()
  for (const candidate of freeIds(project, store, workspace)) {
    const planned = isPlanned(task, candidate) ? task.first : await planTask(context, task, candidate)
    const { plan } = planned
    const ofTask = await taskKeys(task)
    const { files = [] } = task.options
    const waiting = { ...NOT_STARTED, waitsSince: context.clock.now() }
    const isStart = waits === null || files.length > 0
    const intent = isStart ? await spawnIntent(task, plan) : waiting
    const claim = () => reserve(context, store, plan, { ...ofTask, ...intent })
    if (!(await (plan.place === null || waits !== null ? claim() : withRoom(context, plan, claim)))) continue
    // Its files are kept before it waits for good; a kill in between rolls it back.
    if (waits !== null && isStart) await keepForLater(store, plan.session, files, waiting)
    return planned
  }
  throw new AoError('INTERNAL', `No session of ${project.id} could be reserved`)
}

async function keepForLater(
  store: SessionStore,
  sessionId: string,
  files: readonly GivenFile[],
  waiting: RecordChange,
): Promise<void> {
  try {
    keepAttachments(store.paths, sessionId, files)
    await store.update(sessionId, { ...NO_OPERATION, ...waiting })
  } catch (error) {
    removeState(store.paths.stateDir(sessionId), { waits: false })
    await store.remove(sessionId)
    throw error
  }
}

/** Records are read all the time, so a title is one line. */
const LONGEST_TITLE = 300
const MOST_LABELS = 20

/** What the record says about the task. */
async function taskKeys(task: Task): Promise<RecordChange> {
  const { project, workspace, scm, fetched, config, options, blockers, on } = task
  const { review } = options
  return {
    ...(review && reviewKeys(review, task.parts.choice.account)),
    workspace: workspace.name,
    baseBranch: project.defaultBranch,
    forge: scm?.ghFacade ? 'ao' : ((await scm?.webAddress?.(project)) ?? null),
    // For people who read about the session later, without querying the tracker.
    issueTitle: fetched?.issue.title.slice(0, LONGEST_TITLE) ?? null,
    issueLabels:
      fetched === null || fetched.issue.labels.length === 0 ? null : fetched.issue.labels.slice(0, MOST_LABELS),
    userPrompt: review ? null : (config.prompt ?? null),
    attachments: options.files?.length ? describeAttachments(options.files) : null,
    wantedModel: options.model ?? null,
    startMode: options.mode ?? null,
    schedule: options.schedule ?? null,
    blockers: blockers.length > 0 ? blockers : null,
    stack: on && { on: on.session },
    task: options.task ?? null,
  }
}

function reviewKeys(review: ReviewSubject, account: string | undefined): RecordChange {
  const { number, head, session } = review
  const pinnedSummary = `Reviews #${number} of ${session} at ${head.slice(0, 10)}`
  return { reviews: review, pinnedSummary, prAutoDetect: 'off', account: account ?? null }
}

/** false: another process was faster. */
export function reserve(
  context: ManagerContext,
  store: SessionStore,
  plan: LaunchPlan,
  more: RecordChange,
): Promise<boolean> {
  const record: RecordChange = { project: plan.project, ...newRecord(context, plan), ...more }
  return store.reserve(plan.session, record, {
    type: 'session.reserved',
    project: plan.project,
    agent: plan.agent,
    branch: plan.workspace.branch,
    issue: plan.issue,
    role: plan.role,
  })
}

/** What every new session's record says, whatever its role. */
function newRecord(context: ManagerContext, plan: LaunchPlan): RecordChange {
  return {
    role: plan.role,
    tmuxName: runtimeName(context.paths.hash, plan.session),
    createdAt: context.clock.now(),
    issue: plan.issue,
    ...launchKeys(context, plan),
  }
}

/** What its first launch adds. */
export function launchKeys(context: ManagerContext, plan: LaunchPlan): RecordChange {
  return {
    agent: plan.agent,
    runtime: plan.runtime,
    place: plan.place,
    spawnId: plan.spawnId,
    launch: plan.launch,
    ...portKeys(context),
    // Becomes yes once the agent's records show it: a crash in between must not look like a delivered prompt.
    promptDelivered: 'no',
    ...(promptAtStart(plan) === 'no' && promptKeys('no')),
    branch: plan.workspace.branch,
    worktree: plan.workspace.path,
  }
}

/** The page and both kinds of terminal sockets are served on one port. 0 means that it is unknown yet. */
function portKeys({ config, dashboardPort }: ManagerContext): RecordChange {
  const port = dashboardPort() ?? config.port
  return port === 0 ? {} : { dashboardPort: port, terminalWsPort: port, directTerminalWsPort: port }
}

/** Unless others took its number or its path since it was checked. */
function isPlanned({ first: { plan } }: CheckedTask, { sessionId, path }: Candidate): boolean {
  return plan.session === sessionId && plan.workspace.path === path
}
