// The text of a message made safe for a terminal: it stays inside its paste, whatever it contains.

/** Everything that a terminal could interpret as a command: C0 except tab and newline, DEL, and C1. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

export const PASTE_START = '\u001b[200~'
export const PASTE_END = '\u001b[201~'

/**
 * Line ends become LF and control characters are removed, so that no text can end its own bracketed paste or press a key.
 */
export function neutralisePaste(text: string): string {
  return text.toWellFormed().replaceAll(/\r\n?/g, '\n').replaceAll(CONTROL_CHARACTERS, '')
}

/** How many characters that takes out. */
export function countRemoved(text: string): number {
  return text.replaceAll(/\r\n?/g, '\n').length - neutralisePaste(text).length
}

// When Enter may follow a paste. Terminal agents treat an Enter that comes too soon as part of the pasted text.

export interface PasteProgress {
  /** Length of the pasted text. */
  bytes: number
  sincePasteMs: number
  /** Since the last change of the screen after the paste; null while it has not changed. */
  sinceChangeMs: number | null
}

/** Real agents were observed to need a 0.3 s pause between the paste and the Enter. */
const QUIET_MS = 300
/** An application that echoes nothing shows no change to wait for. */
const NO_ECHO_MS = 1_000
/** A screen that never settles (a spinner) must not hold the message back. */
const RESTLESS_MS = 1_500
const RESTLESS_BYTES_PER_MS = 50

export function isPasteSettled(progress: PasteProgress): boolean {
  const { bytes, sincePasteMs, sinceChangeMs } = progress
  if (sinceChangeMs === null) return sincePasteMs >= NO_ECHO_MS
  if (sinceChangeMs >= QUIET_MS) return true
  return sincePasteMs >= RESTLESS_MS + bytes / RESTLESS_BYTES_PER_MS
}
