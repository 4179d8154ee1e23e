// Reads Aider's screen and answers its dialogs. Pure.
import type { ScreenInput } from '../../contract/dialog.ts'
import type { ActivityState } from '../../contract/status.ts'
import { readYesNo } from '../agent-files/screen/read-yes-no.ts'

const ASKS = /\(Y\)es\/\(N\)o[^\n]*\]:?\s*$/
const WORKS = /\bWaiting for \S|\bUpdating repo map\b|\bRetrying in \d/
/** `> `, or the edit format before it: `architect> `, `ask> `. */
const PROMPT = /^(?:[a-z][\w-]*(?: multi)?)?> ?$/
const FAILED = /\blitellm\.\w*(?:Error|Exception)\b/

const LINES = 15

export function detectActivity(terminalText: string): ActivityState | null {
  const lines = terminalText.trimEnd().split('\n').slice(-LINES)
  const last = lines.at(-1) ?? ''
  if (last.trim() === '') return null
  if (ASKS.test(last)) return 'waiting_input'
  if (WORKS.test(last)) return 'active'
  if (!PROMPT.test(last.trimEnd())) return null
  // Above the prompt is the result of the last message; a token report ends a successful one.
  const outcome = lines.findLast((line) => FAILED.test(line) || line.startsWith('Tokens: '))
  return outcome !== undefined && FAILED.test(outcome) ? 'blocked' : 'ready'
}

/** Its question is in its last line, and so is its prompt. While it works it reads lines, and the next one waits. */
export function readScreenInput(terminalText: string): ScreenInput {
  const lines = terminalText.trimEnd().split('\n')
  const dialog = readYesNo(lines)
  if (dialog) return { takes: 'keys', dialog }
  return { takes: TYPED.test(lines.at(-1) ?? '') ? 'text' : 'unknown' }
}

/** With or without something typed there. */
const TYPED = /^(?:[a-z][\w-]*(?: multi)?)?>(?: |$)/
