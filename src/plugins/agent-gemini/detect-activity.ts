// What Gemini's screen shows, as text. Pure.
import type { ActivityState } from '../../contract/status.ts'

const ASKS = [
  /[●○]?\s*\d\.\s+Allow once\b/,
  /\bApply this change\?/,
  /\bAllow execution of\b/,
  /\bDo you trust (?:this|the files in this) folder\b/i,
  /\bWaiting for user confirmation\b/i,
]
const WORKS = /\besc to cancel\b/i
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

/** An error counts only below the newest message, which stands between two bars with a `>` before it. */
function sinceLastMessage(bottom: string): string {
  const lines = bottom.split('\n')
  const message = lines.findLastIndex((line) => /^ > (?!\s*Type your message)/.test(line))
  return lines.slice(message + 1).join('\n')
}
