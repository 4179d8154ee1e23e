// What the bottom of an agent's screen means, according to that agent's patterns. Pure.
import type { ActivityState } from '../../../contract/status.ts'

export interface ScreenPatterns {
  asks: readonly RegExp[]
  works: RegExp
  failed: RegExp
  waitsForInput: RegExp
}

const LINES = 25

export function readScreenState(terminalText: string, patterns: ScreenPatterns): ActivityState | null {
  const bottom = terminalText.trimEnd().split('\n').slice(-LINES).join('\n')
  if (bottom.trim() === '') return null
  if (patterns.asks.some((pattern) => pattern.test(bottom))) return 'waiting_input'
  if (patterns.works.test(bottom)) return 'active'
  if (patterns.failed.test(bottom)) return 'blocked'
  return patterns.waitsForInput.test(bottom) ? 'ready' : null
}
