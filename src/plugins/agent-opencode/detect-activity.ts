// What OpenCode's screen shows, as text. Pure.
import type { ActivityState } from '../../contract/status.ts'

const ASKS = /△ Permission required|\bAllow once\b.*\bReject\b|⇆ select\s+enter (?:confirm|submit)/
const WORKS = /\besc (?:again to )?interrupt\b/
/** The line below the input box, when nothing runs. */
const READY = /\bctrl\+p commands\b|\bctrl\+x\b.*\bcommands\b/

const LINES = 30

export function detectActivity(terminalText: string): ActivityState | null {
  const bottom = terminalText.trimEnd().split('\n').slice(-LINES).join('\n')
  if (ASKS.test(bottom)) return 'waiting_input'
  if (WORKS.test(bottom)) return 'active'
  return READY.test(bottom) ? 'ready' : null
}
