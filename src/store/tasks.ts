// Tasks of several sessions: one file each, and beside it a mark for as long as something is left to do. The mark comes first
// and goes last, so that a process that dies in between leaves at most one too many.
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isTaskId } from '../contract/blocker.ts'
import { AoError } from '../contract/errors.ts'
import { isOpenTask, type SplitTask, type Task } from '../core/task/shared-task.ts'
import { requireOwnVersion, writeFileAtomic } from '../lib/atomic-write.ts'
import { withLock } from '../lib/lock.ts'
import { namesIn, readIfThere } from '../lib/plain-file.ts'
import { removeFile, removeTree } from '../lib/remove.ts'

const OPEN = '.open'
const FILES = '.files'

export function newTaskId(): string {
  return `t${randomBytes(4).toString('hex')}`
}

/** Of what a plan proposes: a person accepts this very text, whatever becomes of the file. */
export function planDigest({ children }: Pick<SplitTask, 'children'>): string {
  const parts = children.map(({ key, title, body, project, needs }) => [key, title, body, project, needs])
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16)
}

/** null: there is none. */
export function readTask(projectDir: string, id: string): Task | null {
  const text = isTaskId(id) ? readIfThere(fileOf(projectDir, id)) : null
  if (text === null) return null
  try {
    const task = JSON.parse(text) as Task
    if (task?.id === id && isWhole(task)) return task
  } catch {
    // Not JSON: the same as any other damage.
  }
  requireOwnVersion(fileOf(projectDir, id))
  throw new AoError('INTERNAL', `The file of task ${id} is damaged`, { details: { file: fileOf(projectDir, id) } })
}

export function createTask(projectDir: string, task: Task): Promise<Task> {
  return changeTask(projectDir, task.id, () => task)
}

/** Under the lock of the task. `change` sees it as it is then; a failure there changes nothing. */
export async function changeTask<T extends Task>(
  projectDir: string,
  id: string,
  change: (task: Task | null) => T,
): Promise<T> {
  mkdirSync(directoryOf(projectDir), { recursive: true, mode: 0o700 })
  return withLock(`${fileOf(projectDir, id)}.lock`, () => {
    const task = change(readTask(projectDir, id))
    const mark = join(directoryOf(projectDir), `${id}${OPEN}`)
    if (isOpenTask(task)) writeFileAtomic(mark, '')
    writeFileAtomic(fileOf(projectDir, id), `${JSON.stringify(task, null, 2)}\n`)
    if (!isOpenTask(task)) removeFile(mark)
    return task
  })
}

/** One process at a time carries out what is left to do. */
export function withTask<T>(projectDir: string, id: string, work: () => Promise<T>): Promise<T> {
  return withLock(`${fileOf(projectDir, id)}.work`, work, { timeoutMs: WORK_MS })
}

const WORK_MS = 60_000

export function listTasks(projectDir: string): string[] {
  return idsIn(projectDir, '.json')
}

/** Those for which something is left to do. */
export function openTasks(projectDir: string): string[] {
  return idsIn(projectDir, OPEN)
}

/** Where files of a task wait for its members. */
export function taskFiles(projectDir: string, id: string): string {
  return join(directoryOf(projectDir), `${id}${FILES}`)
}

/** A task is written down within moments after its files. */
const ANNOUNCED_MS = 60 * 60_000

/** Of tasks whose members have copies of their own, and of those that a killed command never wrote down. */
export function dropTaskFiles(projectDir: string, now: number): void {
  for (const id of idsIn(projectDir, FILES)) {
    try {
      const directory = taskFiles(projectDir, id)
      const task = readTask(projectDir, id)
      const writtenAt = statSync(directory, { throwIfNoEntry: false })?.mtimeMs ?? now
      const isOver = task === null ? now - writtenAt > ANNOUNCED_MS : task.kind === 'split' || task.reserved
      if (isOver) removeTree(directory)
    } catch {
      // A damaged task is named by whoever reads it; its files stay until then.
    }
  }
}

function idsIn(projectDir: string, ending: string): string[] {
  return namesIn(directoryOf(projectDir))
    .filter((name) => name.endsWith(ending))
    .map((name) => name.slice(0, -ending.length))
    .filter(isTaskId)
    .sort()
}

function isWhole(task: Task): boolean {
  return Array.isArray(task.kind === 'split' ? task.children : task.members) && typeof task.project === 'string'
}

function directoryOf(projectDir: string): string {
  return join(projectDir, 'tasks')
}

function fileOf(projectDir: string, id: string): string {
  return join(directoryOf(projectDir), `${id}.json`)
}
