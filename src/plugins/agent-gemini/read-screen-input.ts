// What Gemini's screen takes: a dialog marks its options with a dot, and stands where the input line is otherwise. Pure.
import type { ScreenInput } from '../../contract/dialog.ts'
import { readMenu } from '../agent-files/screen/read-menu.ts'
import { detectActivity } from './detect-activity.ts'

const RULE = /^\s*[─▄▀━]{10,}/
const INPUT = /^\s*[>!*](?:\s|$)/

export function readScreenInput(terminalText: string): ScreenInput {
  const lines = terminalText.trimEnd().split('\n')
  const menu = readMenu(lines, '●')
  const input = findInput(lines)
  if (menu && menu.lastLine > input) return { takes: 'keys', dialog: menu.dialog }
  if (input !== -1) return { takes: 'text' }
  return detectActivity(terminalText) === 'waiting_input' ? { takes: 'keys', dialog: null } : { takes: 'unknown' }
}

/** Below the last line across the screen, after what may stand there about modes. What was said stands elsewhere. */
function findInput(lines: readonly string[]): number {
  const rule = lines.findLastIndex(
    (line, index) => RULE.test(line) && lines.slice(index + 1).some((one) => INPUT.test(one)),
  )
  if (rule === -1) return -1
  return lines.findIndex((line, index) => index > rule && INPUT.test(line))
}
