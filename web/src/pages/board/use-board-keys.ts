// The board by keyboard: moving between cards, and using a card's actions.
import { useEffect } from 'react'
import { useShortcuts } from '../../shell/use-shortcuts.ts'
import { sayUnheard } from '../../ui/overlay/toast.tsx'

const ACTS: Record<string, string> = { s: 'send', m: 'merge', x: 'kill', r: 'restore', p: 'pin' }

/** Where the focus was when the board was left. */
let lastCard: string | null = null

/** `onSpawn`: sessions can be started here. */
export function useBoardKeys({ onSpawn }: { onSpawn?: () => void } = {}): void {
  useEffect(() => {
    if (lastCard !== null)
      focusCard(document.querySelector<HTMLElement>(`[data-card="${lastCard}"]:not([data-gone])`) ?? undefined)
    const remember = () => {
      lastCard = currentCard()?.dataset.card ?? null
    }
    document.addEventListener('focusin', remember)
    return () => document.removeEventListener('focusin', remember)
  }, [])
  useShortcuts((key) => {
    if (key === 'n' && onSpawn) return done(onSpawn)
    if (key === '/') return focusFilter()
    if (key === 'j' || key === 'ArrowDown') return moveInColumn(1)
    if (key === 'k' || key === 'ArrowUp') return moveInColumn(-1)
    if (key === 'l' || key === 'ArrowRight') return moveToColumn(1)
    if (key === 'h' || key === 'ArrowLeft') return moveToColumn(-1)
    // Only ever for this once: the first option that begins with "allow" may mean always.
    if (key === 'y') return press('[data-answer="allow-once"]')
    return ACTS[key] ? press(`[data-act="${ACTS[key]}"]`) : false
  })
}

function done(act: () => void): true {
  act()
  return true
}

function focusFilter(): boolean {
  const field = document.querySelector<HTMLInputElement>('[data-filter]')
  field?.focus()
  return field !== null
}

function currentCard(): HTMLElement | null {
  return document.activeElement?.closest<HTMLElement>('[data-card]') ?? null
}

export function moveInColumn(step: number): boolean {
  const card = rowOf(currentCard())
  if (!card) return focusCard(visibleCards(document)[0])
  const cards = visibleCards(card.closest('[data-column]') ?? document)
  if (cards.includes(card)) return focusCard(cards[cards.indexOf(card) + step])
  // It has left the list and is only a shade: continue from where it is shown.
  const isBehind = (one: HTMLElement) => (card.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0
  return focusCard(step === 1 ? cards.find(isBehind) : cards.findLast((one) => !isBehind(one)))
}

/** To the card at the same height, in the next non-empty column. */
function moveToColumn(step: number): boolean {
  const card = currentCard()
  if (!card) return focusCard(visibleCards(document)[0])
  const columns = [...document.querySelectorAll<HTMLElement>('[data-column]')].filter(
    (one) => visibleCards(one).length > 0,
  )
  const own = columns.findIndex((column) => column.contains(card))
  const row = visibleCards(columns[own]!).indexOf(card)
  const next = columns[own + step]
  if (!next) return false
  const cards = visibleCards(next)
  return focusCard(cards[Math.min(row, cards.length - 1)])
}

function visibleCards(root: ParentNode): HTMLElement[] {
  return [...root.querySelectorAll<HTMLElement>('[data-card]:not([data-gone])')].filter(
    (card) => card.offsetParent !== null,
  )
}

export function focusFirstCard(): void {
  focusCard(visibleCards(document)[0])
}

export function focusCard(card: HTMLElement | undefined): boolean {
  if (!card) return false
  card.querySelector<HTMLElement>('[data-open]')?.focus()
  card.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  return true
}

/** In the queue the buttons of a row are on the open item beside the list, and its neighbours are those of the row. */
function rowOf(card: HTMLElement | null): HTMLElement | null {
  return card && (sameCardIn('queue', card) ?? card)
}

function sameCardIn(column: string, { dataset }: HTMLElement): HTMLElement | null {
  const cards = document.querySelectorAll<HTMLElement>(`[data-column="${column}"] [data-card]:not([data-gone])`)
  return [...cards].find((one) => one.dataset.card === dataset.card) ?? null
}

function press(selector: string): boolean {
  const card = currentCard()
  const button =
    card?.querySelector<HTMLButtonElement>(selector) ??
    (card && sameCardIn('open', card)?.querySelector<HTMLButtonElement>(selector))
  if (button && !button.disabled) button.click()
  else sayUnheard(card ? `${card.dataset.card} cannot do that now` : 'No session is chosen: j or / chooses one')
  return true
}
