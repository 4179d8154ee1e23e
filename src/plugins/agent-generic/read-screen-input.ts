// What the screen of an unknown program takes. Pure.
import type { ScreenInput } from '../../contract/dialog.ts'
import type { ActivityState } from '../../contract/status.ts'
import { readMenu } from '../agent-files/screen/read-menu.ts'
import { readYesNo } from '../agent-files/screen/read-yes-no.ts'
import { detectActivity } from './detect-activity.ts'

/** A dialog stands at the bottom; further up is what was said before. */
const LINES = 30
const MAX_LINES_BELOW = 12
const INPUT = /^[\s│┃|]*[>❯›$%#](?:\s|$)/

/** What it does: an open menu is a question, whatever its words. */
export function detectState(terminalText: string): ActivityState | null {
  const input = readScreenInput(terminalText)
  const isMenu = input.takes === 'keys' && input.dialog !== null && !input.dialog.takesLine
  return isMenu ? 'waiting_input' : detectActivity(terminalText)
}

export function readScreenInput(terminalText: string): ScreenInput {
  const lines = terminalText.trimEnd().split('\n').slice(-LINES)
  const question = readYesNo(lines)
  if (question) return { takes: 'keys', dialog: question }
  // `>` marks the input line of many programs as well as an option, so there the words have to tell.
  const menu = readMenu(lines, '❯›●▶→') ?? readPlainMenu(lines)
  const below = menu ? lines.slice(menu.lastLine + 1) : []
  if (menu && below.length <= MAX_LINES_BELOW && !below.some((line) => INPUT.test(line))) {
    return { takes: 'keys', dialog: menu.dialog }
  }
  if (detectActivity(terminalText) === 'waiting_input') return { takes: 'keys', dialog: null }
  // Its screen is all that is known of it: where that shows no question, there is none.
  return { takes: terminalText.trim() === '' ? 'unknown' : 'text' }
}

function readPlainMenu(lines: readonly string[]): ReturnType<typeof readMenu> {
  const menu = readMenu(lines, '>')
  return menu?.dialog.choices.some(({ decision }) => decision !== null) ? menu : null
}
