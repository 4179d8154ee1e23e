// Keys that answer an agent's request or confirm a change: only what is on the screen, in full and long enough to be read. Pure.
import type { PermissionChoice, PermissionRequest } from '../../contract/permission.ts'
import {
  type BoardState,
  type BoardView,
  type Drawn,
  type Intent,
  LISTING,
  type ModeOf,
  type Press,
  type Pressed,
} from './board-state.ts'

/** Nobody reads faster; a key that comes sooner was meant for something else. */
const READING_MS = 400

/** null: the key is not about the answer. */
export function answerRequest(state: BoardState, mode: ModeOf<'ask'>, press: Press, view: BoardView): Pressed | null {
  const { sessionId, request } = mode
  const { text, name } = press
  if (name === 'return') return { state: { ...state, ...LISTING }, intent: { kind: 'join', sessionId } }
  if (!/^[yn1-9]$/.test(text)) return null
  const option = chosenOption(request.options, text)
  const why = option === null ? NO_SUCH : (refusal(mode, press, view) ?? refuseOption(mode, option))
  if (why !== null || option === null) return { state: { ...state, note: why ?? NO_SUCH } }
  const { requestId, askedAt } = request
  const { optionId, name: chosen } = option
  const intent: Intent = { kind: 'answer', sessionId, requestId, askedAt, optionId, name: chosen }
  return { state: { ...state, ...LISTING }, intent }
}

const NO_SUCH = 'The agent offers no such answer: choose one of its own by its number.'

function chosenOption(options: readonly PermissionChoice[], text: string): PermissionChoice | null {
  const decision = text === 'y' ? 'allow-once' : text === 'n' ? 'reject-once' : null
  if (decision === null) return options[Number(text) - 1] ?? null
  return options.find((option) => option.decision === decision) ?? null
}

function refusal({ sessionId, request, drawn }: ModeOf<'ask'>, press: Press, view: BoardView): string | null {
  const pending = view.card(sessionId)?.permissions.find(({ requestId }) => requestId === request.requestId)
  if (pending === undefined || contentOf(pending) !== contentOf(request))
    return 'This is no longer asked: nothing was answered.'
  return tooSoon(drawn, press, view)
}

function refuseOption({ request, drawn }: ModeOf<'ask'>, { decision, name }: PermissionChoice): string | null {
  if (decision === 'reject-once') return null
  if (decision?.endsWith('-always'))
    return `“${name}” holds for more than this request: answer it with ao session approve --always.`
  if (request.isCut || request.diffsOmitted)
    return 'Not all of it can be read here: Enter attaches, and you answer there.'
  return drawn !== null && drawn.readTo >= drawn.total ? null : 'Read it to its end first: Page Down.'
}

/** Times are left out: they change while the question stays the same. */
function contentOf({ askedAt: _asked, expiresAt: _expires, ...content }: PermissionRequest): string {
  return JSON.stringify(content, sortedKeys)
}

function sortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** A key that was on its way before the question was there is no answer to it. */
function tooSoon(drawn: Drawn | null, { inBurst }: Press, { now }: BoardView): string | null {
  if (inBurst) return 'Several keys came at once, so none of them counts.'
  return drawn === null || now - drawn.since < READING_MS ? 'That was too quick: press it again.' : null
}

export function confirm(state: BoardState, mode: ModeOf<'confirm'>, press: Press, view: BoardView): Pressed {
  if (press.text !== 'y') return { state: { ...state, ...LISTING, note: 'Nothing was done.' } }
  const why = tooSoon(mode.drawn, press, view)
  if (why !== null) return { state: { ...state, note: why } }
  return { state: { ...state, ...LISTING }, intent: mode.change }
}
