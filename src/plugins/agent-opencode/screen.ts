// Reads OpenCode's screen and answers its dialogs. Pure.

import type { DialogChoice, ScreenDialog, ScreenInput } from '../../contract/dialog.ts'
import type { ActivityState } from '../../contract/status.ts'
import { behindBar, linesOf } from '../agent-files/screen/input-line.ts'
import { labelDecision } from '../agent-files/screen/label-decision.ts'
import { draftReader } from '../agent-files/screen/read-draft.ts'
import { readScreenState } from '../agent-files/screen/read-screen-state.ts'
import { styledCells, textOf } from '../agent-files/screen/styled-cells.ts'

const WORKS = /\besc (?:again to )?interrupt\b/

export function detectActivity(terminalText: string): ActivityState | null {
  return readScreenState(terminalText, readScreenInput(terminalText), { works: WORKS })
}

export const readDraft = draftReader(behindBar)

const ESCAPE = '\u001b'
const RIGHT = '\u001b[C'
const ENTER = '\r'
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence starts with one.
const SGR = /\u001b\[[0-9;:]*m/g
const BACKGROUND = /48[;:][0-9;:]+/
const TITLE = /△ (.+?)\s*$/
const BUTTONS = /^[\s┃]*(\w+ ?\w+(?:\s{2,}\w+ ?\w*)+?)(?:\s{2,}(?:ctrl\+\S+ \S+\s+)?⇆ select\b.*)?$/
const FOOTER = /⇆ select\b|\benter (?:confirm|submit|toggle)\b|\besc dismiss\b/
const DIALOG_LINES = 4

/** Its palette, lists and help are drawn over everything else: a title, and at the right how to leave. The input line stays. */
const OVERLAY = /(?:^|\s{2})(\S+(?: \S+)*)\s{4,}esc(?:\/enter)?(?:\s{3,}.*)?$/
const QUESTION_FOOTER = /↑↓ select\b.*\benter (?:submit|toggle|confirm)\b/

export function readScreenInput(styledText: string): ScreenInput {
  const lines = linesOf(styledText.replaceAll(SGR, ''))
  const overlay = lines.findLast((line) => OVERLAY.test(line))
  if (overlay !== undefined) return { takes: 'keys', dialog: { title: OVERLAY.exec(overlay)![1]!, choices: [] } }
  const end = lines.findLastIndex((line) => FOOTER.test(line))
  // A dialog replaces the input line.
  if (behindBar(lines).length > 0 && !lines.slice(-DIALOG_LINES).some((line) => FOOTER.test(line)))
    return { takes: 'text' }
  if (end === -1) return { takes: 'unknown' }
  return { takes: 'keys', dialog: readPermission(styledText, lines, end) ?? readQuestion(styledText, lines, end) }
}

/** Its buttons are next to each other, and only their colour shows which one is selected. */
function readPermission(styledText: string, lines: readonly string[], end: number): ScreenDialog | null {
  const start = lines.findLastIndex((line, index) => index < end && TITLE.test(line))
  // On a narrow screen the buttons have a line of their own, above the one about keys.
  const at = lines.findLastIndex((line, index) => index > start && index <= end && BUTTONS.test(line))
  const labels =
    BUTTONS.exec(lines[at] ?? '')?.[1]
      ?.trim()
      .split(/\s{2,}/) ?? []
  if (start === -1 || labels.length < 2) return null
  const marked = markedLabel(styledText, labels)
  return { ...boxText(lines, at), choices: labels.map((label) => toChoice(label, labels, marked)) }
}

const OPTION = /^\s*┃\s+(\d)\. (\[.\] )?(\S.*?)\s*$/

/** Its options are numbered and below each other; a number chooses one. */
function readQuestion(styledText: string, lines: readonly string[], end: number): ScreenDialog {
  const start = boxStart(lines, end)
  const rows = lines.slice(start, end).flatMap((line, index) => {
    const [, number, box, label] = OPTION.exec(line) ?? []
    return number === undefined ? [] : [{ at: start + index, number, box, label: label! }]
  })
  const text = boxText(lines, rows[0]?.at ?? end)
  if (!QUESTION_FOOTER.test(lines[end]!)) return { ...text, choices: [] }
  const colours = rows.map(({ at, label }) => colourOf(styledText.split('\n')[at] ?? '', label))
  const alone = colours.filter((one) => colours.indexOf(one) === colours.lastIndexOf(one))
  const choices = rows.map(({ number, box, label }, index) => ({
    label,
    decision: labelDecision(label),
    // Only the colour shows that the number has marked it; without colours nothing is pressed. Ticking several takes more keys.
    keys: alone.length === 1 && box === undefined ? [number, ENTER] : null,
    marked: alone.length === 1 && colours[index] === alone[0],
  }))
  return { ...text, choices }
}

/** The colour in which a label is drawn; null: the terminal's own, or the label is not there. */
function colourOf(styledLine: string, label: string): string | null {
  const cells = styledCells(styledLine)[0] ?? []
  const at = textOf(cells).lastIndexOf(label)
  return at === -1 ? null : (cells[at]?.colour ?? null)
}

function boxStart(lines: readonly string[], end: number): number {
  return lines.findLastIndex((line, index) => index < end && !IN_BOX.test(line)) + 1
}

const IN_BOX = /^\s*┃/
const EMPTY_ROW = /^[\s┃]*$/

/** Everything in its box: a triangle in what is asked about does not begin it. A box without an empty row scrolls. */
function boxText(lines: readonly string[], end: number): Pick<ScreenDialog, 'title' | 'cut' | 'reachesTop'> {
  const start = boxStart(lines, end)
  const rows = lines.slice(start, end).filter((line) => !EMPTY_ROW.test(line))
  return {
    title: rows
      .map((line) =>
        line
          .replace(/^[\s┃]+/, '')
          .replace(/^△ /, '')
          .trimEnd(),
      )
      .join('\n'),
    ...(!EMPTY_ROW.test(lines[end - 1]!) && { cut: true }),
    ...(start === 0 && { reachesTop: true }),
  }
}

function toChoice(label: string, labels: readonly string[], marked: number): DialogChoice {
  const decision = labelDecision(label)
  if (marked === -1) return { label, decision, keys: decision === 'reject-once' ? [ESCAPE] : null }
  const steps = (labels.indexOf(label) - marked + labels.length) % labels.length
  const keys = [...(steps === 0 ? [] : [RIGHT.repeat(steps)]), ENTER]
  return { label, decision, keys, marked: steps === 0 }
}

/** Only the selected button has a different background. -1: the screen does not show it. */
function markedLabel(styledText: string, labels: readonly string[]): number {
  const line = styledText.split('\n').findLast((one) => BUTTONS.test(one.replaceAll(SGR, '')))
  if (line === undefined) return -1
  const backgrounds = labels.map((label) => backgroundAt(line, label))
  const alone = backgrounds.filter((one) => one !== null && backgrounds.indexOf(one) === backgrounds.lastIndexOf(one))
  return alone.length === 1 ? backgrounds.indexOf(alone[0]!) : -1
}

/** The last background set before the label begins. */
function backgroundAt(line: string, label: string): string | null {
  const at = line.indexOf(label)
  const before = line.slice(0, at === -1 ? 0 : at)
  const set = [...before.matchAll(SGR)].map(([sequence]) => BACKGROUND.exec(sequence)?.[0])
  return set.findLast((one) => one !== undefined) ?? null
}
