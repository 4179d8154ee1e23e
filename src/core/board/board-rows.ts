// The lists of the terminal board: what each shows, in its order, and which rows a filter means. Pure.
import type { Board, BoardChange, SessionCard } from '../../contract/dashboard/cards.ts'
import { BOARD_COLUMNS, type BoardColumn } from '../../contract/dashboard/columns.ts'
import type { Pin } from '../../contract/dashboard/search.ts'
import type { TrainRider } from '../../contract/dashboard/train.ts'
import { rankQueue } from '../queue/rank-queue.ts'
import { needWord, shownStatus, statusName } from '../queue/shown-status.ts'
import { compareCards } from './compare-cards.ts'

export const BOARD_LISTS = ['queue', 'sessions', 'pulls', 'train'] as const
export type BoardList = (typeof BOARD_LISTS)[number]

/** One line of a list. The texts are as untrusted as where they come from. */
export interface BoardRow {
  /** Stays the same while it is about the same thing. */
  key: string
  /** The session that keys act on; null: none. */
  sessionId: string | null
  who: string
  state: string
  /** ISO 8601; null: unknown. */
  since: string | null
  about: string
  more: string
  tone: BoardColumn
}

/** A rider of a train, or one that has left it. */
export interface TrainLine extends Pick<TrainRider, 'pull' | 'title' | 'at' | 'session'> {
  projectId: string
  state: string
}

export interface BoardData {
  cards: readonly SessionCard[]
  train: readonly TrainLine[]
  pins?: readonly Pin[]
  now: number
}

export function boardRows(list: BoardList, data: BoardData): BoardRow[] {
  return ROWS[list](data)
}

const ROWS: Record<BoardList, (data: BoardData) => BoardRow[]> = {
  queue: queueRows,
  sessions: sessionRows,
  pulls: pullRows,
  train: ({ train }) => train.map(trainRow),
}

function queueRows({ cards, now }: BoardData): BoardRow[] {
  const byId = new Map(cards.map((card) => [card.id, card]))
  return rankQueue(cards, now).map(({ key, kind, cause, since, matter, sessions, why }) => {
    const [first = ''] = sessions
    return {
      key,
      sessionId: first,
      who: sessions.length === 1 ? first : `${first} +${sessions.length - 1}`,
      state: needWord({ kind, cause }),
      since,
      about: kind === 'permission' ? (questionOf(byId.get(first)) ?? matter.trimStart()) : matter.trimStart(),
      more: [why, byId.get(first)?.title].filter(Boolean).join(' · '),
      tone: kind === 'merge' ? 'ready_to_merge' : kind === 'review' ? 'in_review' : 'needs_you',
    }
  })
}

/** Of a dialog: its first line says more than the screen above it, which is part of the matter. */
function questionOf(card: SessionCard | undefined): string | undefined {
  return card?.permissions.find(({ input }) => input?.kind === 'screen')?.title
}

/** Pinned ones first, as they were pinned. */
function sessionRows({ cards, pins = [] }: BoardData): BoardRow[] {
  const byId = new Map(cards.map((card) => [card.id, card]))
  const pinned = pins.flatMap(({ session, folder }) => {
    const card = byId.get(session)
    byId.delete(session)
    return card === undefined
      ? []
      : [{ ...sessionRow(card), who: `* ${card.id}${folder === null ? '' : ` ${folder}`}` }]
  })
  return [...pinned, ...[...byId.values()].sort(byColumn).map(sessionRow)]
}

function sessionRow(card: SessionCard): BoardRow {
  const { id, lastActivityAt, title, pr, branch, column } = card
  return {
    key: id,
    sessionId: id,
    who: id,
    // The mark makes it stand out without colours too.
    state: `${column === 'needs_you' ? '! ' : ''}${stateOf(card)}`,
    since: lastActivityAt,
    about: title,
    more: pr === null ? (branch ?? '') : pullName(pr),
    tone: column,
  }
}

/** As `ao status` has it. */
function stateOf({ status, need, waits, paused }: SessionCard): string {
  return statusName(shownStatus({ status, need, isWaiting: waits !== null, isPaused: paused !== null }))
}

function byColumn(a: SessionCard, b: SessionCard): number {
  return BOARD_COLUMNS.indexOf(a.column) - BOARD_COLUMNS.indexOf(b.column) || compareCards(a, b)
}

/** Of sessions; open ones first. */
function pullRows({ cards }: BoardData): BoardRow[] {
  const all = cards.flatMap((card) =>
    [card.pr, ...card.otherPulls].flatMap((pull) => (pull === null ? [] : [{ card, pull }])),
  )
  return all
    .sort((a, b) => Number(a.pull.state !== 'open') - Number(b.pull.state !== 'open'))
    .map(({ card, pull }) => ({
      key: `${card.id} ${pull.url}`,
      sessionId: card.id,
      who: pullName(pull),
      state: pullState(pull),
      since: card.statusSince,
      about: pull.title ?? card.title,
      more: card.id,
      tone: pull.state === 'open' ? card.column : 'done',
    }))
}

type Pull = NonNullable<SessionCard['pr']>

function pullName({ number, url }: Pull): string {
  return number === null ? url : `#${number}`
}

function pullState({ state, ci, review, hasConflicts }: Pull): string {
  if (state !== 'open') return state
  const parts = [
    ...(hasConflicts ? ['conflicts'] : []),
    ...(ci === 'none' ? [] : [CI_WORDS[ci]]),
    ...(review === 'none' || review === 'unknown' ? [] : [REVIEW_WORDS[review]]),
  ]
  return parts.join(', ') || 'open'
}

/** As the page has them. */
const CI_WORDS = { passing: 'CI passing', failing: 'CI failing', pending: 'CI running', unknown: 'CI unknown' } as const
const REVIEW_WORDS = {
  approved: 'approved',
  changes_requested: 'changes requested',
  pending: 'review pending',
} as const

function trainRow({ projectId, pull, title, state, session, at }: TrainLine): BoardRow {
  return {
    key: `${projectId} ${pull} ${at}`,
    sessionId: session,
    who: `#${pull}`,
    state,
    since: at,
    about: title,
    more: session ?? '',
    tone: state === 'green' ? 'ready_to_merge' : state === 'red' || state.startsWith('left') ? 'needs_you' : 'working',
  }
}

/** Every word of the filter is in a row as it is, or letter by letter in its order; the closest first. */
export function filterRows(rows: readonly BoardRow[], filter: string): BoardRow[] {
  const terms = filter.toLowerCase().split(/\s+/).filter(Boolean)
  if (terms.length === 0) return [...rows]
  return rows
    .flatMap((row, order) => {
      const text = [row.who, row.sessionId ?? '', row.state, row.about, row.more].join('\n').toLowerCase()
      const scores = terms.map((term) => closeness(term, text))
      return scores.includes(null) ? [] : [{ row, order, score: scores.reduce<number>((sum, one) => sum + one!, 0) }]
    })
    .sort((a, b) => a.score - b.score || a.order - b.order)
    .map(({ row }) => row)
}

/** Letters may be this many times as far apart as they are in the word. */
const STRETCH = 3

/** 0: it is there as it is; else how many letters lie between its own. null: it is not there. */
export function closeness(term: string, text: string): number | null {
  if (text.includes(term)) return 0
  let best: number | null = null
  for (let from = text.indexOf(term[0]!); from !== -1; from = text.indexOf(term[0]!, from + 1)) {
    let at = from
    for (const letter of term.slice(1)) {
      at = text.indexOf(letter, at + 1)
      if (at === -1) return best
    }
    const between = at - from + 1 - term.length
    if (between <= term.length * (STRETCH - 1)) best = Math.min(best ?? between, between)
  }
  return best
}

/** The board as it is after a change of the stream. */
export function changeBoard(board: Board, change: BoardChange): Board {
  const { sessions, removed, ended, ...rest } = change
  const cards = new Map(board.sessions.map((card) => [card.id, card]))
  for (const id of removed) cards.delete(id)
  for (const card of sessions) cards.set(card.id, card)
  return { ...board, ...rest, sessions: [...cards.values()], ended: { ...board.ended, ...ended } }
}

/** `2 need you · 1 ready`: for a prompt or a bar. */
export function countsLine(counts: { needs: number; ready: number }): string {
  const parts = [
    ...(counts.needs > 0 ? [`${counts.needs} ${counts.needs === 1 ? 'needs' : 'need'} you`] : []),
    ...(counts.ready > 0 ? [`${counts.ready} ready`] : []),
  ]
  return parts.join(' · ')
}
