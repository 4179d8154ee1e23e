// Secrets in what a program draws. Sequences that move and colour are kept: a pattern that ran across one would swallow it,
// and the rest of the screen would be drawn in the wrong place.
import { redact } from '../text/redact.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const SEQUENCE = /(\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~]))/

export function redactOutput(text: string, secrets: readonly string[]): string {
  // Known values first, wherever they are: they are exact.
  const parts = text.split(SEQUENCE)
  if (parts.length === 1) return redact(text, secrets)
  return parts.map((part, index) => (index % 2 === 0 ? redactText(part, secrets) : redactTitle(part, secrets))).join('')
}

/** Shorter text cannot be a secret, and most pieces between two sequences are short. */
const SHORTEST = 8

function redactText(text: string, secrets: readonly string[]): string {
  return text.length < SHORTEST ? text : redact(text, secrets)
}

/** Sequences with text inside: titles, links, the clipboard. */
function redactTitle(sequence: string, secrets: readonly string[]): string {
  return sequence.length < 2 * SHORTEST || !/^.[\]PX^_]/.test(sequence) ? sequence : redact(sequence, secrets)
}

/** How much of the end waits for what follows it: a word that is not over may be half a secret. */
const LONGEST_WAITING = 256

/** `[now, later]` */
export function splitUnfinished(text: string): [string, string] {
  const end = Math.max(text.lastIndexOf(' '), text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1
  return text.length - end > LONGEST_WAITING ? [text, ''] : [text.slice(0, end), text.slice(end)]
}
