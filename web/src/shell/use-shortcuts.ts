// Single keys as shortcuts. Inactive while somebody types, while a dialog is open, and when switched off.
import { useEffect, useRef } from 'react'

const KEY = 'ao.shortcuts'
const MOVES = /^(?:[hjklnp]|Arrow\w+)$/

/** `handle` returns whether it consumed the key. */
export function useShortcuts(handle: (key: string) => boolean): void {
  const latest = useRef(handle)
  useEffect(() => {
    latest.current = handle
  })
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !areShortcutsOn()) return
      // A key that is held down moves on, and does nothing else.
      if (event.repeat && !MOVES.test(event.key)) return
      if (isTyping(event.target) || document.querySelector('dialog[open]')) return
      if (latest.current(event.key)) event.preventDefault()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
}

export function areShortcutsOn(): boolean {
  return localStorage.getItem(KEY) !== 'off'
}

export function switchShortcuts(on: boolean): void {
  if (on) localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, 'off')
}

/** These use the arrows too. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return (
    target.isContentEditable || target.closest('input, textarea, select, [role=tablist], [role=menu], .xterm') !== null
  )
}
