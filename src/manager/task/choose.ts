// A person chooses one of several tries: the others end, their pull requests are closed, and their work is kept in their
// branches and rescues. The choice is written down first, so that whoever comes after a crash carries it out.
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import { pullRef } from '../../contract/ids.ts'
import { recordOf } from '../../contract/record.ts'
import { pullUrls } from '../../core/status/recorded-facts.ts'
import type { SharedTask } from '../../core/task/shared-task.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { currentProcess, formatIdentity } from '../../lib/process/process-identity.ts'
import { withTask } from '../../store/tasks.ts'
import { findActive, type ManagerContext, requireActive, scmOf } from '../context.ts'
import { kill } from '../remove/kill.ts'
import type { KillListeners } from '../types.ts'
import { requireShared, sessionsOf, type TaskSession } from './find-task.ts'
import { changeShared } from './spawn-task.ts'

export interface Choice {
  task: string
  chosen: string
  /** Ids of those that were ended, now or before. */
  ended: string[]
  /** Addresses of pull requests that were closed now. */
  closed: string[]
  /** Those that could not be ended or closed, and why: choosing again tries again. */
  failed: Array<{ session: string; why: string }>
}

type Listeners = Pick<KillListeners, 'onProgress' | 'onRescue' | 'onNotice' | 'onLeftRunning'>

export async function choose(context: ManagerContext, sessionId: string, listeners: Listeners = {}): Promise<Choice> {
  requireActive(context, sessionId)
  const { task, dir } = requireShared(context, sessionId)
  if (task.kind !== 'best')
    throw new AoError('STATE_REFUSED', `${sessionId} is part of a group: all of its sessions are wanted`)
  const tries = sessionsOf(context, task)
  if (!tries.some(({ session }) => session.id === sessionId))
    throw new AoError('STATE_REFUSED', `${sessionId} is not a try of task ${task.id}`, { details: { sessionId } })
  const landed = tries.find(({ session }) => session.status === 'merged' && session.id !== sessionId)
  if (landed) throw new AoError('STATE_REFUSED', `${landed.session.id} has landed already`)
  const chosen = await changeShared(dir, task.id, (now) => {
    if (now.chosen !== undefined && now.chosen !== sessionId)
      throw new AoError('STATE_REFUSED', `${now.chosen} was chosen already`, {
        hint: `Compare them with: ao compare ${now.id}`,
        details: { chosen: now.chosen },
      })
    return { ...now, chosen: sessionId, settled: false, owner: formatIdentity(currentProcess()) }
  })
  failpoint('task.chosen')
  return carryOutChoice(context, chosen, listeners)
}

/** Repeatable. Settled once all others have ended. */
export function carryOutChoice(context: ManagerContext, task: SharedTask, listeners: Listeners = {}): Promise<Choice> {
  const { dir } = context.paths.project(task.project)
  const chosen = task.chosen!
  return withTask(dir, task.id, async () => {
    const choice: Choice = { task: task.id, chosen, ended: [], closed: [], failed: [] }
    const found = findActive(context, chosen)
    const mark = found?.stored.record.task
    if (found && mark && !mark.chosen) await found.store.update(chosen, { task: { ...mark, chosen: true } })
    for (const one of sessionsOf(context, task)) {
      if (one.session.id === chosen) continue
      try {
        choice.closed.push(...(await closePulls(context, one)))
        failpoint('task.pulls-closed')
        if (!one.isArchived) await kill(context, one.session.id, { ...listeners, by: `the choice of ${chosen}` })
        choice.ended.push(one.session.id)
      } catch (error) {
        choice.failed.push({ session: one.session.id, why: errorText(error) })
      }
    }
    if (choice.failed.length === 0) await changeShared(dir, task.id, (now) => ({ ...now, settled: true }))
    return choice
  })
}

/** A session can name any pull request as its own: only those of the branch that ao gave it are closed. */
async function closePulls(context: ManagerContext, { session }: TaskSession): Promise<string[]> {
  const project: ProjectConfig = context.config.projects[session.projectId]!
  const record = recordOf(session)
  const scm = await scmOf(context, project)
  if (!scm?.closePR || !scm.readPullRequests || record.branch === undefined) return []
  const queries = pullUrls(record).map((url, at) => ({
    sessionId: `${session.id} ${at}`,
    branch: null,
    pr: pullRef(url),
  }))
  const readings = await scm.readPullRequests(
    [{ sessionId: session.id, branch: record.branch, pr: null }, ...queries],
    project,
  )
  const closed = new Set<string>()
  for (const reading of readings.values()) {
    if (reading.kind === 'unknown') throw new AoError('SCM_FAILED', reading.why)
    if (reading.kind === 'none') continue
    const { pr, state } = reading.snapshot
    if (state !== 'open' || closed.has(pr.url) || pr.branch !== givenBranch(session.id, record.branch)) continue
    await scm.closePR(pr, project)
    closed.add(pr.url)
  }
  return [...closed]
}

/** The record's branch can be written from inside the session; a try's own ends with its id, which no other has. */
function givenBranch(sessionId: string, recorded: string): string | null {
  return recorded.endsWith(`-${sessionId}`) || recorded.endsWith(`/${sessionId}`) ? recorded : null
}
