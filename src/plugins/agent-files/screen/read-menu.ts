// A menu as terminal agents draw it: numbered options below each other, one of them marked. Pure.
import type { ScreenDialog } from '../../../contract/dialog.ts'
import { menuText } from './dialog-text.ts'
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
  /** It can be ticked: one of several that are chosen together. */
  hasBox: boolean
}

const ROW = /^[\s│┃|]*([❯›●▶→>]?)\s*(\[.\] )?(\d{1,2})[.)]\s+(\[.\] )?(\S.*?)[\s│┃|]*$/
/** A long label continues in the next line, and some options have a line of explanation. */
const MAX_LINES_BETWEEN = 3

/** The last menu on the screen. `markers`: how this agent marks the option that Enter would choose. */
export function readMenu(lines: readonly string[], markers: string): Menu | null {
  const rows = lastRows(lines, markers)
  if (rows.length < 2 || rows.filter(({ marked }) => marked).length !== 1) return null
  const choices = rows.map(({ number, label, marked, hasBox }) => ({
    label,
    decision: labelDecision(label),
    keys: hasBox ? null : keysFor(number, label),
    marked,
  }))
  return { dialog: { ...menuText(lines, rows[0]!.line), choices }, lastLine: rows.at(-1)!.line }
}

const ESCAPE = '\u001b'
/** Where such an option also takes a text, as in Copilot CLI, Enter does nothing until one is typed. */
const BY_ESCAPE = /\(esc\b[^)]*\)$/i

/** A number chooses immediately, or moves the mark there; then Enter follows. Where several can be ticked, it does neither. */
function keysFor(number: number, label: string): string[] | null {
  if (BY_ESCAPE.test(label)) return [ESCAPE]
  return number <= 9 ? [String(number), '\r'] : null
}

function lastRows(lines: readonly string[], markers: string): Row[] {
  let rows: Row[] = []
  for (const [line, text] of lines.entries()) {
    const [, marker = '', box, digits = '', secondBox, label = ''] = ROW.exec(text) ?? []
    if (digits === '' || (marker !== '' && !markers.includes(marker))) continue
    const hasBox = (box ?? secondBox) !== undefined
    const row = { line, number: Number(digits), label, marked: marker !== '', hasBox }
    const last = rows.at(-1)
    const goesOn = last && row.number === last.number + 1 && line - last.line <= MAX_LINES_BETWEEN + 1
    if (goesOn) rows.push(row)
    else if (row.number === 1) rows = [row]
  }
  return rows
}
