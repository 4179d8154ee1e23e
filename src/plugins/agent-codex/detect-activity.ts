// The last resort: what Codex's screen shows when none of its files can tell. Pure.
import type { ActivityState } from '../../contract/status.ts'

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

const LINES = 25

export function detectActivity(terminalText: string): ActivityState | null {
  const bottom = terminalText.trimEnd().split('\n').slice(-LINES).join('\n')
  if (bottom.trim() === '') return null
  if (ASKS.some((pattern) => pattern.test(bottom))) return 'waiting_input'
  if (WORKS.test(bottom)) return 'active'
  if (FAILED.test(bottom)) return 'blocked'
  return WAITS_FOR_INPUT.test(bottom) ? 'ready' : null
}
