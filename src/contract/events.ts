// The history of one session: everything that happened to it, in order, numbered. Append-only, one JSON line each.
import type { AgentAccount } from './account.ts'
import type { Attachment } from './agh/attachment.ts'
import type { LeftProcess, RuntimeHandle } from './session.ts'
import type { SessionStatus } from './status.ts'

export type Operation = 'spawn' | 'kill' | 'restore' | 'cleanup' | 'rewind'

export type SessionEventBody =
  | {
      type: 'session.reserved'
      project: string
      agent: string
      branch: string | null
      issue: string | null
      role: string
    }
  /** `by`: who requested it; older ones have none. */
  | { type: 'operation.started'; operation: Operation; by?: string | undefined }
  | { type: 'operation.finished'; operation: Operation }
  | { type: 'operation.failed'; operation: Operation; step: string; error: string }
  /** A later command found the operation's process dead and finished it or rolled it back. */
  | { type: 'operation.recovered'; operation: Operation; outcome: 'finished' | 'taken_back' }
  | { type: 'workspace.created'; path: string; branch: string }
  | { type: 'workspace.rescued'; ref: string; commit: string }
  | { type: 'workspace.removed'; path: string }
  /** A command of the project's hook failed; what it belongs to continued. */
  | { type: 'hook.failed'; hook: 'preRemove'; error: string }
  | { type: 'runtime.started'; handle: RuntimeHandle; launch: number; command: string[] }
  | { type: 'runtime.stopped'; why: string; leftRunning?: LeftProcess[] | undefined }
  | { type: 'status.changed'; from: SessionStatus | null; to: SessionStatus; evidence: string[] }
  /** `raw`: it is entered verbatim, for the agent's own commands. */
  | {
      type: 'message.queued'
      messageId: string
      text: string
      source: string
      raw?: true
      by?: string | undefined
      /** The text names them; their bytes are in the session's private files. */
      attachments?: Attachment[] | undefined
    }
  /**
   * The agent waits for an answer, so the message is delivered afterwards. `entered`: its text is already in the input
   * line.
   */
  | { type: 'message.held'; messageId: string; why: string; entered?: boolean | undefined }
  /** `note`: how what was entered differs from the message. */
  | { type: 'message.handed_over'; messageId: string; note?: string | undefined }
  | { type: 'message.seen'; messageId: string }
  /**
   * Its files as they were before the message with the id `message`, or before a rewind: then `rewindTo` is where that went, and
   * `conversation` the agent's own id of the one it had. `left`: how many files are not in the commit. Not `messageId`: the version before takes every event with that for what became of a message.
   */
  | {
      type: 'turn.saved'
      turn: number
      message: string
      commit: string
      left?: number | undefined
      rewindTo?: number | undefined
      conversation?: string | undefined
    }
  | { type: 'turn.not_saved'; turn: number; message: string; why: string }
  /**
   * `saved`: the turn under which its files can be found as they were before. `conversation`: whether its agent goes back to before that
   * turn too, when it is started next; absent in older ones, whose agents did not.
   */
  | {
      type: 'session.rewound'
      turn: number
      saved: number
      by: string
      notice?: string | undefined
      conversation?: 'back' | 'kept' | undefined
    }
  | { type: 'message.undelivered'; messageId: string; why: string }
  /** A person gave it another text while it waited. */
  | { type: 'message.edited'; messageId: string; text: string }
  /** It was held and will no longer be delivered. */
  | { type: 'message.withdrawn'; messageId: string; why: string }
  /** `title`: what was asked; `option`: the agent's own name of the answer; `by`: who gave it. Older ones have none of them. */
  | {
      type: 'permission.answered'
      requestId: string
      decision: string
      title?: string | undefined
      option?: string | undefined
      by?: string | undefined
    }
  /** A standing answer that ao's side kept no longer holds. */
  | { type: 'permission.revoked'; requestId: string; rule: string }
  | { type: 'session.restored'; how: 'resume' | 'fresh' | 'fork' | 'rewind'; launch: number }
  /** It continues with another account, in a new conversation. */
  | { type: 'account.changed'; from: AgentAccount; to: AgentAccount; why: string }
  | { type: 'turn.stopped'; by: string }
  /** The prompt of a failed turn was sent again, word for word. Both are ids of the agent's runtime. */
  | { type: 'turn.retried'; turnId: string; retries: string }
  | { type: 'session.snoozed'; need: string; until: string }
  /** null: the name of its task counts again. */
  | { type: 'session.renamed'; title: string | null }
  /** What it may cost, at a person's word; null: as in the configuration. */
  | { type: 'budget.changed'; usd: number | null }
  | { type: 'session.archived'; file: string }
  /** What is before it happened on another machine, to the session that was called `from` there. */
  | { type: 'session.imported'; from: string; exportedAt: string }
  | { type: 'session.claimed_pr'; url: string; from: string[] }
  | {
      type: 'reaction'
      key: string
      action: string
      outcome: 'done' | 'failed'
      why: string
      error?: string | undefined
      /** Which of the session's intents it ends; texts may repeat, this does not. */
      intent?: string | undefined
      /** URL of the pull request that it is about. */
      pull?: string | undefined
    }
  /** What the agent has used so far, written when it grew and at most once a minute. `costUsd` null: unknown price. */
  | { type: 'usage'; tokens: number; costUsd: number | null }
  /** What the agent asked of home from its place, as home understood it, and what was decided. Written before it is done. */
  | { type: 'place.asked'; request: string; decision: 'allowed' | 'refused'; why?: string | undefined }
  /** To keep the disk within its limits. `detail`: which of it, and by what it can still be found. */
  | {
      type: 'data.dropped'
      what: 'recording' | 'history' | 'event log' | 'rescue' | 'checkpoint'
      bytes: number
      detail: string
    }
  | { type: 'metadata.damaged'; setAside: string; why: string }

/** What callers record themselves. The others follow from the record, and the store writes them (`core/status/status-of-record.ts`). */
export type OtherEvent = Exclude<SessionEventBody, { type: 'status.changed' | 'usage' }>

/** `seq` starts at 1 and has no gaps; `at` is ISO 8601. */
export type SessionEvent = SessionEventBody & { seq: number; at: string; sessionId: string }

/** Who did it: the person who types a command or presses a button; the loop names its reaction instead. */
export const THE_USER = 'the user'
