// What the terminal board shows, kept up to date: the cards of the stream, the trains, and details of the row somebody is at.
import { PAUSED_NOTICE, type SessionCard } from '../../../contract/dashboard/cards.ts'
import { errorText } from '../../../contract/errors.ts'
import {
  BOARD_LISTS,
  type BoardList,
  type BoardRow,
  boardRows,
  filterRows,
  type TrainLine,
} from '../../../core/board/board-rows.ts'
import { type BoardState, type BoardView, chosenRow } from '../../../core/board/board-state.ts'
import { ownActions } from '../../../core/board/own-actions.ts'
import type { Io } from '../../print/io.ts'
import type { Ao } from '../open-ao.ts'
import { type BoardFeed, followBoard } from './board-source.ts'
import { readDetails, readTrains, type SessionDetails } from './read-details.ts'
import type { BoardScreen } from './render-board.ts'

export interface LiveBoard {
  /** Resolves with the first cards. */
  ready: Promise<void>
  /** As it is now. */
  screen(state: BoardState): BoardScreen
  view(state: BoardState): BoardView
  /** Reads more about the chosen row, once somebody stays at it. */
  attend(state: BoardState): void
  close(): Promise<void>
}

/** A row that somebody stays at is read in detail, and again after it has changed. */
const REST_MS = 200
const AGAIN_MS = 2_000
/** Lines around a page. */
const AROUND = 6

const SOURCES: Record<BoardFeed['from'], string> = {
  loop: '',
  here: 'no loop is running: read here',
  lost: 'the loop does not answer: this may be old',
}

export function followLive(ao: Ao, io: Io, onChange: () => void): LiveBoard {
  const stop = new AbortController()
  const ready = Promise.withResolvers<void>()
  let feed: BoardFeed | null = null
  let cards: ReadonlyMap<string, SessionCard> = new Map()
  let train: TrainLine[] = []
  let details: SessionDetails | null = null
  let attended: { id: string; at: string } | null = null
  let timer: NodeJS.Timeout | undefined

  async function readMore(sessionId: string): Promise<void> {
    const found = await readDetails(ao, sessionId).catch(() => null)
    if (found === null || attended?.id !== sessionId) return
    details = found
    onChange()
  }
  async function take(next: BoardFeed): Promise<void> {
    feed = next
    cards = new Map(next.board.sessions.map((card) => [card.id, card]))
    ready.resolve()
    onChange()
    const before = JSON.stringify(train)
    train = await readTrains(ao).catch((error) => {
      ao.log.debug(`the train could not be read: ${errorText(error)}`)
      return []
    })
    if (JSON.stringify(train) !== before) onChange()
  }
  const following = followBoard(ao, (next) => void take(next), stop.signal)
  const screen = (state: BoardState): BoardScreen => {
    const now = io.clock.now()
    const data = { cards: [...cards.values()], train, pins: feed?.board.pins ?? [], now: now.getTime() }
    const lists = new Map(BOARD_LISTS.map((list): [BoardList, BoardRow[]] => [list, boardRows(list, data)]))
    return {
      cards,
      rows: filterRows(lists.get(state.list) ?? [], state.filter),
      counts: Object.fromEntries([...lists].map(([list, rows]) => [list, rows.length])) as BoardScreen['counts'],
      source: feed === null ? 'reading' : SOURCES[feed.from],
      notices: (feed?.board.notices ?? []).map(({ text }) => text),
      actions: ownActions(ao.config.actions),
      details,
      now,
      style: io.style,
      width: io.width(),
      height: io.height(),
    }
  }
  return {
    ready: ready.promise,
    screen,
    view: (state) => ({
      rows: screen(state).rows,
      card: (id) => cards.get(id) ?? null,
      actions: ownActions(ao.config.actions),
      isPaused: feed?.board.notices.some(({ id }) => id === PAUSED_NOTICE) === true,
      now: performance.now(),
      page: Math.max(1, io.height() - AROUND),
    }),
    attend(state) {
      const card = cards.get(chosenRow(state, screen(state).rows)?.sessionId ?? '')
      if (card === undefined || (attended?.id === card.id && attended.at === card.lastActivityAt)) return
      const isNew = attended?.id !== card.id
      attended = { id: card.id, at: card.lastActivityAt }
      clearTimeout(timer)
      timer = setTimeout(() => void readMore(card.id), isNew ? REST_MS : AGAIN_MS)
    },
    async close() {
      clearTimeout(timer)
      stop.abort()
      await following
    },
  }
}
