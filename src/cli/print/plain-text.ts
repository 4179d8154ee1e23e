// Other people's text on the user's screen: without control characters, measured in columns, cut to fit.

import { visibleLine } from '../../core/text/visible-text.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach the terminal
const ESCAPE_SEQUENCE = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\^_])/g
const CONTROLS = /[\p{Cc}\u2028\u2029]+/gu
const ASCII_ONLY = /^[\u0020-\u007e]*$/
/** Latin letters, dashes, quotes and the ellipsis: one column each, without consulting Unicode's tables. */
const ONE_COLUMN_EACH = /^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u024f\u2010-\u2027\u2030-\u203a]*$/

/** One safe line: a title can neither move the cursor nor hide part of itself. */
export function toOneLine(text: string): string {
  if (ASCII_ONLY.test(text)) return text
  const plain = text.replace(ESCAPE_SEQUENCE, '').replace(CONTROLS, ' ').replace(/ {2,}/g, ' ').trim()
  return visibleLine(plain)
}

export interface MeasuredLine {
  text: string
  /** In columns. */
  width: number
}

/** `toOneLine` and its width. A list of a thousand rows measures ten thousand of them, nearly all ASCII. */
export function measureLine(text: string): MeasuredLine {
  if (ASCII_ONLY.test(text)) return { text, width: text.length }
  const line = toOneLine(text)
  return { text: line, width: displayWidth(line) }
}

/** Like `toOneLine` for text of several lines: line breaks and tabs stay. */
export function toSafeLines(text: string): string {
  return text.split(/\r?\n/).map(keepTabs).join('\n')
}

/** Columns that the text occupies in a terminal. */
export function displayWidth(text: string): number {
  if (ONE_COLUMN_EACH.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes().segment(text)) width += graphemeWidth(segment)
  return width
}

/** At most `width` columns; cut text ends in `…`. */
export function truncate(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  if (width <= 0) return ''
  if (ONE_COLUMN_EACH.test(text)) return `${text.slice(0, width - 1).trimEnd()}…`
  let kept = ''
  let used = 0
  for (const { segment } of graphemes().segment(text)) {
    used += graphemeWidth(segment)
    if (used > width - 1) break
    kept += segment
  }
  return `${kept.trimEnd()}…`
}

/** A line in pieces of at most `width` columns; nothing of it is left out. */
export function wrapColumns(line: string, width: number): string[] {
  if (displayWidth(line) <= width) return [line]
  const pieces: string[] = []
  let piece = ''
  let used = 0
  for (const { segment } of graphemes().segment(line)) {
    const columns = graphemeWidth(segment)
    if (used + columns > width && piece !== '') {
      pieces.push(piece)
      piece = ''
      used = 0
    }
    piece += segment
    used += columns
  }
  return [...pieces, piece]
}

function keepTabs(line: string): string {
  return line
    .replace(ESCAPE_SEQUENCE, '')
    .split('\t')
    .map((part) => visibleLine(part.replace(CONTROLS, ' ')))
    .join('\t')
}

let segmenter: Intl.Segmenter | undefined

/** Created on first use: it costs several milliseconds, and most lines need none. */
function graphemes(): Intl.Segmenter {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return segmenter
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u

function graphemeWidth(grapheme: string): number {
  return WIDE.test(grapheme) ? 2 : 1
}
