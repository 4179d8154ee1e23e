// What has become of the work that other work waits for, and whether it can be stood on. Asks trackers and forges; changes nothing.
import { type Blocker, type ObservedBlocker, type Stand, writeBlocker } from '../../contract/blocker.ts'
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import { pullNumber } from '../../contract/ids.ts'
import type { PullRef } from '../../contract/pull.ts'
import type { SessionRecord } from '../../contract/record.ts'
import { type SessionStatus, TERMINAL_STATUSES } from '../../contract/status.ts'
import type { Scm } from '../../slots/scm.ts'
import { isIssueNotFoundError, type Tracker } from '../../slots/tracker.ts'
import { findActive, findArchived, type ManagerContext, scmOf, trackerOf } from '../context.ts'

/** Longer stacks are nobody's plan. */
const MOST_BELOW = 100

/** undefined: nobody can stand on it. Its branch is made when it starts, and is of no use once it has landed. */
export function standOf(context: ManagerContext, project: ProjectConfig, id: string): Stand | undefined {
  const store = context.store(project.id)
  const record = store.read(id)?.record
  const isStarted = record?.launched === 'yes' && record.waitsSince === undefined
  if (!isStarted || record.branch === undefined || record.branch === project.defaultBranch) return undefined
  if (TERMINAL_STATUSES.has(record.status ?? 'working')) return undefined
  const under: string[] = []
  for (let on = record.stack?.on; on && on !== id && !under.includes(on) && under.length < MOST_BELOW; ) {
    under.push(on)
    on = store.read(on)?.record.stack?.on
  }
  return { session: id, branch: record.branch, under }
}

export interface Footing {
  branch: string
  /** The session whose branch that is; null: everything that it stood on has landed. */
  on: string | null
  /** That session ended without landing. */
  isGone: boolean
}

/** What work is for that stands on others: the branch of the nearest that has not landed, or what the last one landed in. */
export function findFooting(
  context: ManagerContext,
  project: ProjectConfig,
  { baseBranch, stack }: Pick<SessionRecord, 'baseBranch' | 'stack'>,
): Footing {
  const store = context.store(project.id)
  let branch = baseBranch ?? project.defaultBranch
  let on = stack?.on ?? null
  for (const seen = new Set<string>(); on !== null && !seen.has(on); ) {
    seen.add(on)
    const record: SessionRecord | undefined = store.read(on)?.record ?? store.readArchived(on)?.record
    const state = record ? verdictOf(record).state : 'failed'
    if (!record || state !== 'landed') return { branch, on, isGone: state === 'failed' }
    branch = record.baseBranch ?? project.defaultBranch
    on = record.stack?.on ?? null
  }
  return { branch, on, isGone: false }
}

/** What trackers and forges have said, by question: whoever asks again and again asks them less often. */
export interface Answers {
  ask<T>(question: string, answer: () => Promise<T>): Promise<T>
}

const ASK_ALWAYS: Answers = { ask: (_question, answer) => answer() }

/** For work in `project`: only its own branches can be stood on. */
export function observeBlockers(
  context: ManagerContext,
  project: ProjectConfig,
  blockers: readonly Blocker[],
  answers: Answers = ASK_ALWAYS,
): Promise<ObservedBlocker[]> {
  return Promise.all(
    blockers.map(async (blocker): Promise<ObservedBlocker> => {
      try {
        const verdict = await observe(context, blocker, answers)
        const stand = verdict.state === 'open' ? standFor(context, project, blocker) : undefined
        return { blocker, ...verdict, stand }
      } catch (error) {
        return { blocker, state: 'unknown', detail: `could not be read: ${errorText(error)}` }
      }
    }),
  )
}

/** Of the one session that works on it. */
function standFor(context: ManagerContext, project: ProjectConfig, blocker: Blocker): Stand | undefined {
  if (blocker.kind === 'session') return standOf(context, project, blocker.id)
  if (blocker.project !== project.id) return undefined
  const isMeant = ({ issue, pr }: SessionRecord) =>
    blocker.kind === 'issue' ? issue === blocker.id : pr !== undefined && pullNumber(pr) === blocker.number
  const stands = context
    .store(project.id)
    .readAll()
    .flatMap(({ id, record }) => (isMeant(record) ? (standOf(context, project, id) ?? []) : []))
  return stands.length === 1 ? stands[0] : undefined
}

type Verdict = Pick<ObservedBlocker, 'state' | 'detail'>

async function observe(context: ManagerContext, blocker: Blocker, answers: Answers): Promise<Verdict> {
  if (blocker.kind === 'session') return ofSession(context, blocker.id)
  const project = Object.hasOwn(context.config.projects, blocker.project)
    ? context.config.projects[blocker.project]!
    : null
  // Nobody can find out from here when it has landed.
  if (!project)
    return { state: 'failed', detail: `is in ${blocker.project}, which is not a project of this configuration` }
  if (blocker.kind === 'issue') return ofIssue(context, project, blocker.id, answers)
  return answers.ask(writeBlocker(blocker), () => ofPull(context, project, blocker.number))
}

function ofSession(context: ManagerContext, id: string): Verdict {
  const record = (findActive(context, id) ?? findArchived(context, id))?.stored.record
  if (!record) return { state: 'failed', detail: 'no longer exists' }
  return verdictOf(record)
}

/** By what its record says: nothing is probed for it. */
function verdictOf({ status = 'working', waitsSince }: SessionRecord): Verdict {
  if (status === 'merged') return { state: 'landed', detail: 'has landed' }
  if (status === 'done') return { state: 'landed', detail: 'is done' }
  if (TERMINAL_STATUSES.has(status)) return { state: 'failed', detail: `ended without landing (${status})` }
  return { state: 'open', detail: waitsSince ? 'waits, too' : (OPEN[status] ?? 'is open') }
}

const OPEN: Partial<Record<SessionStatus, string>> = {
  spawning: 'is starting',
  working: 'is being worked on',
  pr_open: 'has an open pull request',
  ci_failed: 'fails CI',
  review_pending: 'waits for a review',
  changes_requested: 'has to be changed',
  approved: 'is approved and not landed yet',
  mergeable: 'is ready to merge',
  needs_input: 'waits for an answer',
  stuck: 'is stuck',
}

/** An issue has landed when its tracker says so, or when the work on it has: not every tracker closes issues by itself. */
async function ofIssue(
  context: ManagerContext,
  project: ProjectConfig,
  id: string,
  answers: Answers,
): Promise<Verdict> {
  const store = context.store(project.id)
  const verdicts = [...store.readAll(), ...store.readAllArchived()]
    .filter(({ record: { issue } }) => issue === id)
    .map(({ record }) => verdictOf(record))
  const open = verdicts.find(({ state }) => state === 'open')
  if (verdicts.some(({ state }) => state === 'landed') && !open) return { state: 'landed', detail: 'has landed' }
  const tracker = await trackerOf(context, project)
  if (!tracker) throw new AoError('TRACKER_FAILED', `project ${project.id} has no tracker`)
  const isOpen = await answers.ask(`open issues of ${project.id}`, () => readOpenIssues(tracker, project))
  if (!isOpen(id)) {
    const question = writeBlocker({ kind: 'issue', project: project.id, id })
    const closed = await answers.ask(question, () => whyClosed(tracker, project, id))
    if (closed !== null) return closed
  }
  return open ?? { state: 'open', detail: 'is open, and no session is working on it' }
}

const MOST_LISTED = 100

/** One question for all that wait: an issue in this list is open. Of the others it says nothing. */
async function readOpenIssues(tracker: Tracker, project: ProjectConfig): Promise<(id: string) => boolean> {
  const listed = (await tracker.listIssues?.({ state: 'open', limit: MOST_LISTED }, project)) ?? []
  const ids = new Set(listed.map(({ id }) => id))
  return (id) => ids.has(id)
}

/** null: it is open. */
async function whyClosed(tracker: Tracker, project: ProjectConfig, id: string): Promise<Verdict | null> {
  try {
    const { state } = await tracker.getIssue(id, project)
    if (state === 'closed') return { state: 'landed', detail: 'is closed' }
    return state === 'cancelled' ? { state: 'failed', detail: 'was cancelled' } : null
  } catch (error) {
    if (isIssueNotFoundError(error)) return { state: 'failed', detail: `does not exist in ${tracker.name}` }
    throw error
  }
}

async function ofPull(context: ManagerContext, project: ProjectConfig, number: number): Promise<Verdict> {
  const { scm, ...pull } = await findPull(context, project, number)
  const state = await scm.getPRState(pull, project)
  if (state === 'merged') return { state: 'landed', detail: 'is merged' }
  if (state === 'closed') return { state: 'failed', detail: 'was closed without being merged' }
  return { state: 'open', detail: 'is open' }
}

export async function findPull(
  context: ManagerContext,
  project: ProjectConfig,
  number: number,
): Promise<PullRef & { scm: Scm }> {
  const scm = await scmOf(context, project)
  if (!scm?.resolvePR) throw new AoError('SCM_FAILED', `Project ${project.id} has no forge that finds pull requests`)
  return { ...(await scm.resolvePR(String(number), project)), scm }
}
