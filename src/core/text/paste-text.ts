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
