// What Codex's screen takes: a dialog ends with a line that says what Enter does, and its input line has none. Pure.
import type { ScreenInput } from '../../contract/dialog.ts'
import { readMenu } from '../agent-files/screen/read-menu.ts'
import { detectActivity } from './detect-activity.ts'

const DIALOG_FOOTER =
  /\b(?:press )?enter to (?:confirm|continue|submit|select|view|close)\b|\besc to (?:cancel|go back|exit)\b/i
const INPUT = /^›(?:\s|$)/
const LINES = 25

export function readScreenInput(terminalText: string): ScreenInput {
  const lines = terminalText.trimEnd().split('\n')
  const menu = readMenu(lines, '›')
  const footer = lines.slice(-3).join('\n')
  if (DIALOG_FOOTER.test(footer)) return { takes: 'keys', dialog: menu?.dialog ?? null }
  if (lines.slice(-LINES).some((line) => INPUT.test(line))) return { takes: 'text' }
  return detectActivity(terminalText) === 'waiting_input' ? { takes: 'keys', dialog: null } : { takes: 'unknown' }
}
