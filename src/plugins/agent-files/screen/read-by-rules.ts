// What a screen accepts, by the rules of one agent: text only where its input line is found and nothing else takes the keys.
// Whatever matches no rule is unknown, and nothing is typed there. Pure.
import type { ScreenDialog, ScreenInput } from '../../../contract/dialog.ts'
import { findEditor } from './find-editor.ts'
import { type FindInput, linesOf } from './input-line.ts'
import { readList } from './read-list.ts'
import { type Menu, readMenu } from './read-menu.ts'

export interface ScreenRules {
  input: FindInput
  /** How it marks the option that Enter would choose. */
  markers: string
  /** What the last lines of its dialogs say about keys. */
  footer: RegExp
  /** How many lines from the end; 4 by default. */
  footerLines?: number
  /** Questions whose options are unknown. */
  asks: readonly RegExp[]
  /** What takes the keys although an input line may be drawn. */
  views: readonly ScreenView[]
}

export interface ScreenView {
  /** For `its screen shows … instead of its input line`. */
  name: string
  /** In one of the last lines. */
  shows: RegExp
  /** How many lines from the end; 3 by default. */
  lines?: number
}

const VIEW_LINES = 3
/** How long it has worked, and how to stop it: the last line of a screen that is only half drawn. */
const WORKS = /\((?=[^)]*\besc to \w+)[^)]*\b\d+s\b[^)]*\)/i
const FOOTER_LINES = 4
/** A dialog is at the bottom: a menu with more below it belongs to the conversation. */
const MOST_LINES_BELOW = 10

export function readByRules(terminalText: string, rules: ScreenRules): ScreenInput {
  const lines = linesOf(terminalText)
  const view = rules.views.find((one) => lines.slice(-(one.lines ?? VIEW_LINES)).some((line) => one.shows.test(line)))
  if (view) return { takes: 'unknown', shows: view.name }
  const input = rules.input(lines)
  const menu = readMenu(lines, rules.markers)
  if (input.length > 0 && (menu === null || menu.lastLine <= input.at(-1)!.line)) return modeOf(lines[input[0]!.line]!)
  const editor = findEditor(lines)
  if (editor) return { takes: 'unknown', shows: editor }
  const dialog = findDialog(lines, rules, menu)
  return dialog ? { takes: 'keys', dialog } : { takes: 'unknown' }
}

/** Most agents run what is typed after this mark in a shell. */
const SHELL_MARK = /^\s*!/

function modeOf(line: string): ScreenInput {
  return SHELL_MARK.test(line) ? { takes: 'unknown', shows: 'its shell mode' } : { takes: 'text' }
}

function findDialog(
  lines: readonly string[],
  { markers, footer, footerLines = FOOTER_LINES, asks }: ScreenRules,
  menu: Menu | null,
): ScreenDialog | null {
  if (menu && lines.slice(menu.lastLine + 1).filter((line) => line !== '').length <= MOST_LINES_BELOW)
    return menu.dialog
  const hasFooter = lines.slice(-footerLines).some((line) => footer.test(line) && !WORKS.test(line))
  const list = hasFooter ? readList(lines, markers) : null
  if (list) return list
  const bottom = lines.slice(-LINES).join('\n')
  return hasFooter || asks.some((one) => one.test(bottom)) ? { title: dialogText(lines), choices: [] } : null
}

const LINES = 25

// What a dialog at the bottom of a screen says, when its options are unknown.

const TOP = /^\s*(?:[╭┌]|[─━▔═▀▄]{10,})/
const FRAME = /^[\s│┃|╭╰╮╯├┤┌└┐┘─━╌═▔▄▀]+|[\s│┃|╭╰╮╯├┤┌└┐┘─━╌═▔▄▀]+$/g
const MOST_LINES = 30
/** A dialog may have a search field between two lines, and a line about keys below it. */
const FEWEST_LINES = 4

/** From the last line across the screen on, or what is there at all. */
function dialogText(lines: readonly string[]): string {
  const bottom = lines.slice(-MOST_LINES)
  const top = bottom.findLastIndex(
    (line, index) => TOP.test(line) && linesIn(bottom.slice(index + 1)).length >= FEWEST_LINES,
  )
  return linesIn(bottom.slice(top + 1)).join('\n')
}

function linesIn(lines: readonly string[]): string[] {
  return lines.map((line) => line.replace(FRAME, '').trim()).filter((line) => line !== '')
}
