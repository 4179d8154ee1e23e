// The last resort: what Codex's screen shows when none of its files can tell. Pure.
import type { ActivityState } from '../../contract/status.ts'
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

export function detectActivity(terminalText: string): ActivityState | null {
  return readScreenState(terminalText, { asks: ASKS, works: WORKS, failed: FAILED, waitsForInput: WAITS_FOR_INPUT })
}
