// What the operations of the session manager are given and return.

import type { AccountLimit } from '../contract/account.ts'
import type { Attachment, GivenFile } from '../contract/agh/attachment.ts'
import type { TaskMark } from '../contract/blocker.ts'
import type { NeedKind } from '../contract/dashboard/needs.ts'
import type { ReviewSubject } from '../contract/pull.ts'
import type { LeftProcess, SendReceipt, SessionId } from '../contract/session.ts'
import type { Manifest } from '../core/session/export-manifest.ts'
import type { SharedTask } from '../core/task/shared-task.ts'
import type { Rescue } from '../slots/workspace.ts'

/** One line about the current step, for `--verbose` and progress. */
export type OnProgress = (line: string) => void

export interface ExportOptions {
  /** Where to; it must not exist. */
  file: string
  /** Leave out uncommitted work, instead of refusing. */
  committedOnly?: boolean
}

export interface Exported {
  file: string
  bytes: number
  manifest: Manifest
  /** How many attached files are not in it: there was no room, or they are not what was sent. */
  leftOut: number
}

export interface Imported {
  sessionId: SessionId
  projectId: string
  /** Its id where it was exported. */
  from: string
  branch: string | null
}

export interface KillListeners {
  /** A person says that its work is done: that becomes its status. */
  endAs?: 'done'
  /** Only to continue it with the account that its record says: nothing is ended once that was done. */
  switching?: true
  /** Only while it is to go back in its conversation. */
  rewinding?: true
  /** Who requested it, for the history; absent: the user. */
  by?: string
  onProgress?: OnProgress
  /** Processes that may have come from the agent but were left running, because nothing proves it. */
  onLeftRunning?: (processes: LeftProcess[]) => void
  /** Called with where uncommitted work was saved. */
  onRescue?: (rescue: Rescue) => void
  /** What the user has to know, even without progress output. */
  onNotice?: OnProgress
}

export interface RetryResult {
  /** The turn that the prompt began, and the one that it repeats; null: the agent has a terminal, or no turn of it failed. */
  turn: { turnId: string; retries: string } | null
  /** Of the message that asked it to try again; null: its own prompt was sent. */
  receipt: SendReceipt | null
}

export interface SnoozeRequest {
  until: Date
  /** Another need of the same session is not put off. */
  need: NeedKind
}

export interface CleanupOptions {
  dryRun?: boolean
  onLeftRunning?: (sessionId: SessionId, processes: LeftProcess[]) => void
  /** Called with where uncommitted work of a removed session was saved. */
  onRescue?: (sessionId: SessionId, rescue: Rescue) => void
  onNotice?: OnProgress
}

/** Why cleanup takes or leaves a session, for `--dry-run` and people. */
export interface CleanupDecision {
  sessionId: SessionId
  action: 'remove' | 'skip'
  reason: string
}

export interface SpawnOptions {
  onProgress?: OnProgress
  /** What the user should know: somebody is at work in files that the task will probably change. */
  onNotice?: OnProgress
  /** What looks like an issue id must be known to the project's tracker; by default an unknown id is treated as free text. */
  requireIssue?: boolean | undefined
  /**
   * What to do when a session that has not ended works on the issue: refuse, unless another branch is named; or start on a
   * branch of its own. Absent: the branch of the issue decides, and is refused when it is checked out.
   */
  second?: 'refuse' | 'start' | undefined
  /** Its prompt is a person's: what it names with an @ goes along. */
  byPerson?: boolean | undefined
  /** What goes along with its prompt. */
  files?: readonly GivenFile[] | undefined
  /** Where it runs, instead of where the project says. */
  place?: string | undefined
  /** Instead of the configured one. */
  model?: string | undefined
  /** It plans first, and changes nothing before a person agrees. */
  mode?: 'plan' | undefined
  /** Where its branch starts and its pull request goes: a branch, a session, or `pr:<number>`. Absent: the default branch. */
  base?: string | undefined
  /** What has to land before it starts: ids of sessions and issues, `pr:<number>`. Its issue may name more. */
  needs?: readonly string[] | undefined
  /** The schedule that starts it, with the time it was due. */
  schedule?: string | undefined
  /** It only reads this, as a reviewer: `prompt` is all it gets. */
  review?: ReviewSubject | undefined
  /** It starts now, whatever it needs. */
  now?: boolean | undefined
  /** Its part in a task of several sessions, and that task. */
  task?: TaskMark | undefined
  shared?: SharedTask | undefined
}

export interface RestoreOptions {
  onProgress?: OnProgress
  /** What the user has to know, even without --verbose: a missing branch, work that does not apply. */
  onNotice?: OnProgress
  /** Who requested it, for the history; absent: the user. */
  by?: string
  /** Where it runs from now on; null: on this machine. Absent: where it was. */
  place?: string | null
  /** Only to continue it with the account that its record says; refused when somebody ended it meanwhile. */
  switching?: true
}

export interface SwitchOptions {
  /** null: the account and the agent that it began with. */
  account: string | null
  /** For its history and for the agent that takes over. */
  why: string
  /** Who requested it; absent: the user. */
  by?: string
  /** The limit of the present account, if that is why. */
  limit?: AccountLimit | null
  onProgress?: OnProgress
}

export interface MoveOptions {
  /** null: on this machine. */
  place: string | null
  /** Also when its present place cannot be reached. */
  force?: boolean
  onProgress?: OnProgress
}

/** A place of the configuration. */
export interface PlaceInfo {
  name: string
  type: string
  /** Ids of the sessions that are there. */
  sessions: string[]
  maxSessions: number | null
  draining: boolean
  /** Why it takes no session now; null: it does. */
  full: string | null
  /** Since when its sessions cannot be reached, and why; null: they can, or nobody is there. */
  unreachable: { since: Date; why: string } | null
}

export interface DeliverOptions {
  /** The sender: `user`, or the reaction's key. */
  source?: string | undefined
  /** Which person or device, for the history. */
  by?: string | undefined
  /** A person typed these very words: what they name with an @ goes along. Never for text that was read from somewhere. */
  byPerson?: boolean | undefined
  /** How long to wait for the agent's own records to show the message. */
  timeoutMs?: number | undefined
  /** End the running turn first, where the runtime can: for an agent that has gone silent in it. */
  interrupt?: boolean | undefined
  /**
   * The message answers what the agent asks: it is typed although the agent waits for an answer, unless the screen shows a
   * dialog, which no text can answer.
   */
  isAnswer?: boolean | undefined
  /** What goes along with it. */
  files?: readonly GivenFile[] | undefined
  /** The same, kept already and named in the text. */
  attachments?: readonly Attachment[] | undefined
  /** Enter it verbatim: what begins like a command of the agent is one. */
  raw?: boolean | undefined
  /** When the sender accepted it, in milliseconds since the epoch; absent: now. Messages are entered in this order. */
  acceptedAt?: number | undefined
}

export interface FollowOptions {
  /** Events up to this number are left out. */
  after?: number
  signal: AbortSignal
}

export interface PendingOptions {
  /** An agent records that it asks before its screen shows the question: how long to wait for that. */
  drawnWithinMs?: number
}
