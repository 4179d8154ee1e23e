// Is a message that we sent the one that an agent recorded? Agents re-wrap, trim and join what is entered, compose letters
// and remove invisible marks. Pure.
import { withoutPreface } from '../../core/text/paste-text.ts'

/** Shorter texts ("yes") occur inside others by chance, so they must be a whole line. */
const CHANCE_LENGTH = 24

/** true: `recorded` is this message, or contains it. Whitespace and invisible marks are ignored. */
export function holdsMessage(recorded: string, message: string): boolean {
  return messageFinder(message)(recorded)
}

/** For many records: a long message is prepared once. */
export function messageFinder(message: string): (recorded: string) => boolean {
  const wanted = normalise(message)
  return (recorded) => wanted !== '' && holds(recorded, wanted)
}

function holds(recorded: string, wanted: string): boolean {
  const found = normalise(recorded)
  if (found === wanted || normalise(withoutPreface(recorded)) === wanted) return true
  if (wanted.length >= CHANCE_LENGTH) return found.includes(wanted)
  return recorded
    .split(/\r\n|\r|\n/)
    .some((line) => normalise(withoutPreface(line)) === wanted || normalise(line) === wanted)
}

function normalise(text: string): string {
  return text
    .normalize('NFC')
    .replace(/\p{Cf}|\ufe0e|\ufe0f/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
}
