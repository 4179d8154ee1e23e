// What an agent is doing, judging by its screen. Pure.
import type { ScreenInput } from '../../../contract/dialog.ts'
import type { ActivityState } from '../../../contract/status.ts'
import { readByRules, type ScreenRules } from './read-by-rules.ts'

export interface ScreenPatterns {
  works: RegExp
  failed?: RegExp
  /** Only the newest part of the conversation; all of the bottom by default. */
  newest?: (bottom: string) => string
}

const LINES = 30

/** `input`: what the same screen accepts. Without an input line nothing says that it is ready. */
export function readScreenState(
  terminalText: string,
  { takes }: ScreenInput,
  patterns: ScreenPatterns,
): ActivityState | null {
  if (takes === 'keys') return 'waiting_input'
  const bottom = terminalText.trimEnd().split('\n').slice(-LINES).join('\n')
  if (patterns.works.test(bottom)) return 'active'
  if (takes === 'unknown') return null
  return patterns.failed?.test(patterns.newest?.(bottom) ?? bottom) ? 'blocked' : 'ready'
}

/** How one agent's screen is read. Its activity is the last resort, when none of its files says. */
export function screenReader(rules: ScreenRules, patterns: ScreenPatterns) {
  const readScreenInput = (terminalText: string): ScreenInput => readByRules(terminalText, rules)
  const detectActivity = (terminalText: string): ActivityState | null =>
    readScreenState(terminalText, readScreenInput(terminalText), patterns)
  return { readScreenInput, detectActivity }
}
