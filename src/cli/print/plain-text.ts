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

/**
 * A line in pieces of at most `width` columns, in whatever terminal: one that knows nothing of joined characters draws each of them.
 * Nothing of the line is left out.
 */
export function wrapColumns(line: string, width: number): string[] {
  if (ONE_COLUMN_EACH.test(line) && line.length <= width) return [line]
  const pieces: string[] = []
  let piece = ''
  let used = 0
  for (const segment of drawnParts(line, width)) {
    const columns = mostColumns(segment)
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

/** Characters with their marks; a cluster that no line has room for, in parts. */
function* drawnParts(line: string, width: number): Generator<string> {
  for (const { segment } of graphemes().segment(line)) {
    if (mostColumns(segment) <= width) yield segment
    else yield* segment
  }
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
  /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1d300}-\u{1d376}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u
const NO_COLUMN = /[\p{Mn}\p{Me}\p{Cf}]/u
const EMOJI_STYLE = '\ufe0f'
const PICTURE = /\p{Extended_Pictographic}/u

/** Pictures that are joined are one picture. Of anything else, each part takes its own columns: clusters of letters have no end. */
function graphemeWidth(grapheme: string): number {
  if (PICTURE.test(grapheme)) return WIDE.test(grapheme) || grapheme.includes(EMOJI_STYLE) ? 2 : 1
  return mostColumns(grapheme)
}

function mostColumns(grapheme: string): number {
  let width = 0
  for (const character of grapheme) {
    if (WIDE.test(character)) width += 2
    else if (character === EMOJI_STYLE || !NO_COLUMN.test(character)) width += 1
  }
  return width
}
