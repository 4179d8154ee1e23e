// A task of several sessions, by its id or by one of them, and the sessions that it has.

import { isTaskId } from '../../contract/blocker.ts'
import { AoError } from '../../contract/errors.ts'
import { recordOf, type SessionRecord } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { storedSession } from '../../contract/stored-session.ts'
import type { SharedTask, Task } from '../../core/task/shared-task.ts'
import { readTask } from '../../store/tasks.ts'
import { findActive, findArchived, type ManagerContext, sessionNotFound } from '../context.ts'

export interface FoundTask<T extends Task = Task> {
  task: T
  /** Of the project that it is kept in. */
  dir: string
}

type Context = Pick<ManagerContext, 'config' | 'paths' | 'store'>

/** null: there is none. */
export function findTask(context: Context, id: string): FoundTask | null {
  for (const projectId of Object.keys(context.config.projects)) {
    const { dir } = context.paths.project(projectId)
    const task = readTask(dir, id)
    if (task) return { task, dir }
  }
  return null
}

/** By its id, or by a session that it names. */
export function requireShared(context: ManagerContext, name: string): FoundTask<SharedTask> {
  const id = isTaskId(name) ? name : markOf(context, name)
  const found = findTask(context, id)
  if (found && found.task.kind !== 'split') return { task: found.task, dir: found.dir }
  throw new AoError('TASK_NOT_FOUND', `There is no task ${id} of several sessions`, {
    hint: 'ao status shows which session belongs to which',
    details: { task: id },
  })
}

function markOf(context: ManagerContext, sessionId: string): string {
  const found = findActive(context, sessionId) ?? findArchived(context, sessionId)
  if (!found) throw sessionNotFound(context, sessionId)
  const { task } = found.stored.record
  if (task) return task.id
  throw new AoError('TASK_NOT_FOUND', `${sessionId} is the only session of its task`, {
    hint: 'Start several at once with: ao spawn <issue> --times 3',
    details: { session: sessionId },
  })
}

export interface TaskSession {
  index: number
  session: Session
  isArchived: boolean
}

/** In their order. A record that claims to belong to it, or that belongs to another by now, is none of them. */
export function sessionsOf(context: ManagerContext, { id, members }: SharedTask): TaskSession[] {
  return members.flatMap(({ session, project }, at): TaskSession[] => {
    const found = session === undefined ? null : (findActive(context, session) ?? findArchived(context, session))
    if (!found || found.project.id !== project) return []
    const own = storedSession(found.stored, project)
    const { task } = recordOf(own)
    const isArchived = 'archivedAt' in found.stored
    return task?.id === id && task.index === at + 1 ? [{ index: at + 1, session: own, isArchived }] : []
  })
}

/** Written by a command that died before it could note it. */
export function findMarked(context: ManagerContext, project: string, id: string, index: number): string | null {
  const store = context.store(project)
  const isIt = ({ record: { task } }: { record: SessionRecord }) => task?.id === id && task.index === index
  return (store.readAll().find(isIt) ?? store.readAllArchived().find(isIt))?.id ?? null
}
