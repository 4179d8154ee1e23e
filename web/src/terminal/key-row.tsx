// Keys that a phone's keyboard does not have, for typing into a terminal.
import type { Screen } from './create-screen.ts'

const KEYS = [
  ['Esc', 'Escape', '\u001b'],
  ['Tab', 'Tab', '\t'],
  ['Ctrl-C', 'Control C', '\u0003'],
  ['←', 'Left', 'D'],
  ['↑', 'Up', 'A'],
  ['↓', 'Down', 'B'],
  ['→', 'Right', 'C'],
  ['⏎', 'Enter', '\r'],
] as const

interface Props {
  screen: Screen
  type(text: string): void
}

export function KeyRow({ screen, type }: Props) {
  const send = (key: string) => {
    const isArrow = /^[A-D]$/.test(key)
    const before = screen.terminal.modes.applicationCursorKeysMode ? '\u001bO' : '\u001b['
    type(isArrow ? before + key : key)
  }
  return (
    <div role="toolbar" aria-label="Keys" className="flex gap-1 overflow-x-auto border-t p-1.5 sm:pointer-fine:hidden">
      {KEYS.map(([name, label, key]) => (
        <button
          key={name}
          type="button"
          aria-label={label}
          className="min-h-11 min-w-9 shrink-0 flex-1 rounded-md border border-line-strong bg-surface px-1 text-xs whitespace-nowrap text-ink active:bg-hover"
          // The keyboard stays open: the terminal keeps the focus.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => send(key)}
        >
          {name}
        </button>
      ))}
    </div>
  )
}
