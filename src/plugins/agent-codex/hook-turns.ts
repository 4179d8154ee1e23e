// What Codex's hooks say about the turn. Pure.
import type { HookEvent } from '../agent-files/hook-events.ts'
import { textField } from '../agent-files/json-fields.ts'
import { lastTurnIn, type TurnEvent } from '../agent-files/turn-event.ts'

const KINDS: Readonly<Record<string, TurnEvent['kind']>> = {
  SessionStart: 'finished',
  UserPromptSubmit: 'working',
  PreToolUse: 'working',
  PermissionRequest: 'waiting',
  PostToolUse: 'working',
  Stop: 'finished',
  SessionEnd: 'exited',
}

/** Ends of a thread that go on with another one in the same process. */
const NOT_AN_EXIT: ReadonlySet<string> = new Set(['clear', 'resume'])

export function lastHookTurn(events: readonly HookEvent[]): TurnEvent | null {
  return lastTurnIn(events, hookTurn)
}

function hookTurn({ event, at, payload }: HookEvent): TurnEvent | null {
  const kind = Object.hasOwn(KINDS, event) ? KINDS[event]! : null
  if (kind === null) return null
  if (kind === 'exited' && NOT_AN_EXIT.has(textField(payload, 'reason') ?? '')) return null
  const tool = textField(payload, 'tool_name')
  return { kind, at, evidence: `hook ${event}${tool === null ? '' : `: ${tool}`}` }
}
