// What can be asked of a live session, and the shape of the answer: decide.ts decides, agh/session/publish.ts acts.
import type { AcpUpdate, EventBody, EventDraft } from '../../../contract/agh/events.ts'
import type { SessionMeta } from '../../../contract/agh/session-meta.ts'
import type { CancelReason } from '../../../contract/agh/session-terms.ts'
import type { AoError } from '../../../contract/errors.ts'
import type { PrefacePart } from '../session/preface.ts'
import type { Turn, TurnEnd } from '../session/turn.ts'
import type { WaitingMessage } from '../session/waiting-prompt.ts'
import type { QueuedPrompt } from './prompt-queue.ts'
import type { Change, SessionState } from './session-state.ts'

export type Command =
  /** The agent is ready. */
  | {
      type: 'activate'
      event: EventBody<'session_started'>
      preface: readonly PrefacePart[]
      meta: Partial<SessionMeta>
    }
  /** Its agent outlived the daemon that ran it: continue where that one was. */
  | { type: 'adopt'; state: SessionState; at: number }
  | { type: 'queue_prompt'; prompt: QueuedPrompt }
  /** Neither of them touches a prompt whose turn has begun. */
  | { type: 'edit_prompt'; id: string; text: string }
  | { type: 'withdraw_prompt'; id: string }
  /** `from`: its position in the queue. `waitedAs`: the name under which the prompt waited on disk. */
  | {
      type: 'begin_turn'
      turn: Turn
      event: EventBody<'user_message'>
      from?: string | undefined
      waitedAs?: string | undefined
    }
  | { type: 'approve' }
  /** A standing answer to this question no longer holds. */
  | { type: 'revoke_grant'; requestId: string }
  /** The driver's. */
  | { type: 'take_message' }
  | { type: 'spawn_child' }
  | { type: 'change_settings' }
  /** Those that its agent keeps. */
  | { type: 'manage_conversations' }
  | {
      type: 'take_update'
      update: AcpUpdate
      json: string | undefined
      /** The ACP session that the agent named, and the one that is ours. */
      ofSession: string | undefined
      ownSession: string | null
      at: number
    }
  | { type: 'take_garbage'; line: string }
  /** `turnId`: defaults to the running turn. `meta` is saved after it. */
  | {
      type: 'record'
      event: EventBody
      turnId?: string | null
      isDurable?: boolean
      meta?: Partial<SessionMeta>
    }
  | { type: 'cancel_turn'; turnId: string; why: CancelReason; at: number }
  | { type: 'end_turn'; end: TurnEnd }
  /** A stop was requested. */
  | { type: 'stop' }
  /** The shutdown begins, whatever the reason. */
  | { type: 'end' }
  /** Its turn never came. */
  | { type: 'report_undelivered'; waiting: WaitingMessage; error?: string | undefined }
  /** No process of it is left. */
  | { type: 'finish'; meta: Partial<SessionMeta> }

export type CommandOf<T extends Command['type']> = Extract<Command, { type: T }>

/** The effects beside writing. */
export type Effect = 'withdraw_questions' | 'send_cancel' | 'abort_start'

/** In this order: the effects begin, the drafts are appended, the state evolves; when they are committed, `meta` is saved. */
export interface Decided {
  effects: readonly Effect[]
  drafts: readonly EventDraft[]
  /** The last draft, and everything before it, is forced to disk. */
  isDurable: boolean
  /** With the last draft, and only with it, this message stops waiting. */
  settles: string | null
  /** With the last draft, and only with it, the message that waits under this name has another text. */
  rewords: { keptAs: string; text: string } | null
  change: Change | null
  meta: Partial<SessionMeta> | null
}

export type Decision = Decided | { refusal: AoError }
