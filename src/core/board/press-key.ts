// What a key on the terminal board means: the next state, and what is to be done. Pasted text is text and presses no key. Pure.
import type { SessionCard } from '../../contract/dashboard/cards.ts'
import { neutralisePaste } from '../text/paste-text.ts'
import { answerRequest, confirm } from './answer-key.ts'
import { BOARD_LISTS, type BoardList, type BoardRow } from './board-rows.ts'
import {
  type BoardState,
  type BoardView,
  type Confirmed,
  chosenRow,
  FIRST,
  type Intent,
  type KeyPress,
  LISTING,
  type Mode,
  type ModeOf,
  type Press,
  type Pressed,
  type ShownHead,
} from './board-state.ts'
import { expandAction, type OwnAction } from './own-actions.ts'
import { paletteEntries } from './palette.ts'
import { pickEntry, typeSearch } from './pick-entry.ts'

export function pressKey(state: BoardState, press: KeyPress, view: BoardView): Pressed {
  const { mode } = state
  if (press.kind === 'paste') return { state: paste(state, press.text) }
  if (press.ctrl && press.name === 'c') return { state, intent: { kind: 'quit' } }
  if (mode.kind === 'filter') return { state: typeFilter(state, press) }
  if (mode.kind === 'palette') return typePalette(state, mode, press, view)
  if (mode.kind === 'peek') return typeReply(state, mode, press, view)
  if (mode.kind === 'search') return typeSearch(state, typeInto(mode.text, press) ?? mode.text, press)
  if (press.name === 'escape')
    return { state: { ...state, ...LISTING, filter: mode.kind === 'list' ? '' : state.filter } }
  if (mode.kind === 'help') return { state: { ...state, ...LISTING } }
  if (mode.kind === 'ask') return answerRequest(state, mode, press, view) ?? { state: scroll(state, mode, press, view) }
  if (mode.kind === 'confirm') return confirm(state, mode, press, view)
  if (mode.kind === 'pick') return { state: pickEntry(state, mode, press, stepOf(press, view.page)) }
  if (mode.kind === 'page')
    return { state: press.name === 'q' ? { ...state, ...LISTING } : scroll(state, mode, press, view) }
  return choose(state, press, view)
}

function paste(state: BoardState, text: string): BoardState {
  const { mode } = state
  const clean = neutralisePaste(text)
  if (mode.kind === 'peek') return { ...state, mode: { ...mode, text: mode.text + clean } }
  if (mode.kind === 'filter') return { ...state, filter: state.filter + clean.replaceAll(/\s+/g, ' ') }
  if (mode.kind === 'search') return { ...state, mode: { ...mode, text: mode.text + clean.replaceAll(/\s+/g, ' ') } }
  return { ...state, note: 'Pasted text presses no key here.' }
}

function typeFilter(state: BoardState, press: Press): BoardState {
  const { filter } = state
  if (press.name === 'escape') return { ...state, ...LISTING, filter: '' }
  if (press.name === 'return' || press.name === 'down') return { ...state, ...LISTING }
  const chosen = { ...state.chosen, [state.list]: FIRST }
  return { ...state, chosen, filter: typeInto(filter, press) ?? filter }
}

/** Enter does what the key of the chosen entry does on the list, with all its questions. */
function typePalette(state: BoardState, mode: ModeOf<'palette'>, press: Press, view: BoardView): Pressed {
  const entries = paletteEntries(view.actions, mode.text)
  if (press.name === 'escape') return { state: { ...state, ...LISTING } }
  if (press.name === 'return') {
    const entry = entries[mode.index]
    if (!entry) return { state: { ...state, note: 'No action is called that.' } }
    const text = entry.key.length === 1 ? entry.key : ''
    return choose({ ...state, ...LISTING }, { ...press, name: entry.key, text, ctrl: false, meta: false }, view)
  }
  const isDown = press.name === 'down' || (press.ctrl && press.name === 'n')
  const isUp = press.name === 'up' || (press.ctrl && press.name === 'p')
  if (isDown || isUp) {
    const index = Math.max(0, Math.min(entries.length - 1, mode.index + (isDown ? 1 : -1)))
    return { state: { ...state, mode: { ...mode, index } } }
  }
  const text = typeInto(mode.text, press)
  return { state: text === null ? state : { ...state, mode: { kind: 'palette', text, index: 0 }, note: '' } }
}

/** null: the key is not about the text. */
function typeInto(text: string, { name, text: typed, ctrl, meta }: Press): string | null {
  if (name === 'backspace') return [...text].slice(0, -1).join('')
  if (ctrl && name === 'u') return ''
  if (ctrl && name === 'w') return text.slice(0, text.trimEnd().lastIndexOf(' ') + 1)
  return ctrl || meta || typed === '' || /\p{Cc}/u.test(typed) ? null : text + typed
}

function typeReply(state: BoardState, mode: ModeOf<'peek'>, press: Press, view: BoardView): Pressed {
  const { sessionId, text } = mode
  if (press.name === 'escape') return { state: { ...state, ...LISTING } }
  const isLineBreak = press.name === 'enter' || (press.name === 'return' && (press.meta || press.inBurst))
  if (isLineBreak) return { state: { ...state, mode: { ...mode, text: `${text}\n` } } }
  if (press.name === 'return') {
    if (text.trim() === '') return { state: { ...state, note: 'There is nothing to send yet.' } }
    const { review } = mode
    const given = { sessionId, text: text.trim() }
    const intent: Intent = review
      ? { kind: 'request', sha: review.sha, url: review.url, ...given }
      : { kind: 'send', ...given }
    return { state: { ...state, ...LISTING }, intent }
  }
  const next = typeInto(text, press)
  return { state: next === null ? scroll(state, mode, press, view) : { ...state, mode: { ...mode, text: next } } }
}

function scroll(state: BoardState, mode: Extract<Mode, { top: number }>, press: Press, view: BoardView): BoardState {
  const step = stepOf(press, view.page)
  return step === null ? state : { ...state, mode: { ...mode, top: Math.max(0, mode.top + step) } }
}

function stepOf({ name, text }: Press, page: number): number | null {
  if (name === 'down' || text === 'j') return 1
  if (name === 'up' || text === 'k') return -1
  if (name === 'pagedown' || name === 'space') return page
  if (name === 'pageup') return -page
  if (name === 'home' || text === 'g') return Number.NEGATIVE_INFINITY
  return name === 'end' || text === 'G' ? Number.MAX_SAFE_INTEGER : null
}

function choose(state: BoardState, press: Press, view: BoardView): Pressed {
  const { rows } = view
  const row = chosenRow(state, rows)
  const list = nextList(state.list, press)
  if (list !== null) return { state: { ...state, list, note: '' } }
  const step = press.name === 'space' ? null : stepOf(press, view.page)
  if (step !== null) return { state: { ...state, ...moved(state, rows, step), note: '' } }
  if (press.text === 'q') return { state, intent: { kind: 'quit' } }
  if (press.text === '/') return { state: { ...state, mode: { kind: 'filter' }, note: '' } }
  if (press.text === ':' || (press.ctrl && press.name === 'p'))
    return { state: { ...state, mode: { kind: 'palette', text: '', index: 0 }, note: '' } }
  if (press.text === '?') return { state: { ...state, mode: { kind: 'help' }, note: '' } }
  if (press.text === 's') return { state: { ...state, mode: { kind: 'search', text: '' }, note: '' } }
  if (press.text === 'u') return { state: { ...state, note: '' }, intent: { kind: 'log' } }
  // Without a question, as on the page: nothing is lost by it.
  if (press.text === '!') return { state: { ...state, note: '' }, intent: { kind: view.isPaused ? 'resume' : 'pause' } }
  const own = view.actions.find(({ key }) => key === press.text)
  const act = own ? (card: SessionCard) => ownAct(own, card) : ACTS[isNamed(press) ? press.name : press.text]
  if (act === undefined) return { state }
  const card = row?.sessionId ? view.card(row.sessionId) : null
  if (card === null) return { state: { ...state, note: 'No session belongs to this row.' } }
  const meant = act(card)
  if (typeof meant === 'string') return { state: { ...state, note: meant } }
  // The row stays chosen, whatever moves meanwhile.
  const kept = { ...state, ...moved(state, rows, 0), note: '' }
  return 'mode' in meant ? { state: { ...kept, mode: meant.mode } } : { state: kept, intent: meant.intent }
}

function isNamed({ name }: Press): boolean {
  return name === 'return' || name === 'space'
}

function nextList(list: BoardList, { name, text, meta }: Press): BoardList | null {
  if (/^[1-4]$/.test(text)) return BOARD_LISTS[Number(text) - 1]!
  const step =
    name === 'tab' || name === 'right' ? 1 : name === 'left' || name === 'backtab' ? BOARD_LISTS.length - 1 : 0
  return step === 0 || meta ? null : BOARD_LISTS[(BOARD_LISTS.indexOf(list) + step) % BOARD_LISTS.length]!
}

function moved(state: BoardState, rows: readonly BoardRow[], step: number): Pick<BoardState, 'chosen'> {
  const row = chosenRow(state, rows)
  const from = row === null ? 0 : rows.indexOf(row)
  const index = Math.max(0, Math.min(rows.length - 1, from + step))
  return { chosen: { ...state.chosen, [state.list]: { key: rows[index]?.key ?? null, index } } }
}

type Meant = { mode: Mode } | { intent: Intent } | string

/** The same keys as in `ao next` where both have them. */
const ACTS: Readonly<Record<string, (card: SessionCard) => Meant>> = {
  return: ({ id, can }) =>
    can.view === null ? `${id} has nothing to attach to.` : { intent: { kind: 'join', sessionId: id } },
  space: (card) => ask(card) ?? peek(card),
  a: peek,
  y: (card) => ask(card) ?? `${card.id} asks for no permission.`,
  n: (card) => ask(card) ?? `${card.id} asks for no permission.`,
  i: ({ id }) => toConfirm({ kind: 'interrupt', sessionId: id }),
  x: ({ id, can }) => (can.kill ? toConfirm({ kind: 'kill', sessionId: id }) : `${id} is not running.`),
  b: ({ id, can }) =>
    can.restore || can.start ? toConfirm({ kind: 'restore', sessionId: id }) : `${id} cannot be brought back now.`,
  m: (card) => {
    const head = card.can.merge ? shownHead(card) : null
    return head
      ? toConfirm({ kind: 'merge', sessionId: card.id, ...head })
      : `${card.id} has nothing that can be merged.`
  },
  o: (card) => {
    const review = headToReview(card)
    return review ? toConfirm({ kind: 'approve', sessionId: card.id, ...review }) : nothingToReview(card)
  },
  c: (card) => {
    const review = headToReview(card)
    return review ? { mode: { ...replyTo(card), review } } : nothingToReview(card)
  },
  v: ({ id }) => ({ intent: { kind: 'diff', sessionId: id } }),
  t: ({ id }) => ({ intent: { kind: 'turns', sessionId: id } }),
  p: ({ id }) => ({ intent: { kind: 'pin', sessionId: id } }),
  z: ({ id, need }) =>
    need?.acts.includes('snooze')
      ? { intent: { kind: 'snooze', sessionId: id, need: need.kind } }
      : `${id} needs nothing that can be put off.`,
}

function ask({ id, permissions, need }: SessionCard): Meant | null {
  const request = permissions.find(({ requestId }) => requestId === need?.requestId) ?? permissions[0]
  return request === undefined ? null : { mode: { kind: 'ask', sessionId: id, request, top: 0, drawn: null } }
}

function peek(card: SessionCard): Meant {
  return { mode: replyTo(card) }
}

function replyTo({ id }: SessionCard): ModeOf<'peek'> {
  return { kind: 'peek', sessionId: id, text: '', top: Number.MAX_SAFE_INTEGER }
}

/** A verdict is about one commit: the head that the card has now. */
function headToReview(card: SessionCard): ShownHead | null {
  return card.pr?.state === 'open' ? shownHead(card) : null
}

function shownHead({ pr }: SessionCard): ShownHead | null {
  return pr?.headSha ? { sha: pr.headSha, url: pr.url, name: pr.title ?? pr.url } : null
}

function nothingToReview({ id }: SessionCard): string {
  return `${id} has no open pull request whose head is known.`
}

function ownAct(action: OwnAction, card: SessionCard): Meant {
  const argv = expandAction(action, card)
  return typeof argv === 'string' ? argv : toConfirm({ kind: 'own', sessionId: card.id, name: action.name, argv })
}

function toConfirm(change: Confirmed): Meant {
  return { mode: { kind: 'confirm', change, drawn: null } }
}
