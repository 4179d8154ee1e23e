// From an issue or a prompt to a running agent in its own workspace.

import { randomUUID } from 'node:crypto'
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import type { RecordChange } from '../../contract/record.ts'
import type { Session, SessionSpawnConfig, WithUndefined } from '../../contract/session.ts'
import { buildPrompt } from '../../core/prompt/build-prompt.ts'
import { handInOf } from '../../core/prompt/hand-in.ts'
import { isIssueReference, resolveBranch } from '../../core/session/name-branch.ts'
import type { LaunchPlan } from '../../core/session/plan-launch.ts'
import { failpoint } from '../../lib/failpoint.ts'
import type { Scm } from '../../slots/scm.ts'
import { type Issue, isIssueNotFoundError, type Tracker } from '../../slots/tracker.ts'
import type { Workspace } from '../../slots/workspace.ts'
import { requireWritable } from '../../store/store-directories.ts'
import { type ManagerContext, requireProject, scmOf, trackerOf, workspaceOf } from '../context.ts'
import { warnAboutOverlap } from '../observe/ongoing-work.ts'
import { placeForSpawn, withRoom } from '../place/choose-place.ts'
import { recover } from '../remove/recover.ts'
import type { OnProgress, SpawnOptions } from '../types.ts'
import { requireLaunchConsent } from './consent.ts'
import { executeLaunch } from './execute-launch.ts'
import { deliverInitialPrompt } from './first-prompt.ts'
import type { Launched, Reached } from './launch-run.ts'
import { type LaunchParts, launchParts, makePlan, type PlannedLaunch, requireCommand } from './plan.ts'
import { projectRules } from './prompt-files.ts'
import { type Candidate, freeIds, reserve } from './reserve-session.ts'
import { completePlan } from './start-agent.ts'

export async function spawn(
  context: ManagerContext,
  config: WithUndefined<SessionSpawnConfig>,
  options: SpawnOptions = {},
): Promise<Session> {
  const onProgress = options.onProgress ?? (() => undefined)
  let task = await checkTask(context, config, options)
  requireWritable(context.paths)
  if (options.onNotice) for (const notice of noticesFor(context, task)) options.onNotice(notice)
  await recover(context, task.project.id)
  const { session, prompt } = await retryWhilePlaceFull(
    () => launchTask(context, task, onProgress),
    async () => {
      task = await checkTask(context, config, options)
    },
  )
  if (prompt !== null) await deliverInitialPrompt(context, session.id, prompt, onProgress)
  return session
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
  return completePlan(context, task, task.first)
}

/** How often another checkout may take the path of the number that was just reserved. */
const PATH_RACES = 20

async function launchTask(context: ManagerContext, task: CheckedTask, onProgress: OnProgress): Promise<Launched> {
  const { project, parts, workspace } = task
  const store = context.store(project.id)
  for (let races = 0; ; races++) {
    const planned = await reserveTask(context, task)
    const { plan } = planned
    failpoint('spawn.reserved')
    onProgress(`reserved ${plan.session}`)
    try {
      return await store.withOperation(plan.session, () =>
        executeLaunch(context, {
          ...planned,
          project,
          store,
          parts,
          workspace,
          restoring: null,
          onProgress,
          reached: REACHED,
        }),
      )
    } catch (error) {
      const isRace = error instanceof AoError && error.code === 'PATH_TAKEN'
      if (!isRace || races >= PATH_RACES) throw error
    }
  }
}

const REACHED: Reached = {
  agentPrepared: () => failpoint('spawn.agent-prepared'),
  runtimeStarted: () => failpoint('spawn.runtime-started'),
  recorded: () => failpoint('spawn.recorded'),
  setUp: () => failpoint('spawn.set-up'),
}

/** Records are read all the time, so a title is one line. */
const LONGEST_TITLE = 300
const MOST_LABELS = 20

async function reserveTask(context: ManagerContext, task: CheckedTask): Promise<PlannedLaunch> {
  const { project, workspace, fetched, config } = task
  const store = context.store(project.id)
  store.ensure()
  for (const candidate of freeIds(project, store, workspace)) {
    const planned = isPlanned(task, candidate) ? task.first : await planTask(context, task, candidate)
    const { plan } = planned
    const branchIsNew = !(await workspace.hasBranch?.(project, plan.workspace.branch ?? ''))
    const more: RecordChange = {
      workspace: workspace.name,
      baseBranch: project.defaultBranch,
      forge: task.scm?.ghFacade ? 'ao' : ((await task.scm?.webHost?.(project)) ?? null),
      // For people who read about the session later, without querying the tracker.
      issueTitle: fetched?.issue.title.slice(0, LONGEST_TITLE) ?? null,
      issueLabels:
        fetched === null || fetched.issue.labels.length === 0 ? null : fetched.issue.labels.slice(0, MOST_LABELS),
      userPrompt: config.prompt ?? null,
      operationData: { branchIsNew },
    }
    if (await withRoom(context, plan, () => reserve(context, store, plan, more))) return planned
  }
  throw new AoError('INTERNAL', `No session of ${project.id} could be reserved`)
}

/** Unless others took its number or its path since it was checked. */
function isPlanned({ first: { plan } }: CheckedTask, { sessionId, path }: Candidate): boolean {
  return plan.session === sessionId && plan.workspace.path === path
}

interface Task {
  project: ProjectConfig
  config: WithUndefined<SessionSpawnConfig>
  parts: LaunchParts
  workspace: Workspace
  issueId: string | undefined
  fetched: FetchedIssue | null
  rules: string[]
  /** null: the project has no forge. */
  scm: Scm | null
}

interface CheckedTask extends Task {
  /** Of the first number that seems free. */
  first: PlannedLaunch
}

/** Everything that can be refused before anything is created. */
async function checkTask(
  context: ManagerContext,
  config: WithUndefined<SessionSpawnConfig>,
  options: SpawnOptions,
): Promise<CheckedTask> {
  const project = requireProject(context, config.projectId)
  const issueId = config.issueId?.trim() || undefined
  const place = placeForSpawn(context, project, options.place)
  const parts = await launchParts(context, project, 'worker', { agent: config.agent, place })
  requireLaunchConsent(context, project)
  const workspace = await workspaceOf(context, project)
  const rules = projectRules(project)
  const fetched = await fetchIssue(context, project, issueId, options)
  const scm = await scmOf(context, project)
  const task: Task = { project, config, parts, workspace, issueId, fetched, rules, scm }
  const [candidate] = freeIds(project, context.store(project.id), workspace)
  const first = await planTask(context, task, candidate!)
  if (!parts.runtime.elsewhere) requireCommand(context, parts.agent, first.plan.command ?? [], project.path)
  return { ...task, first }
}

async function planTask(context: ManagerContext, task: Task, { sessionId, path }: Candidate): Promise<PlannedLaunch> {
  const { project, parts, scm, workspace, config, issueId, fetched } = task
  const trackerBranch = fetched
    ? (fetched.issue.branchName ?? (await fetched.tracker.branchName(issueId!, project)))
    : undefined
  const branch = resolveBranch({ explicit: config.branch, issueId, trackerBranch, sessionId })
  return makePlan(context, {
    kind: 'spawn',
    project,
    parts,
    scm,
    sessionId,
    spawnId: randomUUID(),
    launch: 1,
    role: 'worker',
    workspace,
    path,
    branch,
    issueId: issueId ?? null,
    prompt: promptOf(task, branch),
  })
}

function promptOf({ project, config, issueId, fetched, rules, scm }: Task, branch: string): string | null {
  return buildPrompt({
    projectName: project.name,
    repo: project.repo ?? null,
    defaultBranch: project.defaultBranch,
    branch,
    handIn: scm && handInOf(scm),
    issue: issueContext(fetched, project),
    adHocIssue: fetched ? null : (issueId ?? null),
    rules,
    userPrompt: config.prompt ?? null,
  })
}

function issueContext(fetched: FetchedIssue | null, project: ProjectConfig) {
  if (!fetched) return null
  const { issue, tracker } = fetched
  const author = issue.author ? `, written by ${issue.author}` : ''
  return { id: issue.id, context: tracker.generatePrompt(issue, project), origin: `issue ${issue.id}${author}` }
}

interface FetchedIssue {
  tracker: Tracker
  issue: Issue
}

/** null: there is no such issue, and the id may be free text (`requireIssue` refuses what looks like an id). */
async function fetchIssue(
  context: ManagerContext,
  project: ProjectConfig,
  issueId: string | undefined,
  options: Pick<SpawnOptions, 'requireIssue'> = {},
): Promise<FetchedIssue | null> {
  if (issueId === undefined) return null
  const mustBeKnown = options.requireIssue === true && isIssueReference(issueId)
  const tracker = await trackerOf(context, project)
  if (!tracker) {
    if (mustBeKnown) throw noTracker(project, issueId)
    return null
  }
  try {
    return { tracker, issue: await tracker.getIssue(issueId, project) }
  } catch (error) {
    if (isIssueNotFoundError(error)) {
      if (mustBeKnown) throw unknownIssue(tracker, project, issueId)
      return null
    }
    throw new AoError('TRACKER_FAILED', `Failed to fetch issue: ${errorText(error)}`, {
      hint: `Nothing was created. Check the access to ${tracker.name}, or start without the issue: ao spawn --prompt "…"`,
      details: { issueId, tracker: tracker.name },
      cause: error,
    })
  }
}

function unknownIssue(tracker: Tracker, project: ProjectConfig, issueId: string): AoError {
  return new AoError('ISSUE_NOT_FOUND', `The tracker ${tracker.name} has no issue ${issueId} in ${project.id}`, {
    hint: `Nothing was started. List the issues with: ao issue ls --project ${project.id}; without an issue: ao spawn --prompt "…"`,
    details: { issueId, tracker: tracker.name },
  })
}

/** Without a tracker an id says nothing about the work, so an agent could only guess. */
function noTracker(project: ProjectConfig, issueId: string): AoError {
  return new AoError('ISSUE_NOT_FOUND', `Project ${project.id} has no tracker that could know the issue ${issueId}`, {
    hint: `Nothing was started. Describe the work: ao spawn ${/^[\w-]+$/.test(issueId) ? `${issueId} ` : ''}--prompt "…"; or configure a tracker (docs/forges.md; tracker: local needs no server)`,
    details: { issueId, tracker: null },
  })
}
