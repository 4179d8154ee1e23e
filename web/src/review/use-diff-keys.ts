// Keys of the diff: n and p go to the next and previous file, j and k from line to line, c comments on the line under the
// pointer or with the focus, v marks the file as viewed and goes to the next one.
import { useShortcuts } from '../shell/use-shortcuts.ts'

export function useDiffKeys(): void {
  useShortcuts((key) => {
    const act = KEYS[key]
    act?.()
    return act !== undefined
  })
}

const FILES = '[data-diff-file] h2 button'
const LINES = '[data-diff-file] [data-add-comment]'

const KEYS: Record<string, () => void> = {
  n: () => step(FILES, 1),
  p: () => step(FILES, -1),
  j: () => step(LINES, 1),
  k: () => step(LINES, -1),
  c: comment,
  v: view,
}

function step(selector: string, by: 1 | -1): void {
  const all = [...document.querySelectorAll<HTMLElement>(selector)]
  const from = document.activeElement?.closest('[data-diff-file]') ? document.activeElement : null
  const next = from === null ? all[0] : neighbour(all, from, by)
  next?.focus({ preventScroll: true })
  next?.scrollIntoView({ block: selector === FILES ? 'start' : 'nearest', behavior: 'instant' })
}

/** In page order: the first after, or the last before the focused element. */
function neighbour(all: readonly HTMLElement[], from: Element, by: 1 | -1): HTMLElement | undefined {
  const wanted = by === 1 ? Node.DOCUMENT_POSITION_FOLLOWING : Node.DOCUMENT_POSITION_PRECEDING
  const others = all.filter((one) => one !== from && (from.compareDocumentPosition(one) & wanted) !== 0)
  return by === 1 ? others[0] : others.at(-1)
}

function view(): void {
  const focused = document.activeElement?.closest('[data-diff-file]')
  const file = focused ?? document.querySelector('[data-diff-file]:hover')
  const mark = file?.querySelector<HTMLInputElement>('[data-viewed]')
  if (!mark) return
  const isNew = !mark.checked
  mark.click()
  file?.querySelector<HTMLElement>('h2 button')?.focus({ preventScroll: true })
  if (isNew) step(FILES, 1)
}

/** The focused line, else the one under the pointer, else the first change of the focused file. */
function comment(): void {
  const focused = document.activeElement
  const ofFocus = focused?.matches(LINES) ? focused : null
  const hovered = document.querySelector('[data-diff-file] tr:hover [data-add-comment]')
  const first = (focused?.closest('[data-diff-file]') ?? document).querySelector(LINES)
  const button = ofFocus ?? hovered ?? first
  if (button instanceof HTMLElement) button.click()
}
