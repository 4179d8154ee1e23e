// The terminal board as data: which list, which row, what is open over it, and what of that was really on the screen. Pure.
import type { SessionCard } from '../../contract/dashboard/cards.ts'
import type { NeedKind } from '../../contract/dashboard/needs.ts'
import type { PermissionRequest } from '../../contract/permission.ts'
import type { BoardList, BoardRow } from './board-rows.ts'
import type { OwnAction } from './own-actions.ts'

export type KeyPress =
  /** `name` as Node's readline calls it, or the character. `inBurst`: others came with it, as from a paste. */
  | { kind: 'key'; name: string; text: string; ctrl: boolean; meta: boolean; inBurst: boolean }
  | { kind: 'paste'; text: string }

/** Of a pull request, as it was on the screen. */
export interface ShownHead {
  sha: string
  url: string
  name: string
}

/** Changes that are confirmed with the session's name on the screen. */
export type Confirmed =
  | { kind: 'kill' | 'interrupt' | 'restore'; sessionId: string }
  /** Exactly this head of exactly this pull request. */
  | ({ kind: 'merge'; sessionId: string } & ShownHead)
  | ({ kind: 'approve'; sessionId: string } & ShownHead)
  | { kind: 'rewind'; sessionId: string; turn: number; about: string }
  /** Exactly this operation of `ao log`. */
  | { kind: 'undo'; sessionId: string; operation: string; what: string; command: string }
  /** Exactly these words. */
  | { kind: 'own'; sessionId: string; name: string; argv: string[] }

/** Reads something, and opens it. */
export type Opening =
  | { kind: 'diff' | 'turns'; sessionId: string }
  | { kind: 'search'; text: string }
  /** What people did, to undo it. */
  | { kind: 'log' }

export type Intent =
  | { kind: 'quit' }
  /** The red button: every agent, of all repositories. */
  | { kind: 'pause' | 'resume' }
  | { kind: 'join'; sessionId: string }
  | Opening
  | { kind: 'pin'; sessionId: string }
  /** Of exactly this need; another one calls again. */
  | { kind: 'snooze'; sessionId: string; need: NeedKind }
  | { kind: 'answer'; sessionId: string; requestId: string; askedAt: string; optionId: string; name: string }
  | { kind: 'send'; sessionId: string; text: string }
  /** Changes of exactly this head. */
  | { kind: 'request'; sessionId: string; sha: string; url: string; text: string }
  | Confirmed

/** What the terminal has shown of a text: all lines before `readTo` of `total`, and since when nothing more of it. */
export interface Drawn {
  readTo: number
  total: number
  since: number
}

export type Mode =
  | { kind: 'list' }
  | { kind: 'filter' }
  | { kind: 'help' }
  /** `index`: of the entries that match the text. */
  | { kind: 'palette'; text: string; index: number }
  | { kind: 'ask'; sessionId: string; request: PermissionRequest; top: number; drawn: Drawn | null }
  /** `review`: the text says what has to change in this head. */
  | { kind: 'peek'; sessionId: string; text: string; top: number; review?: ShownHead }
  | { kind: 'confirm'; change: Confirmed; drawn: Drawn | null }
  | { kind: 'search'; text: string }
  | { kind: 'pick'; title: string; entries: readonly Entry[]; index: number }
  | { kind: 'page'; title: string; text: string; top: number }

export interface Entry {
  what: string
  /** Or why nothing does. */
  opens: Mode | string
}

export interface BoardState {
  list: BoardList
  /** The chosen row of each list. */
  chosen: Readonly<Record<BoardList, { key: string | null; index: number }>>
  filter: string
  mode: Mode
  /** What was done last, or why not. */
  note: string
}

/** What is on the screen. */
export interface BoardView {
  rows: readonly BoardRow[]
  card(sessionId: string): SessionCard | null
  actions: readonly OwnAction[]
  /** Everything is, by the red button. */
  isPaused: boolean
  now: number
  /** Lines of a page. */
  page: number
}

export interface Pressed {
  state: BoardState
  intent?: Intent
}

export type Press = Extract<KeyPress, { kind: 'key' }>
export type ModeOf<K extends Mode['kind']> = Extract<Mode, { kind: K }>

export const FIRST = { key: null, index: 0 }

/** Nothing is open. */
export const LISTING: Pick<BoardState, 'mode' | 'note'> = { mode: { kind: 'list' }, note: '' }

export function firstState(list: BoardList = 'queue'): BoardState {
  const chosen = { queue: FIRST, sessions: FIRST, pulls: FIRST, train: FIRST }
  return { list, chosen, filter: '', mode: { kind: 'list' }, note: '' }
}

/** The chosen row; where that is gone, the one in its position. */
export function chosenRow({ list, chosen }: BoardState, rows: readonly BoardRow[]): BoardRow | null {
  const { key, index } = chosen[list]
  return rows.find((row) => row.key === key) ?? rows[Math.min(index, rows.length - 1)] ?? null
}

/** Which lines of the open text are on the screen. */
export interface ShownPart {
  top: number
  bottom: number
  total: number
}

/** After each drawing: what was shown, and how far the text can really be scrolled. */
export function noteDrawn(state: BoardState, shown: ShownPart, now: number): BoardState {
  const { mode } = state
  if (mode.kind === 'peek' || mode.kind === 'page') return { ...state, mode: { ...mode, top: shown.top } }
  if (mode.kind === 'confirm')
    return { ...state, mode: { ...mode, drawn: mode.drawn ?? { readTo: 0, total: 0, since: now } } }
  return mode.kind === 'ask'
    ? { ...state, mode: { ...mode, top: shown.top, drawn: drawOn(mode.drawn, shown, now) } }
    : state
}

/** Lines that were jumped over are not read; in another width all of them are others. */
function drawOn(before: Drawn | null, { top, bottom, total }: ShownPart, now: number): Drawn {
  const drawn = before?.total === total ? before : { readTo: 0, total, since: now }
  return top > drawn.readTo || bottom <= drawn.readTo ? drawn : { readTo: bottom, total, since: now }
}
