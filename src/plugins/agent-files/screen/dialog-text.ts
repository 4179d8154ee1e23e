// The text of a dialog, whole: what a person approves must not end where its author chose. Pure.
import type { ScreenDialog } from '../../../contract/dialog.ts'

type DialogText = Pick<ScreenDialog, 'title' | 'above' | 'reachesTop' | 'cut'>

const BORDER = /^[\s│┃|╭╮╰╯├┤┌┐└┘─━╌═╴▄▀]*$/
const END_OF_TITLE = /^(?:[╭┌─━]{3,}|\s*[>❯›•●⎿]\s)/
/** At the edge of the screen, where agents that indent or frame their dialogs never write what one is about. */
const EDGE = /^(?:[╭┌╰└─━]{3,}|[>❯›•●]\s)/
const INSIDE = /^[\s│┃|├╌]/
/** What agents write where they left something out. */
const LEFT_OUT = /^\s*…|…\s*$|[+(]\d+ (?:more )?lines\b|\.{3}.*\b(?:hidden|omitted|truncated|more lines)\b/im

/** A menu's: the question and its subject are the lines above the options, up to the frame or the earlier conversation. */
export function menuText(lines: readonly string[], firstOption: number): DialogText {
  let start = firstOption
  let blanks = 0
  for (let at = firstOption - 1; at >= 0 && !END_OF_TITLE.test(lines[at]!); at--) {
    if (unframed(lines[at]!) !== '') {
      blanks = 0
      start = at
    } else if (start < firstOption && ++blanks > 1) break
  }
  return rowsText(lines, start, firstOption)
}

/** A question's in one line. */
export function lineText(lines: readonly string[], at: number): DialogText {
  return rowsText(lines, at, at + 1)
}

/**
 * A question's in these rows. A blank line or a mark may be part of a command, so only an edge that it cannot have drawn
 * ends what is above them.
 */
export function rowsText(lines: readonly string[], start: number, end: number): DialogText {
  let top = start
  let isInside = lines.slice(start, end).every((line) => isBlank(line) || INSIDE.test(line))
  while (top > 0 && !(isInside && EDGE.test(lines[top - 1]!))) {
    top--
    isInside &&= isBlank(lines[top]!) || INSIDE.test(lines[top]!)
  }
  const above = textOf(lines.slice(top, start))
  const title = textOf(lines.slice(start, end))
  return {
    title,
    ...(above !== '' && { above }),
    ...(top === 0 && { reachesTop: true }),
    ...(LEFT_OUT.test(title) && { cut: true }),
  }
}

function textOf(lines: readonly string[]): string {
  return lines
    .filter((line) => !BORDER.test(line))
    .map(unframed)
    .filter((line) => line !== '')
    .join('\n')
}

/** A pipe at the start of a line is part of a command, unless there is one at its end, too. */
function unframed(line: string): string {
  const inner = line.replaceAll(/^[\s│┃]+|[\s│┃]+$/g, '')
  return /^\|.*\|$/.test(inner) ? inner.slice(1, -1).trim() : inner
}

function isBlank(line: string): boolean {
  return line.trim() === ''
}
