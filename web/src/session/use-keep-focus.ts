// Keeps the keyboard where it was: when what has the focus goes away, the session's card gets it, wherever it is then.
import { type RefObject, useLayoutEffect } from 'react'

export function useKeepFocus(part: RefObject<HTMLElement | null>, sessionId: string): void {
  useLayoutEffect(() => {
    const element = part.current
    return () => {
      if (!element?.contains(document.activeElement)) return
      requestAnimationFrame(() => {
        if (document.activeElement !== document.body) return
        document.querySelector<HTMLElement>(`[data-card="${sessionId}"] [data-open]`)?.focus()
      })
    }
  }, [part, sessionId])
}
