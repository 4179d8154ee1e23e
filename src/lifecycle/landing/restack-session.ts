// A session's branch onto what the work below it has become: announced in its record, carried out while its agent is quiet, and pushed where
// it had been. Where that is not possible, the agent is asked to do it, once.
import type { StackPosition } from '../../contract/blocker.ts'
import type { ProjectConfig } from '../../contract/config.ts'
import { errorText } from '../../contract/errors.ts'
import type { SessionRecord } from '../../contract/record.ts'
import { restackMessage } from '../../core/task/decide-restack.ts'
import { type Repository, resolveRef } from '../../git/repository.ts'
import type { Remote } from '../../landing/hosted/remote-branches.ts'
import { carryOut, type Move, planMove, pushMoved, type StackedBranch, whyForeign } from '../../landing/restack.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { withFreeLock } from '../../lib/lock.ts'
import { findActive } from '../../manager/context.ts'
import { readOne } from '../../manager/observe/enrich.ts'
import type { Scm } from '../../slots/scm.ts'
import type { LoopContext } from '../loop/loop-context.ts'

/** What all of them share. */
export interface Ground {
  loop: LoopContext
  project: ProjectConfig
  repository: Repository
  scm: Scm | null
  /** null: its forge shares the branches of this repository, or there is none. */
  remote: Remote | null
  /** Their branches, and those that they are for, as the forge has them now. */
  tips: Map<string, string>
}

export interface Stacked extends Ground {
  id: string
  record: SessionRecord
  stack: StackPosition & { at: string }
}

export async function notePosition(
  { loop, project, id }: Stacked,
  change: Partial<StackPosition>,
  why: string,
): Promise<void> {
  const update = ({ stack }: SessionRecord) => ({ stack: stack && { ...stack, ...change } })
  await loop.context.store(project.id).update(id, update, [], [why])
}

const QUIET: ReadonlySet<string | null> = new Set(['ready', 'idle', 'exited'])

/** Something that only the agent can do. */
interface Wanted {
  onto: string
  why: string
  files?: readonly string[]
}

/**
 * No message begins a turn meanwhile. In a turn the agent may write any file at any moment: it is left alone until that ends.
 * What the agent is to be asked is sent afterwards.
 */
async function whileQuiet(
  { loop, project, id, record }: Stacked,
  work: () => Promise<Wanted | null>,
): Promise<Wanted | null> {
  if (record.messagesOnTheWay?.length) return null
  const lock = loop.context.store(project.id).paths.sendLock(id)
  const done = await withFreeLock(lock, async () => {
    const found = findActive(loop.context, id)
    if (found === null || found.stored.record.operation !== undefined) return null
    const { activity } = await readOne(loop.context, found)
    return QUIET.has(activity) ? work() : null
  })
  return done?.result ?? null
}

function branchOf({ id, record, repository }: Stacked): StackedBranch | null {
  const { branch, worktree } = record
  if (branch === undefined || worktree === undefined || record.place !== undefined) return null
  return { repository, sessionId: id, branch, worktree }
}

async function restack(stacked: Stacked, { onto, from }: { onto: string; from: string }): Promise<Wanted | null> {
  const { stack, record, remote, tips } = stacked
  const of = branchOf(stacked)
  if (of === null) return { onto, why: `it works in ${record.place ?? 'a workspace elsewhere'}` }
  const foreign = remote && (await whyForeign(remote, of.branch, { there: tips.get(of.branch), own: from }))
  if (foreign !== null) return { onto, why: `${foreign}; that has to come in first` }
  const plan = await planMove(of, { at: stack.at, onto, from })
  if (plan.kind === 'unable') return { onto, why: plan.why }
  if (plan.kind === 'conflict') return { onto, why: 'it conflicts', files: plan.files }
  await notePosition(stacked, { moving: plan.move }, `a restack onto ${onto.slice(0, 10)} begins`)
  failpoint('restack.announced')
  return move(stacked, of, plan.move)
}

/** While its agent is quiet, or not now. What only its agent can do, it is asked for. */
export async function restackSession(stacked: Stacked, move: { onto: string; from: string }): Promise<void> {
  await request(stacked, await whileQuiet(stacked, () => restack(stacked, move)))
}

/** What a process that died had announced. Its branch has moved already, or its files follow once its agent is quiet. */
export async function finishRestack(stacked: Stacked, moving: Move): Promise<void> {
  const of = branchOf(stacked)
  if (of === null) return notePosition(stacked, { moving: undefined }, 'its restack is left to its agent')
  const tip = await resolveRef(stacked.repository, `refs/heads/${of.branch}`)
  const work = () => move(stacked, of, moving)
  await request(stacked, await (tip === moving.from ? whileQuiet(stacked, work) : work()))
}

async function move(stacked: Stacked, of: StackedBranch, moving: Move): Promise<Wanted | null> {
  const { loop, project, id, remote, stack, tips } = stacked
  const outcome = await carryOut(of, moving)
  if (outcome.kind !== 'done') {
    const why = outcome.kind === 'moved' ? 'its branch has moved' : outcome.why
    await notePosition(stacked, { moving: undefined }, `its restack was not carried out: ${why}`)
    return outcome.kind === 'moved' ? null : { onto: moving.onto, why }
  }
  const unpushed = remote && (await pushMoved(remote, of.branch, moving))
  failpoint('restack.pushed')
  // Those that stand on it follow in the same round.
  if (unpushed === null && tips.has(of.branch)) tips.set(of.branch, moving.to)
  const onto = moving.onto.slice(0, 10)
  const where = stack.on === null ? 'its base' : `the branch of ${stack.on}`
  const line = `${id}: brought onto ${where} as it is now, ${onto}`
  if (unpushed !== null)
    await loop.notify({
      type: 'session.stuck',
      projectId: project.id,
      sessionId: id,
      priority: 'action',
      message: `${line}, but not pushed: ${unpushed}. Bring both together by hand; nothing was overwritten`,
      dedupeKey: `unpushed ${id} ${moving.to}`,
    })
  const done = { at: moving.onto, moving: undefined, requested: undefined, why: unpushed ?? undefined }
  await notePosition(stacked, done, `restacked onto ${onto}`)
  failpoint('restack.recorded')
  loop.say(`${line}${unpushed === null ? '' : `; not pushed: ${unpushed}`}`)
  return null
}

/** As one message: until the agent has done it, however often what is below moves, it hears no more of it. */
async function request(stacked: Stacked, wanted: Wanted | null): Promise<void> {
  const { loop, project, id, stack, record } = stacked
  if (wanted === null || stack.requested !== undefined) return
  const { onto, why, files = [] } = wanted
  if (!wasSent(loop, project.id, id, onto)) {
    const branch = record.baseBranch ?? project.defaultBranch
    const text = restackMessage({ branch, at: stack.at, onto, why, files })
    try {
      await loop.manager.deliver(id, text, { source: 'restack' })
    } catch (error) {
      const problem = `its agent could not be asked to rebase: ${errorText(error)}`
      if (stack.why !== problem) loop.say(`${id}: ${problem}`)
      // Not even queued: the next round asks it.
      if (!wasSent(loop, project.id, id, onto))
        return stack.why === problem ? undefined : notePosition(stacked, { why: problem }, problem)
    }
  }
  await notePosition(
    stacked,
    { requested: onto, why },
    `its agent was asked to rebase onto ${onto.slice(0, 10)}: ${why}`,
  )
}

/** A process that died before it could note it has sent it all the same. */
function wasSent(loop: LoopContext, projectId: string, session: string, onto: string): boolean {
  const { events } = loop.context.store(projectId).readHistory(session)
  return events.some((one) => one.type === 'message.queued' && one.text.includes(`--onto ${onto}`))
}
