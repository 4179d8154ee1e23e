// Work that is split into parts: a proposal is data, kept in a file; a person changes and accepts it; only then issues and
// sessions are made. The acceptance is written down first, and each part once it is there, so that nothing is made twice.
import { AoError } from '../../contract/errors.ts'
import { THE_USER } from '../../contract/events.ts'
import { readProposal } from '../../core/task/read-proposal.ts'
import type { SplitChild, SplitTask } from '../../core/task/shared-task.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { currentProcess, formatIdentity } from '../../lib/process/process-identity.ts'
import { changeTask, createTask, listTasks, newTaskId, planDigest, readTask, withTask } from '../../store/tasks.ts'
import { type ManagerContext, projectIds, requireProject, trackerOf } from '../context.ts'
import { spawn } from '../launch/spawn.ts'
import { requireAbility } from '../tracker-issues.ts'
import { type FoundTask, findMarked, findTask } from './find-task.ts'

export interface Proposal {
  project: string
  issueId: string | null
  /** As it was written. */
  text: string
  /** The session that proposes it; absent: the user. */
  by?: string | undefined
}

export async function propose(context: ManagerContext, { project, issueId, text, by }: Proposal): Promise<SplitTask> {
  const { id } = requireProject(context, project)
  const children = readProposal(text, namesFor(context, id))
  refuseFlood(context, by)
  context.store(id).ensure()
  const task: SplitTask = {
    ...{ id: newTaskId(), kind: 'split', project: id, createdAt: context.clock.now().toISOString() },
    ...{ owner: formatIdentity(currentProcess()), issueId, by: by ?? THE_USER, children, state: 'proposed' },
  }
  await createTask(context.paths.project(id).dir, task)
  return task
}

const MOST_OPEN = 20

/** A person has enough to read long before this. */
function refuseFlood(context: ManagerContext, by: string | undefined): void {
  const open = by === undefined ? [] : listProposals(context).filter((one) => one.by === by && one.state === 'proposed')
  if (open.length < MOST_OPEN) return
  throw new AoError('STATE_REFUSED', `${by} has ${MOST_OPEN} undecided proposals`)
}

export function requireProposal(context: ManagerContext, id: string): FoundTask<SplitTask> {
  const found = findTask(context, id)
  if (found?.task.kind === 'split') return { task: found.task, dir: found.dir }
  throw new AoError('TASK_NOT_FOUND', `There is no proposal ${id}`, {
    hint: 'Ask for one with: ao plan <issue>',
    details: { task: id },
  })
}

export function proposalOf(context: ManagerContext, id: string): SplitTask {
  return requireProposal(context, id).task
}

/** Newest first. */
export function listProposals(context: ManagerContext, projectId?: string): SplitTask[] {
  return projectIds(context, projectId)
    .flatMap((id) => {
      const { dir } = context.paths.project(id)
      return listTasks(dir).flatMap((one) => readTask(dir, one) ?? [])
    })
    .filter((task) => task.kind === 'split')
    .sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1))
}

/** Another text for it, as long as nobody has accepted it. */
export function editProposal(context: ManagerContext, id: string, text: string): Promise<SplitTask> {
  const { task, dir } = requireProposal(context, id)
  const children = readProposal(text, namesFor(context, task.project))
  return changeSplit(dir, id, (now) => ({ ...requireState(now, 'proposed'), children }))
}

export function discardProposal(context: ManagerContext, id: string): Promise<SplitTask> {
  const { dir } = requireProposal(context, id)
  return changeSplit(dir, id, (now) => ({ ...requireState(now, 'proposed'), state: 'discarded' }))
}

/** At a person's word about what they have read. Repeating it carries on with what is missing. */
export async function acceptProposal(context: ManagerContext, id: string, digest: string): Promise<SplitTask> {
  const { task, dir } = requireProposal(context, id)
  const trackers = await Promise.all(
    task.children.map(async ({ project }) => trackerOf(context, requireProject(context, project))),
  )
  for (const tracker of trackers) {
    if (!tracker) throw new AoError('TRACKER_FAILED', 'A project of it has no tracker to keep its issues')
    requireAbility(tracker, 'createIssue')
  }
  const accepted = await changeSplit(dir, id, (now) => {
    if (now.state === 'discarded') throw requireState(now, 'proposed')
    if (now.state === 'proposed' && planDigest(now) !== digest)
      throw new AoError('STATE_REFUSED', `The proposal ${id} is no longer what was read; nothing was made of it`, {
        hint: `Read it again with: ao plan show ${id}`,
        details: { task: id, digest: planDigest(now) },
      })
    return now.state === 'done' ? now : { ...now, state: 'accepted', owner: formatIdentity(currentProcess()) }
  })
  failpoint('plan.accepted')
  return carryOutSplit(context, accepted)
}

/** Each part once: what a killed command made is found again before anything is made. */
export function carryOutSplit(context: ManagerContext, { id, project }: SplitTask): Promise<SplitTask> {
  const { dir } = context.paths.project(project)
  return withTask(dir, id, async () => {
    for (;;) {
      const { task } = requireProposal(context, id)
      if (task.state !== 'accepted') return task
      const at = task.children.findIndex(({ issue, session }) => issue === undefined || session === undefined)
      if (at === -1) return changeSplit(dir, id, (now) => ({ ...now, state: 'done' }))
      const child = task.children[at]!
      const made =
        child.issue === undefined ? { issue: await makeIssue(context, task, child) } : await start(context, task, at)
      failpoint('plan.part-made')
      await changeSplit(dir, id, (now) => ({ ...now, children: withChild(now.children, at, made) }))
    }
  })
}

async function makeIssue(context: ManagerContext, task: SplitTask, child: SplitChild): Promise<string> {
  const project = requireProject(context, child.project)
  const tracker = (await trackerOf(context, project))!
  const mark = `Part ${child.key} of plan ${task.id}`
  const origin = task.issueId === null ? '' : `It is part of issue ${task.issueId}.`
  const description = [child.body, origin, mark].filter((one) => one !== '').join('\n\n')
  const all = (await tracker.listIssues?.({ state: 'all', limit: 200 }, project)) ?? []
  // Word for word: whoever proposed it knows the mark, and could have an issue of another text ready.
  const existing = all.find((one) => one.title === child.title && plain(one.description) === plain(description))
  if (existing) return existing.id
  return (await requireAbility(tracker, 'createIssue')({ title: child.title, description }, project)).id
}

/** Trackers keep spaces and line breaks in their own way. */
function plain(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

async function start(context: ManagerContext, task: SplitTask, at: number): Promise<{ session: string }> {
  const { project, issue, needs } = task.children[at]!
  const found = findMarked(context, project, task.id, at + 1)
  if (found !== null) return { session: found }
  const blockers = task.children.filter(({ key }) => needs.includes(key))
  const { id } = await spawn(
    context,
    { projectId: project, issueId: issue },
    {
      ...{ requireIssue: true, second: 'refuse' },
      needs: blockers.map((one) => `${one.project}/${one.issue}`),
      task: { id: task.id, kind: 'split', index: at + 1, of: task.children.length },
    },
  )
  return { session: id }
}

function withChild(children: readonly SplitChild[], at: number, made: Partial<SplitChild>): SplitChild[] {
  return children.map((child, index) => (index === at ? { ...child, ...made } : child))
}

function requireState(task: SplitTask, state: SplitTask['state']): SplitTask {
  if (task.state === state) return task
  throw new AoError('STATE_REFUSED', `The proposal ${task.id} is ${task.state}, not ${state}`)
}

function changeSplit(dir: string, id: string, change: (task: SplitTask) => SplitTask): Promise<SplitTask> {
  return changeTask(dir, id, (task) => {
    if (task?.kind === 'split') return change(task)
    throw new AoError('INTERNAL', `The file of plan ${id} is gone`)
  })
}

function namesFor({ config }: ManagerContext, project: string) {
  return { project, isProject: (id: string) => Object.hasOwn(config.projects, id) }
}
