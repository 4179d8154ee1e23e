// Groups: one task over several repositories, which lands as a whole. Everything is read anew before each merge, so that a loop
// that was killed between two of them continues where the forges are.
import type { ProjectConfig } from '../../contract/config.ts'
import { errorText } from '../../contract/errors.ts'
import type { Pull } from '../../contract/pull.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { isTerminalSession } from '../../contract/status.ts'
import { mergeProblem } from '../../core/landing/merge-problem.ts'
import { decideGroup, type MemberFacts } from '../../core/task/decide-landing.ts'
import type { SharedTask } from '../../core/task/shared-task.ts'
import { readHead } from '../../git/git-dir.ts'
import { mergePull, readWithGates } from '../../landing/merge.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { projectOfSession, scmOf } from '../../manager/context.ts'
import { commentOnPull } from '../../manager/pulls/change-pull.ts'
import { mergeContext } from '../../manager/pulls/merge-context.ts'
import { sessionsOf } from '../../manager/task/find-task.ts'
import { changeShared } from '../../manager/task/spawn-task.ts'
import type { Scm } from '../../slots/scm.ts'
import { openTasks, readTask, withTask } from '../../store/tasks.ts'
import type { LoopContext } from '../loop/loop-context.ts'

/** Those that are kept with this project. */
export async function landGroups(loop: LoopContext, project: ProjectConfig, signal: AbortSignal): Promise<void> {
  const { dir } = loop.context.paths.project(project.id)
  const failures: string[] = []
  for (const id of openTasks(dir)) {
    try {
      const task = readTask(dir, id)
      if (task?.kind !== 'group' || !task.reserved) continue
      await withTask(dir, id, () => landGroup(loop, { task, dir, signal }))
    } catch (error) {
      // The others have their turn all the same.
      failures.push(`${id}: ${errorText(error)}`)
    }
  }
  if (failures.length > 0) throw new Error(failures.join('; '))
}

interface Group {
  task: SharedTask
  /** Of the project that it is kept with. */
  dir: string
  signal: AbortSignal
}

interface Member extends MemberFacts {
  project: ProjectConfig
  scm: Scm | null
  pull: Pull | null
}

async function landGroup(loop: LoopContext, group: Group): Promise<void> {
  const { task, dir, signal } = group
  while (!signal.aborted) {
    const members = await readMembers(loop, task)
    await linkPulls(loop, group, members)
    const step = decideGroup(members)
    if (step.act === 'done') return settle(loop, group)
    if (step.act === 'stop') return stop(loop, group, step.reason)
    if (step.act === 'wait') return
    const next = members.find(({ session }) => session === step.session)!
    try {
      // A train takes time: the next round continues.
      if ((await land(loop, next)).boarded) return
    } catch (error) {
      const before = members.filter(({ state }) => state === 'landed').map(({ session }) => session)
      const past = before.length === 0 ? '' : `${before.join(' and ')} landed, but `
      return stop(loop, group, `${past}${next.session} could not be merged: ${errorText(error)}`)
    }
    failpoint('group.merged')
    await changeShared(dir, task.id, (now) => ({ ...now, stopped: undefined }))
  }
}

/** Its record says that its turn has come before it is merged: nobody else lets it pass. */
async function land(loop: LoopContext, { session, project, scm, pull }: Member): Promise<{ boarded: boolean }> {
  const store = loop.context.store(project.id)
  await store.update(session, ({ task }) => ({ task: task && { ...task, chosen: true } }))
  failpoint('group.announced')
  const pr = pull!.pr
  const order = { project, scm: scm!, pr, pull: pull!, head: pull!.headSha, sessionId: session, needsApproval: true }
  const { boarded } = await mergePull(mergeContext(loop.context, project, scm!), order)
  loop.say(`${session}: ${boarded ? 'boarded the train' : 'landed'}, as its group is ready`)
  return { boarded }
}

/** In the order of landing. One whose record is gone has ended. */
function readMembers(loop: LoopContext, task: SharedTask): Promise<Member[]> {
  const present = sessionsOf(loop.context, task)
  return Promise.all(
    task.members.map(async ({ session = '', project: id }, at): Promise<Member> => {
      const project = loop.context.config.projects[id]
      const found = present.find(({ index }) => index === at + 1)
      if (!project || !found) {
        const gone = { state: 'ended', isReady: false, detail: 'is no longer there' } as const
        return { session, project: project!, scm: null, pull: null, ...gone }
      }
      const own = projectOfSession(project, recordOf(found.session))
      const scm = await scmOf(loop.context, own)
      try {
        const pull = await readPullOf(loop, own, scm, found.session)
        return { session, project: own, scm, pull, ...judge(found.session, pull) }
      } catch (error) {
        const unread = { state: 'open', isReady: false, detail: `could not be read: ${errorText(error)}` } as const
        return { session, project: own, scm, pull: null, ...unread }
      }
    }),
  )
}

async function readPullOf(loop: LoopContext, project: ProjectConfig, scm: Scm | null, session: Session) {
  if (session.pr === null || !scm) return null
  const pull = await readWithGates(mergeContext(loop.context, project, scm), { scm, project, pr: session.pr })
  const { branch } = pull.pr
  const { workspacePath } = session
  const own = (workspacePath === null ? null : readHead(workspacePath).branch) ?? session.branch
  // A session can name any pull request as its own.
  if (branch !== undefined && own !== null && branch !== own)
    throw new Error(`${pull.pr.url} is of branch ${branch}, but the session works on ${own}`)
  return pull
}

function judge(session: Session, pull: Pull | null): Pick<MemberFacts, 'state' | 'isReady' | 'detail'> {
  if (pull?.state === 'merged') return { state: 'landed', isReady: true, detail: 'has landed' }
  const { status } = session
  if (isTerminalSession({ status, activity: null }))
    return { state: 'ended', isReady: false, detail: `ended without landing (${status})` }
  if (pull === null) return { state: 'open', isReady: false, detail: 'has no pull request yet' }
  if (pull.state === 'closed') return { state: 'ended', isReady: false, detail: 'had its pull request closed' }
  const problem = pull.mergeProblem ?? mergeProblem(pull, { needsApproval: true })
  return { state: 'open', isReady: problem === null, detail: `is not ready: ${problem ?? ''}` }
}

/** One notification for each reason; the rest waits, and continues by itself when the reason is gone. */
async function stop(loop: LoopContext, { task, dir }: Group, reason: string): Promise<void> {
  await changeShared(dir, task.id, (now) => ({ ...now, stopped: reason }))
  await loop.notify({
    type: 'landing.stopped',
    projectId: task.project,
    priority: 'urgent',
    message: `Task ${task.id} does not land as a whole: ${reason}. See it with: ao compare ${task.id}`,
    dedupeKey: `group-stopped ${task.id} ${reason}`,
  })
}

async function settle(loop: LoopContext, { task, dir }: Group): Promise<void> {
  await changeShared(dir, task.id, (now) => ({ ...now, settled: true, stopped: undefined }))
  loop.say(`task ${task.id}: every part has landed`)
}

/** Once all of them have one, each names the others. A comment that is there already is not written again. */
async function linkPulls(loop: LoopContext, { task, dir }: Group, members: readonly Member[]): Promise<void> {
  if (members.some(({ pull }) => pull === null)) return
  const lines = members.map(({ project, pull }, at) => `${at + 1}. ${project.id}: ${pull!.pr.url}`)
  const body = [
    `One task over several repositories (${task.id}). These pull requests land together, in this order:`,
    '',
    ...lines,
  ]
  for (const { scm, project, pull } of members) {
    const { pr, state, comments } = pull!
    if (task.linked?.includes(pr.url) || state !== 'open' || !scm?.commentPR) continue
    try {
      if (!comments.some((one) => one.isOwn === true && one.body.includes(`(${task.id})`)))
        await commentOnPull({ scm, project, pr }, { body: body.join('\n'), writer: { kind: 'ao' } })
      failpoint('group.linked')
      const { linked } = await changeShared(dir, task.id, (now) => ({
        ...now,
        linked: [...(now.linked ?? []), pr.url],
      }))
      task.linked = linked
    } catch (error) {
      loop.say(`${pr.url} could not be linked with the others of its task: ${errorText(error)}`)
    }
  }
}
