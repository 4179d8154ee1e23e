// A menu as terminal agents draw it: numbered options below each other, one of them marked. Pure.
import type { ScreenDialog } from '../../../contract/dialog.ts'
import { labelDecision } from './label-decision.ts'

export interface Menu {
  dialog: ScreenDialog
  /** Index of the line of its last option. */
  lastLine: number
}

interface Row {
  line: number
  number: number
  label: string
  marked: boolean
}

const ROW = /^[\s│┃|]*([❯›●▶→>]?)\s*(\d{1,2})[.)]\s+(\S.*?)[\s│┃|]*$/
/** A long label continues in the next line, and some options have a line of explanation. */
const MAX_LINES_BETWEEN = 3
const MAX_TITLE_LINES = 14
const MAX_TITLE_LENGTH = 400

/** The last menu on the screen. `markers`: how this agent marks the option that Enter would choose. */
export function readMenu(lines: readonly string[], markers: string): Menu | null {
  const rows = lastRows(lines, markers)
  if (rows.length < 2 || rows.filter(({ marked }) => marked).length !== 1) return null
  const choices = rows.map(({ number, label, marked }) => ({
    label,
    decision: labelDecision(label),
    // A number chooses immediately, or moves the mark there; then Enter follows.
    keys: number <= 9 ? [String(number), '\r'] : null,
    marked,
  }))
  return { dialog: { title: titleAbove(lines, rows[0]!.line), choices }, lastLine: rows.at(-1)!.line }
}

function lastRows(lines: readonly string[], markers: string): Row[] {
  let rows: Row[] = []
  for (const [line, text] of lines.entries()) {
    const [, marker = '', digits = '', label = ''] = ROW.exec(text) ?? []
    if (digits === '' || (marker !== '' && !markers.includes(marker))) continue
    const row = { line, number: Number(digits), label, marked: marker !== '' }
    const last = rows.at(-1)
    const goesOn = last && row.number === last.number + 1 && line - last.line <= MAX_LINES_BETWEEN + 1
    if (goesOn) rows.push(row)
    else if (row.number === 1) rows = [row]
  }
  return rows
}

const BORDER = /^[\s│┃|]*[╭╰├┌└─━╌═╴▄▀]{3,}.*$/
const END_OF_TITLE = /^(?:[╭┌─━]{3,}|\s*[>❯›•●⎿]\s)/

/** The question and its subject: the lines above the options, up to the frame or the earlier conversation. */
function titleAbove(lines: readonly string[], firstRow: number): string {
  const parts: string[] = []
  let blanks = 0
  for (let line = firstRow - 1; line >= 0 && parts.length < MAX_TITLE_LINES; line--) {
    const text = lines[line]!
    const plain = text.replaceAll(/^[\s│┃|]+|[\s│┃|]+$/g, '')
    if (END_OF_TITLE.test(text)) break
    if (plain === '' && parts.length > 0 && ++blanks > 1) break
    if (plain === '' || BORDER.test(text)) continue
    blanks = 0
    parts.unshift(plain)
  }
  return parts.join(' ').slice(0, MAX_TITLE_LENGTH)
}
