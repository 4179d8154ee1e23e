// Whether one message, prompt or piece of a terminal is what was searched for, and the line of it to show.
import { showHidden } from '../text/show-hidden.ts'
import { findTerm, foldText } from './fold-text.ts'
import type { SearchQuery } from './parse-query.ts'

/** A piece of text that is found as one. */
export interface Unit {
  text: string
  /** Milliseconds; null: unknown. */
  at: number | null
  /** Of a conversation's message; null elsewhere. */
  sequence: number | null
  /** Paths that it changed or named. */
  files: readonly string[]
}

const BEFORE = 40
const LENGTH = 160

/** null: it is not what was searched for. */
export function excerptOf(unit: Unit, query: SearchQuery): string | null {
  if (query.file !== null && !unit.files.some((path) => path.endsWith(query.file!))) return null
  if (query.before !== null && (unit.at ?? 0) >= query.before) return null
  if (query.after !== null && (unit.at ?? 0) < query.after) return null
  const text = `${unit.text}\n${unit.files.join('\n')}`
  const folded = foldText(text)
  const phrases = query.phrases.map((phrase) => folded.indexOf(foldText(phrase)))
  const terms = query.terms.map((term) => findTerm(folded, term))
  if ([...phrases, ...terms].includes(-1)) return null
  return excerptAt(text, phrases[0] ?? terms[0] ?? 0)
}

/** One line, with nothing in it that could control a terminal. */
function excerptAt(text: string, at: number): string {
  const start = Math.max(0, at - BEFORE)
  const from = start === 0 ? 0 : start + (/\s/.exec(text.slice(start, at))?.index ?? 0)
  const shown = text
    .slice(from, from + LENGTH)
    .replace(/\s+/g, ' ')
    .trim()
  return `${from === 0 ? '' : '… '}${showHidden(shown)}${from + LENGTH < text.length ? ' …' : ''}`
}
