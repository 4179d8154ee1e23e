// Sessions that stand on another's branch: when that moves they are brought along, and when it has landed their work is for what
// it landed in. Everything is written down before it is done, and what is found half-done is finished first.
import type { ProjectConfig } from '../../contract/config.ts'
import { errorText } from '../../contract/errors.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { isTerminalSession } from '../../contract/status.ts'
import { isSafeBranch } from '../../core/session/name-branch.ts'
import { decideRestack } from '../../core/task/decide-restack.ts'
import { openRepository, resolveRef } from '../../git/repository.ts'
import { readProjectRemote } from '../../git/transfer/project-remote.ts'
import { ensureCommit, readTips } from '../../landing/hosted/remote-branches.ts'
import { isBelow } from '../../landing/restack.ts'
import { scmOf } from '../../manager/context.ts'
import { findFooting } from '../../manager/launch/observe-blockers.ts'
import { finishRestack, type Ground, notePosition, restackSession, type Stacked } from '../landing/restack-session.ts'
import { retarget } from '../landing/retarget.ts'
import type { LoopContext } from './loop-context.ts'

/** One after the other, what is below first: each may move those above it. */
export async function keepStacks(
  loop: LoopContext,
  project: ProjectConfig,
  sessions: readonly Session[],
): Promise<void> {
  const stacked = bottomUp(sessions)
  const ground = await findGround(loop, project, stacked)
  if (ground === null) return
  for (const { id } of stacked) {
    try {
      await keepOne(ground, id)
    } catch (error) {
      loop.say(`${id}: it could not be kept on what it stands on: ${errorText(error)}`)
    }
  }
}

/** null: its forge cannot be asked, and refs of this repository are what agents write there. */
async function findGround(loop: LoopContext, project: ProjectConfig, stacked: Session[]): Promise<Ground | null> {
  const { env } = loop.context
  const repository = openRepository(project.path, env)
  const scm = await scmOf(loop.context, project)
  const name = scm?.sharesRepository ? undefined : (await readProjectRemote(project.path, env))?.name
  const ground = { loop, project, repository, scm }
  if (name === undefined) return { ...ground, remote: null, tips: new Map() }
  const remote = { repository, name }
  const branches = stacked.map(recordOf).flatMap((record) => {
    return [record.branch, record.baseBranch, findFooting(loop.context, project, record).branch]
  })
  const wanted = [...new Set([project.defaultBranch, ...branches])].filter((one) => one !== undefined)
  try {
    const tips = await readTips(remote, wanted.filter(isSafeBranch))
    loop.health(`stacks of ${project.id}`, 'ok')
    return { ...ground, remote, tips }
  } catch (error) {
    loop.health(`stacks of ${project.id}`, 'warn', errorText(error))
    return null
  }
}

function bottomUp(sessions: readonly Session[]): Session[] {
  const stacked = sessions.filter((one) => recordOf(one).stack !== undefined)
  const byId = new Map(stacked.map((one) => [one.id, one]))
  const depthOf = (session: Session | undefined, seen: ReadonlySet<string>): number => {
    if (session === undefined || seen.has(session.id)) return 0
    return 1 + depthOf(byId.get(recordOf(session).stack?.on ?? ''), new Set([...seen, session.id]))
  }
  return stacked
    .map((session) => ({ session, depth: depthOf(session, new Set()) }))
    .sort((a, b) => a.depth - b.depth)
    .map(({ session }) => session)
}

async function keepOne(ground: Ground, id: string): Promise<void> {
  const { loop, project, scm } = ground
  const record = loop.context.store(project.id).read(id)?.record
  const at = record?.stack?.at
  if (!record?.stack || at === undefined || record.operation !== undefined || record.launched !== 'yes') return
  if (isTerminalSession({ status: record.status ?? 'working', activity: null })) return
  const stacked: Stacked = { ...ground, id, record, stack: { ...record.stack, at } }
  if (stacked.stack.moving) return finishRestack(stacked, stacked.stack.moving)
  const footing = findFooting(loop.context, project, record)
  if (footing.isGone) return askPerson(stacked)
  if (footing.branch !== record.baseBranch || footing.on !== stacked.stack.on || stacked.stack.dead)
    if (!(await retarget(loop, project, { id, record, footing, scm }))) return
  await follow(stacked)
}

/** Of the branch that it is for, as far as it was pushed. null: it cannot be read, which is not to say that it is gone. */
async function tipOf({ repository, remote, tips, stack }: Stacked, branch: string): Promise<string | null> {
  const own = await resolveRef(repository, `refs/heads/${branch}`)
  const pushed = tips.get(branch)
  if (remote === null || pushed === undefined) return own
  if (!(await ensureCommit(remote, pushed, branch))) return null
  if (stack.on === null || own === null || !(await isBelow(repository, pushed, stack.at))) return pushed
  // It started on commits that are not pushed yet: nobody took them back.
  return (await isBelow(repository, stack.at, own)) ? stack.at : pushed
}

/** Once: it can only be ended, or taken off what it stands on by hand. */
async function askPerson(stacked: Stacked): Promise<void> {
  const { loop, project, id, stack } = stacked
  const why = `it stands on ${stack.on}, which ended without landing`
  if (stack.why === why) return
  await notePosition(stacked, { why }, why)
  await loop.notify({
    type: 'session.stuck',
    projectId: project.id,
    sessionId: id,
    priority: 'action',
    message: `${id}: ${why}; end it, or rebase it onto ${project.defaultBranch}`,
    dedupeKey: `stack ${id} ${stack.on}`,
  })
}

async function follow(before: Stacked): Promise<void> {
  const { loop, project, id, repository } = before
  const record = loop.context.store(project.id).read(id)?.record
  const stack = record?.stack
  if (!record?.branch || !stack?.at) return
  const stacked: Stacked = { ...before, record, stack: { ...stack, at: stack.at } }
  const head = await resolveRef(repository, `refs/heads/${record.branch}`)
  const base = await tipOf(stacked, record.baseBranch ?? project.defaultBranch)
  if (head === null || base === null) return
  const { requested, at } = stacked.stack
  const step = decideRestack({
    stack: stacked.stack,
    base,
    holdsBase: await isBelow(repository, base, head),
    holdsRequested: requested !== undefined && (await isBelow(repository, requested, head)),
    atIsInBase: await isBelow(repository, at, base),
    baseIsInAt: await isBelow(repository, base, at),
    isApproved: record.review === 'approved',
  })
  if (step.act === 'note')
    await notePosition(stacked, { at: step.at, requested: undefined, why: undefined }, 'its agent has rebased it')
  if (step.act === 'leave' && !stack.dead)
    await loop.context.store(project.id).update(id, { stack: null }, [], ['everything that it stood on has landed'])
  if (step.act !== 'restack') return
  await restackSession(stacked, { onto: step.onto, from: head })
}
