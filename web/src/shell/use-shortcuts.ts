// Single keys as shortcuts. Inactive while somebody types, while a dialog is open, and when switched off.
import { useEffect, useRef } from 'react'

const KEY = 'ao.shortcuts'
const MOVES = /^(?:[hjklnp]|Arrow\w+)$/

/** After `g` another key goes somewhere, and does nothing else. */
const PREFIX_MS = 2_000
let last: { event: KeyboardEvent | null; isAfterPrefix: boolean } = { event: null, isAfterPrefix: false }

/** `handle` returns whether it consumed the key. `after`: only right after `g`; by default only without it. */
export function useShortcuts(handle: (key: string) => boolean, { after }: { after?: 'g' } = {}): void {
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
      if (isAfterPrefix(event) === (after === 'g') && latest.current(event.key)) event.preventDefault()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [after])
}

/** The same answer for everybody who hears of this key. */
function isAfterPrefix(event: KeyboardEvent): boolean {
  if (event !== last.event) {
    const { event: before, isAfterPrefix: wasSecond } = last
    const isPrefixed = before?.key === 'g' && !wasSecond && event.timeStamp - before.timeStamp < PREFIX_MS
    last = { event, isAfterPrefix: isPrefixed }
  }
  return last.isAfterPrefix
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
