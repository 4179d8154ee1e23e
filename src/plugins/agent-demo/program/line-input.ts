// The message being typed: edits it, submits it on Enter, and knows what Ctrl-C means when nothing is typed.
import type { Key } from './terminal-keys.ts'

const QUIT_WITHIN_MS = 2_000

export interface LineInputHandlers {
  submit(text: string): void
  changed(typed: string): void
  /** false: there was nothing to interrupt. */
  interrupt(): boolean
  note(text: string): void
  quit(): void
}

export function createLineInput(on: LineInputHandlers): { press(key: Key): void; typed(): string } {
  let line = ''
  let warnedAt = Number.NEGATIVE_INFINITY
  const set = (text: string) => {
    line = text
    on.changed(line)
  }
  const interrupt = () => {
    if (line !== '') return set('')
    if (on.interrupt()) return
    if (performance.now() - warnedAt < QUIT_WITHIN_MS) return on.quit()
    warnedAt = performance.now()
    on.note('Press Ctrl-C again to quit.')
  }
  const enter = () => {
    const text = line
    set('')
    if (text.trim() !== '') on.submit(text.startsWith('/') ? text.trim() : text)
  }
  return {
    typed: () => line,
    press(key) {
      if (key.type === 'text' || key.type === 'paste') set(line + key.text)
      else if (key.type === 'backspace') set([...line].slice(0, -1).join(''))
      else if (key.type === 'clear') set('')
      else if (key.type === 'enter') enter()
      else if (key.type === 'interrupt') interrupt()
      else if (line === '') on.quit()
    },
  }
}
