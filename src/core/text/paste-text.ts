// The text of a message made safe for a terminal, whatever it contains: it stays inside its paste, and it stays text. An agent's input
// line would run what follows a `!` at its beginning in a shell without a question, end the agent at `/quit` or a bare `exit`, take
// a backslash at its end and Enter for a line break, and let Enter pick a file after `@name`. Pure.

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

/**
 * An ordinary word in front, which everybody can see. Spaces are no protection: Claude Code 2.1.325 runs ` /quit`; and an
 * invisible mark would be text that nobody wrote and nobody sees.
 */
const PREFACE = 'Message: '

/** As a whole message these end some agents: Claude Code and Qwen Code leave at `exit` and `quit`. */
const LEAVING = /^(?:exit|quit|bye|logout|:q!?|:wq!?|:x)$/i

/** Enter after these breaks the line, or picks a completion, in some agents; none does so after a space, and all remove it. */
const OPEN_END = /\\$|(?:^|\s)[@/#$][^\s]*$/

/** Control characters, invisible marks, accents without a letter, fillers: ao, a terminal or an agent may remove them. */
const REMOVABLE = /(?![\t\n\r])[\p{C}\p{M}\u115f\u1160\u3164\uffa0]/gu

/**
 * What is entered. `commands`: what this agent's input line treats as a command when a message begins with it. It is judged by
 * what may be left of it, so that no invisible character hides a command.
 */
export function enterAsText(text: string, commands: string): string {
  const left = text.replace(REMOVABLE, '')
  const first = left.trimStart().slice(0, 1)
  const isCommand = (first !== '' && commands.includes(first)) || LEAVING.test(left.trim())
  return `${isCommand ? withPreface(text) : text}${OPEN_END.test(left) ? ' ' : ''}`
}

export function withPreface(text: string): string {
  return `${PREFACE}${text}`
}

/** The message itself, as it was sent, in what an agent recorded or shows of it. */
export function withoutPreface(line: string): string {
  return line.startsWith(PREFACE) ? line.slice(PREFACE.length) : line
}

/** Direction, width and joining marks, and tags: invisible characters. Joiners inside emoji stay. */
const INVISIBLE = /(?![\u200c\u200d])\p{Cf}/gu

export function withoutInvisible(text: string): string {
  return text.replace(INVISIBLE, '')
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
