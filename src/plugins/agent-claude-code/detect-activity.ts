// The last resort: what Claude's screen shows when none of its files can tell. Pure.
import type { ActivityState } from '../../contract/status.ts'
import { readScreenState } from '../agent-files/screen/read-screen-state.ts'

/** A question with numbered answers, the first one marked. The footer "bypass permissions on" is no question. */
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

export function detectActivity(terminalText: string): ActivityState | null {
  return readScreenState(terminalText, { asks: ASKS, works: WORKS, failed: FAILED, waitsForInput: WAITS_FOR_INPUT })
}
