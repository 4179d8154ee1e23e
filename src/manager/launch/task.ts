// The task of a new session: what was asked for, checked against the tracker, the configuration and the user's consent before
// anything is created, and planned.
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Blocker, Stand } from '../../contract/blocker.ts'
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import { handInOf } from '../../contract/forges.ts'
import { READING_WORKSPACE } from '../../contract/pull.ts'
import type { RecordChange } from '../../contract/record.ts'
import type { Role } from '../../contract/record-values.ts'
import type { SessionSpawnConfig, WithUndefined } from '../../contract/session.ts'
import { isTerminalSession } from '../../contract/status.ts'
import { storedSession } from '../../contract/stored-session.ts'
import { buildPrompt } from '../../core/prompt/build-prompt.ts'
import { isIssueReference, issueKey, resolveBranch } from '../../core/session/name-branch.ts'
import type { LaunchPlan } from '../../core/session/plan-launch.ts'
import { waitsFor } from '../../core/task/read-blockers.ts'
import { readPlainText } from '../../lib/plain-file.ts'
import type { Scm } from '../../slots/scm.ts'
import { type Issue, isIssueNotFoundError, type Tracker } from '../../slots/tracker.ts'
import type { Workspace } from '../../slots/workspace.ts'
import type { SessionStore } from '../../store/session/session-store.ts'
import { type ManagerContext, requireLaunchConsent, requireProject, scmOf, trackerOf, workspaceOf } from '../context.ts'
import { namingFiles } from '../message/attached-files.ts'
import { placeForSpawn } from '../place/choose-place.ts'
import type { SpawnOptions } from '../types.ts'
import { type Base, decideWait, findBase, findBlockers } from './blockers.ts'
import { type LaunchParts, launchParts, makePlan, type PlannedLaunch, requireCommand } from './plan.ts'

export interface Task {
  project: ProjectConfig
  config: WithUndefined<SessionSpawnConfig>
  options: SpawnOptions
  parts: LaunchParts
  workspace: Workspace
  /** Not for the project's default branch. */
  isOtherBase: boolean
  issueId: string | undefined
  isSecond: boolean
  fetched: FetchedIssue | null
  /** The project whose tracker has the issue: of a group, the first. */
  issuesIn: ProjectConfig
  rules: string[]
  /** null: the project has no forge. */
  scm: Scm | null
  /** What has to land before it starts. */
  blockers: Blocker[]
  /** Why it does not start now; null: nothing is in its way. */
  waits: string | null
  /** The session whose branch it starts on, before that has landed; null: no session's. */
  on: Stand | null
}

export interface CheckedTask extends Task {
  /** Of the first number that seems free. */
  first: PlannedLaunch
}

/** Everything that can be refused before anything is created. */
export async function checkTask(
  context: ManagerContext,
  given: WithUndefined<SessionSpawnConfig>,
  options: SpawnOptions,
): Promise<CheckedTask> {
  const config = options.files?.length ? { ...given, prompt: namingFiles(given.prompt, options.files) } : given
  const configured = requireProject(context, config.projectId)
  const base = await findBase(context, configured, options.base)
  const issueId = config.issueId?.trim() || undefined
  if (options.second === 'refuse' && config.branch === undefined) refuseSecond(context, configured, issueId)
  const isPlaced = options.place !== undefined || configured.place !== undefined
  const place = isPlaced ? placeForSpawn(context, configured, options.place) : undefined
  requireLaunchConsent(context, configured)
  const role = roleOf(options)
  const parts = await launchParts(context, configured, role, {
    ...{ agent: config.agent, model: options.model, mode: options.mode, place },
  })
  const workspace = await workspaceOf(context, configured, role === 'reviewer' ? READING_WORKSPACE : undefined)
  const rules = projectRules(configured)
  const { shared } = options
  const issuesIn = shared === undefined ? configured : requireProject(context, shared.project)
  const blocked = { issueId: shared === undefined ? issueId : shared.request.issueId, issuesIn, base, options }
  const decided = await decideBase(context, configured, blocked)
  const { project } = decided
  const scm = await scmOf(context, project)
  const isSecond = options.second === 'start' || shared?.kind === 'best'
  const isOtherBase = project.defaultBranch !== configured.defaultBranch
  const task: Task = {
    ...{ ...decided, config, options, parts, workspace, scm, rules },
    ...{ isOtherBase, issueId, issuesIn, isSecond },
  }
  const [candidate] = freeIds(project, context.store(project.id), workspace)
  const first = await planTask(context, task, candidate!)
  if (!parts.runtime.elsewhere) requireCommand(context, parts.agent, first.plan.command ?? [], project.path)
  return { ...task, first }
}

/** Everything about a session asks its project for the branch that its work is for: its own, or one that it stands on. */
async function decideBase(
  context: ManagerContext,
  configured: ProjectConfig,
  { issueId, issuesIn, base, options }: Pick<Task, 'issueId' | 'issuesIn' | 'options'> & { base: Base },
): Promise<Pick<Task, 'project' | 'fetched' | 'blockers' | 'waits' | 'on'>> {
  const fetched = await fetchIssue(context, issuesIn, issueId, options)
  const { issue = null, related = [] } = fetched ?? {}
  const { now, needs = [] } = options
  const blockers = now ? [] : findBlockers(context, issuesIn, { issueId, issue, related, needs })
  const decision = await decideWait(context, configured, { blockers, on: base.on })
  const on = decision.act === 'start' ? decision.on : base.on
  const defaultBranch = on?.branch ?? base.branch
  const project = defaultBranch === configured.defaultBranch ? configured : { ...configured, defaultBranch }
  return { project, fetched, blockers, waits: decision.act === 'wait' ? decision.reason : null, on }
}

function roleOf({ review }: SpawnOptions): Role {
  return review ? 'reviewer' : 'worker'
}

/** Two agents on one issue is what somebody wants now and then, and what nobody wants by accident. */
function refuseSecond(context: ManagerContext, project: ProjectConfig, issueId: string | undefined): void {
  if (issueId === undefined) return
  const key = issueKey(issueId)
  const owners = context
    .store(project.id)
    .readAll()
    .filter(({ record: { issue } }) => issue !== undefined && issueKey(issue) === key)
    .map((stored) => storedSession(stored, project.id))
    .filter((one) => !isTerminalSession({ ...one, activity: null }))
  const [owner] = owners
  if (owner === undefined) return
  const attach = `ao session attach ${owner.id}`
  const waits = waitsFor(owner)
  const what =
    waits === null
      ? `works on ${issueId} already; its status is ${owner.status}`
      : `is there for ${issueId}; it ${waits}`
  throw new AoError('ISSUE_TAKEN', `${owner.id} ${what}`, {
    hint: `${waits === null ? `Join it with: ${attach}` : `Start it now with: ao session restore ${owner.id}`}; start a second session with --again`,
    details: { issueId, session: owner.id, sessions: owners.map(({ id }) => id), attach, waits },
  })
}

export async function planTask(
  context: ManagerContext,
  task: Task,
  { sessionId, path }: Candidate,
): Promise<PlannedLaunch> {
  const { project, parts, scm, workspace, config, issueId, isSecond, fetched } = task
  const trackerBranch =
    fetched && issueId !== undefined
      ? (fetched.issue.branchName ?? (await fetched.tracker.branchName(issueId, project)))
      : undefined
  const branch =
    task.options.review === undefined
      ? resolveBranch({ explicit: config.branch, issueId, trackerBranch, sessionId, isSecond })
      : null
  return makePlan(context, {
    kind: 'spawn',
    project,
    parts,
    scm,
    sessionId,
    spawnId: randomUUID(),
    launch: 1,
    role: roleOf(task.options),
    workspace,
    git: workspace.gitFor?.(project, path) ?? null,
    path,
    branch,
    issueId: issueId ?? null,
    firstPort: null,
    prompt: branch === null ? (config.prompt ?? null) : promptOf(task, branch),
  })
}

export interface Candidate {
  sessionId: string
  path: string
}

const MAX_TRIES = 10_000

/** Ids and workspace paths that seem free, in order; only a reservation makes one certain. */
export function* freeIds(project: ProjectConfig, store: SessionStore, workspace: Workspace): Generator<Candidate> {
  const first = store.nextNumber(project.sessionPrefix)
  for (let number = first; number < first + MAX_TRIES; number++) {
    const sessionId = `${project.sessionPrefix}-${number}`
    const path = workspace.pathFor({ projectId: project.id, sessionId })
    // The path contains no hash: another checkout with the same project id may already use this number.
    if (!existsSync(path)) yield { sessionId, path }
  }
  throw new AoError('INTERNAL', `No free session number was found for prefix ${project.sessionPrefix}`)
}

function promptOf(
  { project, config, options: { shared }, isOtherBase, issueId, issuesIn, fetched, rules, scm }: Task,
  branch: string,
): string | null {
  return buildPrompt({
    projectName: project.name,
    repo: project.repo ?? null,
    defaultBranch: project.defaultBranch,
    isOtherBase,
    branch,
    handIn: scm && handInOf(scm),
    issue: issueContext(fetched, issuesIn),
    adHocIssue: fetched ? null : (shared?.request.issueId ?? issueId ?? null),
    group: shared?.kind === 'group' ? shared.members.map((one) => one.project) : null,
    projectId: project.id,
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

/** Rules from the configuration and from the project's rules file; a missing file is an error, not silently ignored. */
function projectRules(project: ProjectConfig): string[] {
  const rules = project.agentRules ? [project.agentRules] : []
  if (project.agentRulesFile === undefined) return rules
  const file = resolve(project.path, project.agentRulesFile)
  try {
    return [...rules, readPlainText(file)]
  } catch (error) {
    throw new AoError('CONFIG_INVALID', `agentRulesFile of project ${project.id} cannot be read: ${errorText(error)}`, {
      details: { file },
      cause: error,
    })
  }
}

interface FetchedIssue {
  tracker: Tracker
  issue: Issue
  /** Ids of issues that have to be done first. */
  related: readonly string[]
}

/** null: there is no such issue, and the id may be free text (`requireIssue` refuses what looks like an id). */
async function fetchIssue(
  context: ManagerContext,
  project: ProjectConfig,
  issueId: string | undefined,
  options: Pick<SpawnOptions, 'requireIssue' | 'now'> = {},
): Promise<FetchedIssue | null> {
  if (issueId === undefined) return null
  const mustBeKnown = options.requireIssue === true && isIssueReference(issueId)
  const tracker = await trackerOf(context, project)
  if (!tracker) {
    if (mustBeKnown) throw noTracker(project, issueId)
    return null
  }
  try {
    const issue = await tracker.getIssue(issueId, project)
    const related = options.now ? undefined : await tracker.blockersOf?.(issue.id, project)
    return { tracker, issue, related: related ?? [] }
  } catch (error) {
    if (isIssueNotFoundError(error)) {
      if (mustBeKnown) throw unknownIssue(tracker, project, issueId)
      return null
    }
    throw new AoError('TRACKER_FAILED', `Failed to fetch issue: ${errorText(error)}`, {
      hint: `Nothing was created. Check the access to ${tracker.name}, or start without the issue (ao spawn --prompt "…") or without what it needs (--now)`,
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

/** With whether its branch was there before: written down before anything could delete it. */
export async function spawnIntent(
  { project, workspace }: Task,
  { workspace: { branch } }: LaunchPlan,
): Promise<RecordChange> {
  const branchIsNew = !(await workspace.hasBranch?.(project, branch ?? ''))
  return { operation: 'spawn', operationData: { branchIsNew } }
}
