// Reads the screen of an unknown program and answers its dialogs: the wording that terminal programs have in common. Pure.

import type { ScreenInput } from '../../../contract/dialog.ts'
import type { ActivityState } from '../../../contract/status.ts'
import { findEditor } from './find-editor.ts'
import { type OwnDialog, readOwnDialog } from './own-dialogs.ts'
import { readMenu } from './read-menu.ts'
import { readYesNo } from './read-yes-no.ts'

/** What ends a line that waits for an answer: a mark, an arrow, the cursor, a frame. What follows it was typed. */
const END = String.raw`\s*[:?>›❯▌█_]*\s*[│┃|]?\s*$`

const YES_OR_NO_AT_END = new RegExp(String.raw`[[(]y(?:es)?\/n(?:o)?[\])]${END}`, 'i')

const QUESTIONS = [
  YES_OR_NO_AT_END,
  new RegExp(String.raw`\(Y\)es\/\(N\)o[^\n]*?\]?${END}`),
  new RegExp(String.raw`\b(?:Do you want to|Would you like to) [^\n]*\?(?: *[[(][^\])]*[\])])?${END}`, 'i'),
  /\bPress (?:Enter|any key) to continue\b[^\n]*$/i,
  /\bPermission (?:required|needed)\b[^\n]*$/i,
  /\b(?:password|passphrase|passcode)\b[^\n]*:\s*$/i,
  // `git add -p`, and the menu of a shell's `select`.
  /\[[a-z](?:[,/][a-z?!])+\]\s*[?:]?\s*$/i,
  /^#\?\s*$/,
  /\b(?:choose|select|pick|enter (?:a |an |the |your )?(?:choice|number|option|selection))\b[^\n]*[:?]\s*$/i,
]
const CHOICES = /\bAllow (?:once|always)\b/i
export const WORKS = /\besc(?:ape)? to (?:interrupt|cancel)\b|\besc interrupt\b|\bctrl[-+]c to (?:interrupt|cancel)\b/i

/** Choices, hints and frames: what only a dialog has below its question. */
const BELOW_A_QUESTION = [
  /^\W*$/,
  /^[\s│┃|]*[❯›●○▶→>*•-]?\s*(?:\d{1,2}|[a-z])[.)]\s/i,
  /^[\s│┃|]*[❯›●○▶→>*•-]?\s*(?:yes|no|allow|deny|reject|accept|approve|always|cancel|skip|quit)\b/i,
  /\b(?:enter|esc|tab|space|arrow keys?|↑|↓)\b.*\b(?:select|confirm|cancel|choose|submit|navigate)\b/i,
]

/** A dialog is at the bottom; further up is the earlier conversation. */
const LINES = 30

function detectActivity(terminalText: string): ActivityState | null {
  const lines = terminalText.trimEnd().split('\n').slice(-LINES)
  if (asks(lines)) return 'waiting_input'
  return WORKS.test(lines.join('\n')) ? 'active' : null
}

function asks(lines: string[]): boolean {
  const last = lastText(lines)
  if (lines.slice(last + 1).some((line) => CHOICES.test(line))) return true
  return questionLines(lines).some((at) => QUESTIONS.some((one) => one.test(lines[at]!)))
}

/** A question is at the end of the screen. One that was answered has text after it. */
function questionLines(lines: string[]): number[] {
  // A hint such as "esc to cancel" may be in a line that only a dialog has, so both are checked.
  return [lastText(lines), lastAsking(lines)].filter((at) => at >= 0)
}

/** A remark in brackets, or the mark after which the answer is typed. */
const AFTER_A_QUESTION = /^\s*(?:\([^)]*\)|\[[^\]]*\]|[>❯›»$%:?])?\s*$/

/** The line above such remarks, if it asks for yes or no; otherwise the last one. */
function lastAsking(lines: readonly string[]): number {
  const last = lines.length - 1
  const above = lines.findLastIndex((line) => !AFTER_A_QUESTION.test(line))
  return above !== -1 && above < last && YES_OR_NO_AT_END.test(lines[above]!) ? above : last
}

function lastText(lines: string[]): number {
  return lines.findLastIndex((line) => !BELOW_A_QUESTION.some((pattern) => pattern.test(line)))
}

const MAX_LINES_BELOW = 12
const INPUT = /^[\s│┃|]*[>❯›$%#](?:\s|$)/

/** Its activity: an open menu is a question, whatever its wording. */
export function detectState(terminalText: string, dialogs: readonly OwnDialog[] = []): ActivityState | null {
  const input = readScreenInput(terminalText, dialogs)
  const isMenu = input.takes === 'keys' && input.dialog !== null && !input.dialog.takesLine
  return isMenu ? 'waiting_input' : detectActivity(terminalText)
}

/**
 * `dialogs`: those of the configuration, which knows the program better than the common wording. Text goes only where a line
 * begins or ends with the mark of a prompt; what else reads lines is known by its terminal (`Runtime.isInLineMode`).
 */
export function readScreenInput(terminalText: string, dialogs: readonly OwnDialog[] = []): ScreenInput {
  const lines = terminalText.trimEnd().split('\n').slice(-LINES)
  const own = readOwnDialog(lines, questionLines(lines), dialogs)
  if (own) return { takes: 'keys', dialog: own }
  const question = readYesNo(lines.slice(0, lastAsking(lines) + 1))
  if (question) return { takes: 'keys', dialog: question }
  // `>` marks the input line of many programs as well as an option, so there the wording has to decide.
  const menu = readMenu(lines, '❯›●▶→') ?? readPlainMenu(lines)
  const below = menu ? lines.slice(menu.lastLine + 1) : []
  if (menu && below.length <= MAX_LINES_BELOW && !below.some((line) => INPUT.test(line))) {
    return { takes: 'keys', dialog: menu.dialog }
  }
  if (detectActivity(terminalText) === 'waiting_input') return { takes: 'keys', dialog: null }
  const editor = findEditor(lines)
  if (editor) return { takes: 'unknown', shows: editor }
  return { takes: hasPrompt(lines) ? 'text' : 'unknown' }
}

const PROMPT = /^[\s│┃|]*(?:[>❯›»➜λ$%#]{1,3}(?:\s|$)|[^\s>❯›»$%#].{0,80}?[>❯›»$%#]\s*(?:[│┃|]\s*)?$)/
const EDGE = /^\s*[╭╰├┌└─━═▄▀]{3,}/
const MOST_LINES_IN_BOX = 12

/** In the last line, or in a box at the end of the screen. */
function hasPrompt(lines: readonly string[]): boolean {
  if (PROMPT.test(lines.at(-1) ?? '')) return true
  const end = lines.findLastIndex((line) => EDGE.test(line))
  const start = lines.findLastIndex((line, index) => index < end && EDGE.test(line))
  if (start === -1 || end - start > MOST_LINES_IN_BOX || lines.length - end > MOST_HINTS) return false
  return INPUT.test(lines[start + 1] ?? '')
}

const MOST_HINTS = 5

function readPlainMenu(lines: readonly string[]): ReturnType<typeof readMenu> {
  const menu = readMenu(lines, '>')
  return menu?.dialog.choices.some(({ decision }) => decision !== null) ? menu : null
}
