// Reads OpenCode's screen and answers its dialogs. Pure.

import type { DialogChoice, ScreenDialog, ScreenInput } from '../../contract/dialog.ts'
import type { ActivityState } from '../../contract/status.ts'
import { labelDecision } from '../agent-files/screen/label-decision.ts'
import { behindBar, draftReader } from '../agent-files/screen/read-draft.ts'

const ASKS = /△ Permission required|\bAllow once\b.*\bReject\b|⇆ select\s+enter (?:confirm|submit)/
const WORKS = /\besc (?:again to )?interrupt\b/
/** The line below the input box when nothing is running. */
const READY = /\bctrl\+p commands\b|\bctrl\+x\b.*\bcommands\b/

const LINES = 30

export function detectActivity(terminalText: string): ActivityState | null {
  const bottom = terminalText.trimEnd().split('\n').slice(-LINES).join('\n')
  if (ASKS.test(bottom)) return 'waiting_input'
  if (WORKS.test(bottom)) return 'active'
  return READY.test(bottom) ? 'ready' : null
}

export const readDraft = draftReader(behindBar)

const ESCAPE = '\u001b'
const RIGHT = '\u001b[C'
const ENTER = '\r'
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence starts with one.
const SGR = /\u001b\[[0-9;:]*m/g
const BACKGROUND = /48[;:][0-9;:]+/
const TITLE = /△ (.+?)\s*$/
const BUTTONS = /^[\s┃]*(\S.*?)\s{2,}(?:ctrl\+\S+ \S+\s+)?⇆ select\b/
const FOOTER = /⇆ select\b|\benter (?:confirm|submit)\b/

/** The colour sequences show which button is selected, and so how to reach each of them. */
/** Its buttons are next to each other, and only their colour shows which one is selected. */
export function readScreenInput(styledText: string): ScreenInput {
  const terminalText = styledText.replaceAll(SGR, '')
  const allLines = terminalText.trimEnd().split('\n')
  const lines = allLines.slice(-LINES)
  const end = lines.findLastIndex((line) => FOOTER.test(line))
  if (end === -1) return { takes: detectActivity(terminalText) === null ? 'unknown' : 'text' }
  const start = lines.findLastIndex((line, index) => index < end && TITLE.test(line))
  const labels = BUTTONS.exec(lines[end]!)?.[1]?.split(/\s{2,}/) ?? []
  if (start === -1 || labels.length < 2) return { takes: 'keys', dialog: null }
  const marked = markedLabel(styledText, labels)
  const choices = labels.map((label) => toChoice(label, labels, marked))
  return { takes: 'keys', dialog: { ...textOf(allLines, end + allLines.length - lines.length), choices } }
}

const IN_BOX = /^\s*┃/
const EMPTY_ROW = /^[\s┃]*$/

/** Everything in its box: a triangle in what is asked about does not begin it. A box without an empty row scrolls. */
function textOf(lines: readonly string[], end: number): Pick<ScreenDialog, 'title' | 'cut' | 'reachesTop'> {
  const start = lines.findLastIndex((line, index) => index < end && !IN_BOX.test(line)) + 1
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
