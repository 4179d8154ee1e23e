// Reads Gemini's screen and answers its dialogs. Pure.

import { underRule } from '../agent-files/screen/input-line.ts'
import type { ScreenRules } from '../agent-files/screen/read-by-rules.ts'
import { draftReader } from '../agent-files/screen/read-draft.ts'
import { screenReader } from '../agent-files/screen/read-screen-state.ts'

const RULES: ScreenRules = {
  input: underRule,
  // A dialog marks its options with a dot, and replaces the input line.
  markers: '●',
  footer: /\b(?:enter|space) (?:to )?(?:select|submit|confirm|toggle)\b|\besc (?:to )?(?:close|go back|exit|cancel)\b/i,
  asks: [
    /[●○]?\s*\d\.\s+Allow once\b/,
    /\bApply this change\?/,
    /\bAllow execution of\b/,
    /\bDo you trust (?:this|the files in this) folder\b/i,
    /\bWaiting for user confirmation\b/i,
  ],
  views: [],
}

export const readDraft = draftReader(underRule)

/** After half a minute without output from a tool it says that the tool may want input, and no longer how to cancel. */
const WORKS = /\besc to cancel\b|\bShell awaiting input\b|^\s*│\s*⊶/im
const FAILED = /^\s*✕ \[API Error\b/m

export const { readScreenInput, detectActivity } = screenReader(RULES, {
  works: WORKS,
  failed: FAILED,
  newest: sinceLastMessage,
})

/** An error counts only below the newest message, which is between two bars with a `>` before it. */
function sinceLastMessage(bottom: string): string {
  const lines = bottom.split('\n')
  const message = lines.findLastIndex((line) => /^ > (?!\s*Type your message)/.test(line))
  return lines.slice(message + 1).join('\n')
}
