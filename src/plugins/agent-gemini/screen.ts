// Reads Gemini's screen and answers its dialogs. Pure.

import type { ScreenInput } from '../../contract/dialog.ts'
import type { ActivityState } from '../../contract/status.ts'
import { draftReader, underRule } from '../agent-files/screen/read-draft.ts'
import { readMenu } from '../agent-files/screen/read-menu.ts'

const ASKS = [
  /[●○]?\s*\d\.\s+Allow once\b/,
  /\bApply this change\?/,
  /\bAllow execution of\b/,
  /\bDo you trust (?:this|the files in this) folder\b/i,
  /\bWaiting for user confirmation\b/i,
]
/** After half a minute without output from a tool it says that the tool may want input, and no longer how to cancel. */
const WORKS = /\besc to cancel\b|\bShell awaiting input\b|^\s*│\s*⊶/im
const READY = /^\s*[>!*]\s+Type your message\b/m
const FAILED = /^\s*✕ \[API Error\b/m

const LINES = 30

export function detectActivity(terminalText: string): ActivityState | null {
  const bottom = terminalText.trimEnd().split('\n').slice(-LINES).join('\n')
  if (ASKS.some((pattern) => pattern.test(bottom))) return 'waiting_input'
  if (WORKS.test(bottom)) return 'active'
  if (!READY.test(bottom)) return null
  return FAILED.test(sinceLastMessage(bottom)) ? 'blocked' : 'ready'
}

/** An error counts only below the newest message, which is between two bars with a `>` before it. */
function sinceLastMessage(bottom: string): string {
  const lines = bottom.split('\n')
  const message = lines.findLastIndex((line) => /^ > (?!\s*Type your message)/.test(line))
  return lines.slice(message + 1).join('\n')
}

export const readDraft = draftReader(underRule)

const RULE = /^\s*[─▄▀━]{10,}/
const INPUT = /^\s*[>!*](?:\s|$)/

/** A dialog marks its options with a dot, and replaces the input line. */
export function readScreenInput(terminalText: string): ScreenInput {
  const lines = terminalText.trimEnd().split('\n')
  const menu = readMenu(lines, '●')
  const input = findInput(lines)
  if (menu && menu.lastLine > input) return { takes: 'keys', dialog: menu.dialog }
  if (input !== -1) return { takes: 'text' }
  return detectActivity(terminalText) === 'waiting_input' ? { takes: 'keys', dialog: null } : { takes: 'unknown' }
}

/** Below the last line across the screen, after possible lines about modes. The conversation is elsewhere. */
function findInput(lines: readonly string[]): number {
  const rule = lines.findLastIndex(
    (line, index) => RULE.test(line) && lines.slice(index + 1).some((one) => INPUT.test(one)),
  )
  if (rule === -1) return -1
  return lines.findIndex((line, index) => index > rule && INPUT.test(line))
}
