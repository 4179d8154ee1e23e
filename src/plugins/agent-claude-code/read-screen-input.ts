// What Claude's screen takes: its input box stands between two lines, and a dialog stands in its place. Pure.
import type { ScreenInput } from '../../contract/dialog.ts'
import { readMenu } from '../agent-files/screen/read-menu.ts'
import { detectActivity } from './detect-activity.ts'

const RULE = /^\s*─{10,}/
const INPUT = /^\s*[❯>!#](?:\s|$)/
const DIALOG_FOOTER = /\besc to (?:cancel|exit|go back)\b|\benter to (?:select|confirm|submit|continue)\b/i

export function readScreenInput(terminalText: string): ScreenInput {
  const lines = terminalText.trimEnd().split('\n')
  if (hasInputBox(lines)) return { takes: 'text' }
  const menu = readMenu(lines, '❯')
  if (menu) return { takes: 'keys', dialog: menu.dialog }
  const bottom = lines.slice(-4).join('\n')
  const asks = DIALOG_FOOTER.test(bottom) || detectActivity(terminalText) === 'waiting_input'
  return asks ? { takes: 'keys', dialog: null } : { takes: 'unknown' }
}

function hasInputBox(lines: readonly string[]): boolean {
  const end = lines.findLastIndex((line) => RULE.test(line))
  const start = lines.findLastIndex((line, index) => index < end && RULE.test(line))
  if (start === -1 || !INPUT.test(lines[start + 1] ?? '')) return false
  return !DIALOG_FOOTER.test(lines.slice(end + 1).join('\n'))
}
