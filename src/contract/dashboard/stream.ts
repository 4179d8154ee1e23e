// The one stream of a page: the board, and with `?session=` the history and transcript of that session. `id:` is a cursor
// over all of them; `Last-Event-ID` continues exactly there, or starts with a new `board` when it cannot.
import type { TranscriptMessage } from '../agh/transcript.ts'
import type { SessionEvent } from '../events.ts'
import type { Board, BoardChange } from './cards.ts'

export const STREAM_PATH = '/api/stream'

/** `?cards=`: without what nearly all of them have (`core/board/lean-card.ts`). */
export const LEAN_CARDS = 'lean'

/** The server is heard from at least this often, if only by a comment with its time. */
export const HEARTBEAT_MS = 4_000

export type StreamEvent =
  /** Everything; replaces the page's board. */
  | { event: 'board'; data: Board }
  | { event: 'change'; data: BoardChange }
  /** Events of the displayed session, in order, each once. `words` is the line that `ao events` prints. */
  | { event: 'history'; data: { sessionId: string; events: Array<SessionEvent & { words: string }> } }
  /**
   * Messages that are new or have grown, by id. `older`: those with a smaller sequence are asked for with
   * `GET /api/sessions/:id/transcript`; null: there are none.
   */
  | { event: 'transcript'; data: { sessionId: string; messages: TranscriptMessage[]; older?: number | null } }
  /** The list behind this page has changed: fetch it again. */
  | { event: 'stale'; data: Stale }

/** What pages show other than the board. */
export const STALE_LISTS = ['pulls', 'issues', 'feedback', 'archive', 'settings', 'observability', 'devices'] as const

export interface Stale {
  what: (typeof STALE_LISTS)[number]
  /** Absent: all projects. */
  projectId?: string
}

export interface StreamCursor {
  /** Changes when the server restarts, as does its count of changes. */
  epoch: string
  change: number
  /** Last number of the session's history, 0 without a session. */
  history: number
  /** Last sequence of the session's transcript, 0 without one. */
  transcript: number
}

export function formatCursor({ epoch, change, history, transcript }: StreamCursor): string {
  return `${epoch}.${change}.${history}.${transcript}`
}

/** null: not one of ours. */
export function parseCursor(text: string): StreamCursor | null {
  const match = /^([a-z0-9]{1,32})\.(\d{1,15})\.(\d{1,15})\.(\d{1,15})$/.exec(text)
  if (!match) return null
  return { epoch: match[1]!, change: Number(match[2]), history: Number(match[3]), transcript: Number(match[4]) }
}
