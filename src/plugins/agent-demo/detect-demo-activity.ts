// The demo agent's state from its screen: it stands in front of the input line.
import type { ActivityState } from '../../contract/status.ts'

const PROMPT = /^demo(?: \((working|question|yes\/no|failed)\))?>/

export function detectDemoActivity(terminalText: string): ActivityState | null {
  const line = terminalText.split('\n').findLast((one) => PROMPT.test(one))
  if (line === undefined) return null
  const mood = PROMPT.exec(line)?.[1]
  if (mood === 'working') return 'active'
  if (mood === 'failed') return 'blocked'
  return mood === undefined ? 'ready' : 'waiting_input'
}
