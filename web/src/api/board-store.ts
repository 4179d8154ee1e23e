// The board as the stream reports it. A change costs as much as what changed: only its cards and their columns become new
// objects, everything else stays the same and is not rendered again.

import type { Board, BoardChange, SessionCard } from '../../../src/contract/dashboard/cards.ts'
import { BOARD_COLUMNS, type BoardColumn } from '../../../src/contract/dashboard/columns.ts'
import { compareNeeds } from '../../../src/core/queue/rank-queue.ts'

export interface BoardState extends Omit<Board, 'sessions'> {
  cards: ReadonlyMap<string, SessionCard>
  columns: Readonly<Record<BoardColumn, readonly SessionCard[]>>
}

export function readBoard({ sessions, ...rest }: Board): BoardState {
  const columns = Object.fromEntries(
    BOARD_COLUMNS.map((column) => [column, sessions.filter((card) => card.column === column).sort(byNeed)]),
  ) as unknown as BoardState['columns']
  return { ...rest, cards: new Map(sessions.map((card) => [card.id, card])), columns }
}

export function applyChange(board: BoardState, change: BoardChange): BoardState {
  const cards = new Map(board.cards)
  const columns: Record<BoardColumn, readonly SessionCard[]> = { ...board.columns }
  for (const id of change.removed) {
    takeOut(columns, cards.get(id))
    cards.delete(id)
  }
  for (const card of change.sessions) {
    takeOut(columns, cards.get(card.id))
    putIn(columns, card)
    cards.set(card.id, card)
  }
  return {
    cards,
    columns,
    version: board.version,
    notices: change.notices ?? board.notices,
    projects: change.projects ?? board.projects,
    loopRunning: change.loopRunning ?? board.loopRunning,
  }
}

function takeOut(columns: Record<BoardColumn, readonly SessionCard[]>, card: SessionCard | undefined): void {
  if (card) columns[card.column] = columns[card.column].filter((one) => one.id !== card.id)
}

function putIn(columns: Record<BoardColumn, readonly SessionCard[]>, card: SessionCard): void {
  const column = columns[card.column]
  const at = column.findIndex((one) => byNeed(card, one) < 0)
  columns[card.column] = at === -1 ? [...column, card] : column.toSpliced(at, 0, card)
}

/** Who needs you in the order of the queue, all others newest first; the id decides between equals: cards do not jump. */
function byNeed(a: SessionCard, b: SessionCard): number {
  if (a.column === 'needs_you' && a.need && b.need) return compareNeeds(a.need, b.need) || (a.id < b.id ? -1 : 1)
  if (a.statusSince !== b.statusSince) return a.statusSince < b.statusSince ? 1 : -1
  return a.id < b.id ? -1 : 1
}
