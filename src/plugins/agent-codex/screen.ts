// Reads Codex's screen and answers its dialogs. Pure.

import type { ScreenInput } from '../../contract/dialog.ts'
import type { ActivityState } from '../../contract/status.ts'
import { afterMark, draftReader } from '../agent-files/screen/read-draft.ts'
import { readMenu } from '../agent-files/screen/read-menu.ts'
import { readScreenState } from '../agent-files/screen/read-screen-state.ts'

const ASKS = [
  /\bPress enter to confirm\b/i,
  /\bWould you like to (?:run|make|grant)\b/i,
  /\bHooks need review\b/i,
  /\bDo you trust the contents\b/i,
  /^\s*›?\s*1\.\s+Yes\b/m,
]
const WORKS = /\besc to interrupt\b/i
const FAILED = /^\s*■\s/m
const WAITS_FOR_INPUT = /^\s*›(?:\s.*)?$/m

/** The last resort, when none of Codex's files says. */
export function detectActivity(terminalText: string): ActivityState | null {
  return readScreenState(terminalText, { asks: ASKS, works: WORKS, failed: FAILED, waitsForInput: WAITS_FOR_INPUT })
}

const DIALOG_FOOTER =
  /\b(?:press )?enter to (?:confirm|continue|submit|select|view|close)\b|\besc to (?:cancel|go back|exit)\b/i
const INPUT = /^›(?:\s|$)/
const LINES = 25

export const readDraft = draftReader(afterMark)

/** A dialog ends with a line that says what Enter does, and the input line has none. */
export function readScreenInput(terminalText: string): ScreenInput {
  const lines = terminalText.trimEnd().split('\n')
  const menu = readMenu(lines, '›')
  const footer = lines.slice(-3).join('\n')
  if (DIALOG_FOOTER.test(footer)) return { takes: 'keys', dialog: menu?.dialog ?? null }
  if (lines.slice(-LINES).some((line) => INPUT.test(line))) return { takes: 'text' }
  return detectActivity(terminalText) === 'waiting_input' ? { takes: 'keys', dialog: null } : { takes: 'unknown' }
}
