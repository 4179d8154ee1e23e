// Tasks of several sessions, as their files keep them.
import type { Attachment } from '../../contract/agh/attachment.ts'

/** What every member is started with. */
export interface TaskRequest {
  issueId?: string | undefined
  prompt?: string | undefined
  requireIssue?: boolean | undefined
  base?: string | undefined
  model?: string | undefined
  /** Where they run, instead of where their project says. */
  where?: string | undefined
  needs?: readonly string[] | undefined
  now?: boolean | undefined
  /** Files that go along; their bytes are kept beside the task until each member has them. */
  attachments?: readonly Attachment[] | undefined
}

interface TaskFile {
  id: string
  /** In whose directory it is kept, and whose tracker has its issue. */
  project: string
  /** ISO 8601 */
  createdAt: string
  /** The process that works on what is left to do. */
  owner: string
}

export interface TaskMember {
  project: string
  agent?: string | undefined
  /** Once it is reserved. Who belongs to the task is decided here: a record that claims to is only compared with it. */
  session?: string | undefined
}

export interface SharedTask extends TaskFile {
  kind: 'best' | 'group'
  request: TaskRequest
  /** In the order of their indexes. */
  members: TaskMember[]
  /** Each of them has a record. */
  reserved: boolean
  /** The session that was chosen among tries. */
  chosen?: string | undefined
  /** The others have ended, or a group has landed: nothing is left to do. */
  settled?: boolean | undefined
  /** Why the rest of a group does not land. */
  stopped?: string | undefined
  /** Addresses of pull requests of a group that name the others. */
  linked?: string[] | undefined
}

/** One part of a proposal. */
export interface SplitChild {
  /** Names it within the proposal. */
  key: string
  title: string
  body: string
  project: string
  /** Keys of parts that have to land first. */
  needs: string[]
  /** Once it was accepted. */
  issue?: string | undefined
  session?: string | undefined
}

export interface SplitTask extends TaskFile {
  kind: 'split'
  issueId: string | null
  /** Who proposed it: a session, or the user. */
  by: string
  children: SplitChild[]
  state: 'proposed' | 'accepted' | 'done' | 'discarded'
}

export type Task = SharedTask | SplitTask

/** Something is left to do for it: for the command that was killed at it, or for the loop. */
export function isOpenTask(task: Task): boolean {
  if (task.kind === 'split') return task.state === 'accepted'
  if (!task.reserved) return true
  return task.settled !== true && (task.kind === 'group' || task.chosen !== undefined)
}
