// Reads Claude's screen and answers its dialogs. Pure.

import type { ScreenInput } from '../../contract/dialog.ts'
import type { ActivityState } from '../../contract/status.ts'
import { betweenRules, draftReader } from '../agent-files/screen/read-draft.ts'
import { readMenu } from '../agent-files/screen/read-menu.ts'
import { readScreenState } from '../agent-files/screen/read-screen-state.ts'

/** A question with numbered answers, the first one marked. The footer "bypass permissions on" is not a question. */
const ASKS = [
  /^\s*❯?\s*1\.\s+Yes\b/m,
  /\bDo you want to (?:proceed|make this edit|create|allow)\b/i,
  /\bDo you trust the files in this folder\b/i,
  /\bEnter to confirm\b/i,
  /\bWould you like to proceed\b/i,
]
const WORKS = /\besc to interrupt\b/i
const FAILED = /^\s*(?:⎿\s*)?API Error\b/m
/** The empty input box between its two lines. */
const WAITS_FOR_INPUT = /^\s*[│|]?\s*[❯>](?:\s.*)?$/m

/** The last resort, when none of Claude's files says. */
export function detectActivity(terminalText: string): ActivityState | null {
  return readScreenState(terminalText, { asks: ASKS, works: WORKS, failed: FAILED, waitsForInput: WAITS_FOR_INPUT })
}

const RULE = /^\s*─{10,}/
const INPUT = /^\s*[❯>!#](?:\s|$)/
const DIALOG_FOOTER = /\besc to (?:cancel|exit|go back)\b|\benter to (?:select|confirm|submit|continue)\b/i

/** The input box is between two lines, and a dialog replaces it. */
export function readScreenInput(terminalText: string): ScreenInput {
  const lines = terminalText.trimEnd().split('\n')
  if (hasInputBox(lines)) return { takes: 'text' }
  const menu = readMenu(lines, '❯')
  if (menu) return { takes: 'keys', dialog: menu.dialog }
  const bottom = lines.slice(-4).join('\n')
  const asks = DIALOG_FOOTER.test(bottom) || detectActivity(terminalText) === 'waiting_input'
  return asks ? { takes: 'keys', dialog: null } : { takes: 'unknown' }
}

export const readDraft = draftReader(betweenRules)

function hasInputBox(lines: readonly string[]): boolean {
  const end = lines.findLastIndex((line) => RULE.test(line))
  const start = lines.findLastIndex((line, index) => index < end && RULE.test(line))
  if (start === -1 || !INPUT.test(lines[start + 1] ?? '')) return false
  return !DIALOG_FOOTER.test(lines.slice(end + 1).join('\n'))
}
