// What one reader of the stream already has, and what it gets next. The id of each frame says what the reader has once it
// has that frame, so that a new connection continues exactly there.
import { statSync } from 'node:fs'
import type { TranscriptMessage } from '../../contract/agh/transcript.ts'
import {
  formatCursor,
  parseCursor,
  STALE_LISTS,
  type Stale,
  type StreamCursor,
  type StreamEvent,
} from '../../contract/dashboard/stream.ts'
import { isSafeName } from '../../contract/ids.ts'
import type { ProjectPaths } from '../../store/paths.ts'
import { readPlacedPage } from './history-pages.ts'
import type { BoardKeeper } from './live-board.ts'

export type Frame = StreamEvent & { id: string }

export interface Reader {
  /**
   * What it does not have yet, one page at a time for a long history; [] when there is nothing. To be called again until
   * then.
   */
  next(): Frame[]
  /** The last sequence of the transcript that it has. */
  readonly transcript: number
  /** Messages that are new or have grown, complete up to this sequence, apart from those that are `older`. */
  addMessages(messages: Iterable<TranscriptMessage>, sequence: number, older?: number | null): void
}

export interface ReaderOptions {
  board: BoardKeeper
  sessionId: string | null
  lastEventId: string | null
}

interface State extends ReaderOptions {
  cursor: StreamCursor
  /** It has the board as it was at its cursor. */
  hasBoard: boolean
  /** It had a board of this page before, and its lists may be outdated. */
  isReturning: boolean
  /** The size of the history that was read to its end. */
  historySize: number
  /** Where its next page begins. */
  historyOffset: number | undefined
  messages: Map<string, TranscriptMessage>
  messagesUpTo: number
  /** undefined: nothing new about it. */
  olderMessages: number | null | undefined
}

export function createReader(options: ReaderOptions): Reader {
  const given = parseCursor(options.lastEventId ?? '')
  const state: State = {
    ...options,
    // The numbers of a history outlive a server; those of another server's changes stay in it until the board has been
    // sent.
    cursor: given ?? { epoch: options.board.epoch, change: 0, history: 0, transcript: 0 },
    hasBoard: given?.epoch === options.board.epoch,
    isReturning: given !== null,
    historySize: -1,
    historyOffset: undefined,
    messages: new Map(),
    messagesUpTo: 0,
    olderMessages: undefined,
  }
  return {
    next: () => [...nextOfBoard(state), ...nextOfHistory(state), ...nextOfTranscript(state)],
    get transcript() {
      return Math.max(state.cursor.transcript, state.messagesUpTo)
    },
    addMessages(messages, sequence, older) {
      if (older !== undefined) state.olderMessages = older
      for (const message of messages) state.messages.set(message.id, message)
      state.messagesUpTo = sequence
    },
  }
}

function nextOfBoard(state: State): Frame[] {
  const { board, cursor } = state
  const last = board.ring.last()
  if (state.hasBoard && cursor.change === last) return []
  const missed = state.hasBoard ? board.ring.after(cursor.change) : null
  if (missed === null) {
    const stale = state.isReturning ? ALL_STALE : []
    state.hasBoard = true
    state.isReturning = true
    return moveTo(state, last, [...stale.map(staleEvent), { event: 'board', data: board.read() }])
  }
  const change: StreamEvent[] = missed.change === null ? [] : [{ event: 'change', data: missed.change }]
  return moveTo(state, last, [...missed.stale.map(staleEvent), ...change])
}

/**
 * Only the last of them moves the cursor: a reader that is cut off in between gets the hints again, and loses no change.
 */
function moveTo(state: State, change: number, events: StreamEvent[]): Frame[] {
  const frames = events.slice(0, -1).map((event): Frame => ({ ...event, id: formatCursor(state.cursor) }))
  state.cursor = { ...state.cursor, epoch: state.board.epoch, change }
  const last = events.at(-1)
  return last === undefined ? [] : [...frames, { ...last, id: formatCursor(state.cursor) }]
}

/** After too long an absence any list may be outdated. */
const ALL_STALE: readonly Stale[] = STALE_LISTS.map((what) => ({ what }))

function staleEvent(data: Stale): StreamEvent {
  return { event: 'stale', data }
}

function nextOfHistory(state: State): Frame[] {
  const { sessionId } = state
  const paths = sessionId === null ? null : historyPaths(state.board, sessionId)
  if (paths === null || sessionId === null) return []
  const size = statSync(paths.historyFile(sessionId), { throwIfNoEntry: false })?.size ?? 0
  if (size === state.historySize) return []
  const request = { sessionId, after: state.cursor.history, from: state.historyOffset, size }
  const { data, last, next, hasMore } = readPlacedPage(paths, request)
  state.historyOffset = next
  // Only what was read to its end is waited for.
  if (!hasMore) state.historySize = size
  if (last === null) return []
  state.cursor = { ...state.cursor, history: last }
  return [{ event: 'history', data, id: formatCursor(state.cursor) }]
}

/** Its project's, even when it was archived; null: there is no such session yet. */
function historyPaths(board: BoardKeeper, sessionId: string): ProjectPaths | null {
  // It becomes a path.
  if (!isSafeName(sessionId)) return null
  const { config, paths } = board.context()
  const projectOfCard = board.card(sessionId)?.projectId
  const candidates = projectOfCard === undefined ? Object.keys(config.projects) : [projectOfCard]
  const projects = candidates.map((projectId) => paths.project(projectId))
  return projects.find((project) => statSync(project.historyFile(sessionId), { throwIfNoEntry: false })) ?? null
}

function nextOfTranscript(state: State): Frame[] {
  const { sessionId, messages, messagesUpTo, olderMessages } = state
  if (sessionId === null || messages.size === 0) return []
  state.messages = new Map()
  state.olderMessages = undefined
  state.cursor = { ...state.cursor, transcript: messagesUpTo }
  const inOrder = [...messages.values()].sort((a, b) => a.sequence - b.sequence)
  const data = { sessionId, messages: inOrder, ...(olderMessages !== undefined && { older: olderMessages }) }
  return [{ event: 'transcript', data, id: formatCursor(state.cursor) }]
}
