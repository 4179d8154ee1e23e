// What the screen of an unknown program shows: the words that terminal programs have in common. Pure.
import type { ActivityState } from '../../contract/status.ts'

const ASKS = [
  /[[(][Yy]\/[Nn][\])]/,
  /\(Y\)es\/\(N\)o/,
  /\b(?:Do you want to|Would you like to) [^\n]*\?/i,
  /\bAllow (?:once|always)\b/i,
  /\bPress (?:Enter|any key) to continue\b/i,
  /\bPermission (?:required|needed)\b/i,
]
const WORKS = /\besc(?:ape)? to (?:interrupt|cancel)\b|\besc interrupt\b|\bctrl[-+]c to (?:interrupt|cancel)\b/i

const LINES = 12

export function detectActivity(terminalText: string): ActivityState | null {
  const bottom = terminalText.trimEnd().split('\n').slice(-LINES).join('\n')
  if (ASKS.some((pattern) => pattern.test(bottom))) return 'waiting_input'
  return WORKS.test(bottom) ? 'active' : null
}
