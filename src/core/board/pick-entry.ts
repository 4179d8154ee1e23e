// Lists that open over the terminal board: what a search found, turns to go back to, operations to undo. Pure.
import { type BoardState, LISTING, type ModeOf, type Press, type Pressed } from './board-state.ts'

export function typeSearch(state: BoardState, text: string, { name }: Press): Pressed {
  if (name === 'escape') return { state: { ...state, ...LISTING } }
  if (name !== 'return') return { state: { ...state, mode: { kind: 'search', text } } }
  if (text.trim() === '') return { state: { ...state, note: 'There is nothing to search for yet.' } }
  return { state: { ...state, ...LISTING }, intent: { kind: 'search', text: text.trim() } }
}

/** `step`: how far the key moves; null: it is about something else. */
export function pickEntry(state: BoardState, mode: ModeOf<'pick'>, press: Press, step: number | null): BoardState {
  const { entries, index } = mode
  if (press.text === 'q') return { ...state, ...LISTING }
  if (press.name !== 'return') {
    const moved = Math.max(0, Math.min(entries.length - 1, index + (step ?? 0)))
    return { ...state, mode: { ...mode, index: moved }, note: '' }
  }
  const opens = entries[index]?.opens ?? 'There is nothing to open.'
  return typeof opens === 'string' ? { ...state, note: opens } : { ...state, mode: opens, note: '' }
}
