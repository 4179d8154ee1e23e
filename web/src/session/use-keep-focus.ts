// Keeps the focus in place: when the focused card goes away, the next one of its list gets it; when there is none, the
// session's card, wherever it is then.
import { type RefObject, useLayoutEffect } from 'react'

export function useKeepFocus(part: RefObject<HTMLElement | null>, sessionId: string): void {
  useLayoutEffect(() => {
    const element = part.current
    return () => {
      if (!element?.contains(document.activeElement)) return
      const next = neighbourOf(element)
      requestAnimationFrame(() => {
        if (document.activeElement !== document.body) return
        const card = next?.isConnected ? next : document.querySelector(`[data-card="${sessionId}"]:not([data-gone])`)
        card?.querySelector<HTMLElement>('[data-open]')?.focus()
      })
    }
  }, [part, sessionId])
}

function neighbourOf(card: Element): Element | null {
  const cards = [...(card.parentElement?.querySelectorAll('[data-card]') ?? [])]
  const others = cards.filter((one) => one === card || !one.hasAttribute('data-gone'))
  const at = others.indexOf(card)
  return others[at + 1] ?? others[at - 1] ?? null
}
