// One task for several sessions: everything is checked before anything exists, the task is written down, each session gets a
// record that waits, and then they start. Killed in between, the next command reserves what is missing, and what waits starts
// with the loop.

import type { GivenFile } from '../../contract/agh/attachment.ts'
import type { TaskMark } from '../../contract/blocker.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import type { Session } from '../../contract/session.ts'
import { storedSession } from '../../contract/stored-session.ts'
import type { LaunchPlan } from '../../core/session/plan-launch.ts'
import type { SharedTask, TaskMember } from '../../core/task/shared-task.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { requireWritable } from '../../lib/process/own-home.ts'
import { currentProcess, formatIdentity } from '../../lib/process/process-identity.ts'
import { keepFiles, readKept } from '../../store/attachments.ts'
import { changeTask, createTask, dropTaskFiles, newTaskId, taskFiles, withTask } from '../../store/tasks.ts'
import { findActive, type ManagerContext, requireActive, requireProject } from '../context.ts'
import { reserveTask } from '../launch/spawn.ts'
import { completePlan } from '../launch/start-agent.ts'
import { startWaiting } from '../launch/start-waiting.ts'
import { type CheckedTask, checkTask, freeIds, planTask } from '../launch/task.ts'
import { recover } from '../remove/recover.ts'
import type { OnProgress, SpawnOptions } from '../types.ts'
import { findMarked, findTask } from './find-task.ts'

export interface WantedTask extends Pick<SharedTask, 'kind' | 'project' | 'request' | 'members'> {
  /** Its issue may have sessions already. */
  again?: boolean | undefined
  /** Every member gets them with its prompt. */
  files?: readonly GivenFile[] | undefined
}

export interface StartedTask {
  task: string
  sessions: Session[]
  /** Those that could not be started now, and why. They wait, or a person is asked. */
  failed: Array<{ session: string; why: string }>
}

export const MOST_MEMBERS = 10
/** git serialises worktrees of one repository anyway; more would only crowd the machine. */
const PARALLEL = 4

export async function spawnTask(
  context: ManagerContext,
  wanted: WantedTask,
  options: Pick<SpawnOptions, 'onProgress' | 'onNotice'> = {},
): Promise<StartedTask> {
  const task = newTask(context, wanted)
  const checked = await checkMembers(context, task, wanted)
  requireWritable(context.paths)
  for (const project of new Set(task.members.map((one) => one.project))) await recover(context, project)
  context.store(task.project).ensure()
  const { dir } = context.paths.project(task.project)
  // Whoever completes the task after a kill needs them, too.
  const attachments = keepFiles(taskFiles(dir, task.id), wanted.files ?? [])
  failpoint('task.files-kept')
  await createTask(dir, { ...task, request: { ...task.request, ...(attachments.length > 0 && { attachments }) } })
  failpoint('task.announced')
  const { members } = await reserveMembers(context, task, checked)
  dropTaskFiles(dir, context.clock.now().getTime())
  const ready = members.flatMap(({ session }, at) => (checked[at]!.waits === null ? [session!] : []))
  const failed = await startAll(context, ready, options.onProgress ?? (() => undefined))
  const sessions = members.map(({ session }) => {
    const { stored, project } = requireActive(context, session!)
    return storedSession(stored, project.id)
  })
  return { task: task.id, sessions, failed }
}

/** What each of them would be; changes nothing. */
export async function planShared(context: ManagerContext, wanted: WantedTask): Promise<LaunchPlan[]> {
  const task = newTask(context, wanted)
  const checked = await checkMembers(context, task, wanted)
  const ids = new Map(
    checked.map((one) => [one.project.id, freeIds(one.project, context.store(one.project.id), one.workspace)]),
  )
  const plans: LaunchPlan[] = []
  for (const one of checked) {
    const candidate = ids.get(one.project.id)!.next().value!
    const planned = await planTask(context, one, candidate)
    plans.push({ ...(await completePlan(context, one, planned)), waits: one.waits })
  }
  return plans
}

function newTask(context: ManagerContext, { kind, project, request, members }: WantedTask): SharedTask {
  const projects = members.map(({ project }) => requireProject(context, project).id)
  if (members.length < 2 || members.length > MOST_MEMBERS)
    throw new AoError('USAGE', `A task has 2 to ${MOST_MEMBERS} sessions, not ${members.length}`)
  if (kind === 'group' && new Set(projects).size < projects.length)
    throw new AoError('USAGE', 'A group names each project once', { details: { projects } })
  if (!projects.includes(project))
    throw new AoError('USAGE', `The issue is one of ${project}, which is not among ${projects.join(', ')}`)
  return {
    id: newTaskId(),
    kind,
    project,
    createdAt: context.clock.now().toISOString(),
    owner: formatIdentity(currentProcess()),
    request,
    members,
    reserved: false,
  }
}

/** All of them, or none: the first that cannot be started refuses the task. */
async function checkMembers(
  context: ManagerContext,
  task: SharedTask,
  { again, files = [] }: WantedTask,
): Promise<CheckedTask[]> {
  const how = { second: again ? 'start' : 'refuse', files } as const
  const checked: CheckedTask[] = []
  for (const [at] of task.members.entries()) checked.push(await checkMember(context, task, at, how))
  return checked
}

function checkMember(
  context: ManagerContext,
  task: SharedTask,
  at: number,
  given: Required<Pick<SpawnOptions, 'second' | 'files'>>,
) {
  const { project, agent } = task.members[at]!
  const { issueId, prompt, where, attachments: _, ...how } = task.request
  return checkTask(
    context,
    // Elsewhere an issue of this id would be another one.
    {
      projectId: project,
      issueId: project === task.project ? issueId : undefined,
      prompt,
      agent,
    },
    { ...how, ...given, place: where, task: markOf(task, at), shared: task },
  )
}

function markOf({ id, kind, members }: SharedTask, at: number): TaskMark {
  return { id, kind, index: at + 1, of: members.length }
}

/** Each of them once, whoever was killed at it before. */
function reserveMembers(
  context: ManagerContext,
  { id, project }: SharedTask,
  checked: ReadonlyArray<CheckedTask | null>,
): Promise<SharedTask> {
  const { dir } = context.paths.project(project)
  return withTask(dir, id, async () => {
    const { members } = requireSharedTask(context, id)
    for (const [at, member] of members.entries()) {
      if (member.session !== undefined) continue
      const session =
        findMarked(context, member.project, id, at + 1) ?? (await reserveMember(context, id, at, checked[at]))
      failpoint('task.member-reserved')
      await changeShared(dir, id, (task) => ({ ...task, members: withSession(task.members, at, session) }))
    }
    return changeShared(dir, id, (task) => ({ ...task, reserved: true }))
  })
}

async function reserveMember(
  context: ManagerContext,
  id: string,
  at: number,
  checked: CheckedTask | null | undefined,
): Promise<string> {
  const task = checked ?? (await checkKept(context, requireSharedTask(context, id), at))
  const { plan } = await reserveTask(context, { ...task, waits: task.waits ?? 'it waits for its start' })
  return plan.session
}

/** As a killed command left it, with the files that it kept. */
function checkKept(context: ManagerContext, task: SharedTask, at: number): Promise<CheckedTask> {
  const directory = taskFiles(context.paths.project(task.project).dir, task.id)
  const files = (task.request.attachments ?? []).map(({ name, sha256, ...rest }) => ({
    name,
    bytes: readKept(directory, { name, sha256, ...rest }),
  }))
  return checkMember(context, task, at, { second: 'start', files })
}

function withSession(members: readonly TaskMember[], at: number, session: string): TaskMember[] {
  return members.map((member, index) => (index === at ? { ...member, session } : member))
}

/** What a killed command left of it. The loop starts what waits for nothing else. */
export async function completeReservation(context: ManagerContext, task: SharedTask): Promise<SharedTask> {
  const completed = await reserveMembers(context, task, [])
  dropTaskFiles(context.paths.project(task.project).dir, context.clock.now().getTime())
  return completed
}

function requireSharedTask(context: ManagerContext, id: string): SharedTask {
  const found = findTask(context, id)
  if (found && found.task.kind !== 'split') return found.task
  throw new AoError('INTERNAL', `The file of task ${id} is gone`)
}

export function changeShared(dir: string, id: string, change: (task: SharedTask) => SharedTask): Promise<SharedTask> {
  return changeTask(dir, id, (task) => {
    if (task && task.kind !== 'split') return change(task)
    throw new AoError('INTERNAL', `The file of task ${id} is gone`)
  })
}

/** One that has no room waits; what failed otherwise is in its record, for a person. */
async function startAll(context: ManagerContext, sessions: readonly string[], onProgress: OnProgress) {
  const failed: StartedTask['failed'] = []
  const queue = [...sessions]
  const work = async () => {
    for (let session = queue.shift(); session !== undefined; session = queue.shift()) {
      try {
        await startWaiting(context, session, { onProgress: prefixed(session, onProgress) })
        failpoint('task.member-started')
      } catch (error) {
        // The loop starts what waits, too, and may have been faster.
        if (findActive(context, session)?.stored.record.launched !== 'yes')
          failed.push({ session, why: errorText(error) })
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(PARALLEL, queue.length) }, work))
  return failed
}

function prefixed(session: string, onProgress: OnProgress): OnProgress {
  return (line) => onProgress(`${session}: ${line}`)
}
