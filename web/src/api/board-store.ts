// The board as the stream reports it, with the pages of ended sessions that were asked for. A change costs as much as what
// changed: only its cards and their columns become new objects, everything else stays the same and is not rendered again.
// Stream and pages come in any order: of each session the newest word counts, by the number of the server's change.

import type { Board, BoardChange, EndedAnswer, SessionCard } from '../../../src/contract/dashboard/cards.ts'
import { BOARD_COLUMNS, type BoardColumn } from '../../../src/contract/dashboard/columns.ts'
import { compareCards } from '../../../src/core/board/compare-cards.ts'

export interface BoardState extends Omit<Board, 'sessions'> {
  cards: ReadonlyMap<string, SessionCard>
  columns: Readonly<Record<BoardColumn, readonly SessionCard[]>>
  /** Where the whole board was sent. */
  from: Position
  /** Of which change the last word about a session is, if it came after the whole board; also of those that are gone. */
  heard: ReadonlyMap<string, number>
}

export interface Position {
  /** Of the server's count of changes. */
  epoch: string
  change: number
}

export function readBoard({ sessions, ...rest }: Board, from: Position): BoardState {
  const columns = Object.fromEntries(
    BOARD_COLUMNS.map((column) => [column, sessions.filter((card) => card.column === column).sort(compareCards)]),
  ) as unknown as BoardState['columns']
  return { ...rest, cards: new Map(sessions.map((card) => [card.id, card])), columns, from, heard: new Map() }
}

export function applyChange(board: BoardState, change: BoardChange, at: number): BoardState {
  const next = merge(board, change, at)
  return {
    ...next,
    notices: change.notices ?? board.notices,
    projects: change.projects ?? board.projects,
    pins: change.pins ?? board.pins,
    loopRunning: change.loopRunning ?? board.loopRunning,
    ended: { ...board.ended, ...change.ended },
  }
}

/** null: the page is of another board, from before the server sent this one as a whole. It has to be asked for again. */
export function applyPage(board: BoardState, { sessions, epoch, change }: EndedAnswer): BoardState | null {
  if (epoch !== board.from.epoch || change < board.from.change) return null
  return merge(board, { sessions, removed: [] }, change)
}

function merge(
  board: BoardState,
  { sessions, removed }: Pick<BoardChange, 'sessions' | 'removed'>,
  at: number,
): BoardState {
  const cards = new Map(board.cards)
  const heard = new Map(board.heard)
  const columns: Record<BoardColumn, readonly SessionCard[]> = { ...board.columns }
  const isNews = (id: string) => {
    if (at < (heard.get(id) ?? board.from.change)) return false
    heard.set(id, at)
    return true
  }
  for (const id of removed.filter(isNews)) {
    takeOut(columns, cards.get(id))
    cards.delete(id)
  }
  for (const card of sessions.filter(({ id }) => isNews(id))) {
    takeOut(columns, cards.get(card.id))
    putIn(columns, card)
    cards.set(card.id, card)
  }
  return { ...board, cards, columns, heard }
}

function takeOut(columns: Record<BoardColumn, readonly SessionCard[]>, card: SessionCard | undefined): void {
  if (card) columns[card.column] = columns[card.column].filter((one) => one.id !== card.id)
}

function putIn(columns: Record<BoardColumn, readonly SessionCard[]>, card: SessionCard): void {
  const column = columns[card.column]
  const at = column.findIndex((one) => compareCards(card, one) < 0)
  columns[card.column] = at === -1 ? [...column, card] : column.toSpliced(at, 0, card)
}
