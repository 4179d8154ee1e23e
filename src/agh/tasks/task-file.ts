// The one reader and writer of tasks: one file each, under `tasks/`.
import { mkdirSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type Task, type TaskRun, taskSchema } from '../../contract/agh/task.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import { isSafeName } from '../../contract/ids.ts'
import { requireOwnVersion, writeFileAtomic } from '../../lib/atomic-write.ts'
import { namesIn, readIfThere } from '../../lib/plain-file.ts'
import type { AghPaths } from '../paths.ts'

export function writeTask(paths: AghPaths, task: Task): void {
  mkdirSync(paths.tasks, { recursive: true, mode: 0o700 })
  writeFileAtomic(taskFile(paths, task.id), `${JSON.stringify(task, null, 2)}\n`)
}

export function readTask(paths: AghPaths, taskId: string): Task {
  const text = isSafeName(taskId) ? readIfThere(taskFile(paths, taskId)) : null
  if (text === null) throw new AoError('TASK_NOT_FOUND', `There is no task ${taskId}`, { details: { taskId } })
  try {
    return taskSchema.parse(JSON.parse(text))
  } catch (error) {
    requireOwnVersion(taskFile(paths, taskId))
    throw new AoError('METADATA_DAMAGED', `${taskFile(paths, taskId)} cannot be understood: ${errorText(error)}`, {
      hint: 'Correct the file, or remove it',
      cause: error,
    })
  }
}

/** Not while it is running. Its sessions stay. */
export function removeTask(paths: AghPaths, taskId: string): Task {
  const task = readTask(paths, taskId)
  const open = task.runs.find(({ ended_at }) => ended_at === null)
  if (open) {
    throw new AoError('STATE_REFUSED', `Task ${taskId} cannot be removed: its run ${open.id} is ${open.state}`, {
      details: { taskId },
    })
  }
  unlinkSync(taskFile(paths, taskId))
  return task
}

/** Oldest first. */
export function listTasks(paths: AghPaths, onDamage: (error: unknown) => void): Task[] {
  const tasks: Task[] = []
  for (const id of taskIds(paths)) {
    try {
      tasks.push(readTask(paths, id))
    } catch (error) {
      onDamage(error)
    }
  }
  return tasks.sort((a, b) => (`${a.created_at}${a.id}` < `${b.created_at}${b.id}` ? -1 : 1))
}

/** Read and written without an await in between; the daemon is the only writer. */
export function updateRun(paths: AghPaths, taskId: string, runId: string, changes: Partial<TaskRun>): Task {
  const task = readTask(paths, taskId)
  const changed = {
    ...task,
    runs: task.runs.map((run) => (run.id === runId ? { ...run, ...changes } : run)),
  }
  writeTask(paths, changed)
  return changed
}

function taskFile(paths: AghPaths, taskId: string): string {
  return join(paths.tasks, `${taskId}.json`)
}

function taskIds(paths: AghPaths): string[] {
  return namesIn(paths.tasks).flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -5)] : []))
}
