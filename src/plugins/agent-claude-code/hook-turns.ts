// What Claude's hooks say about the turn. Pure.
import type { HookEvent } from '../agent-files/hook-events.ts'
import { textField } from '../agent-files/json-fields.ts'
import { lastTurnIn, type TurnEvent } from '../agent-files/turn-event.ts'
import { QUESTION_TOOLS } from './transcript-events.ts'

const ASKING_NOTIFICATIONS: ReadonlySet<string> = new Set([
  'permission_prompt',
  'worker_permission_prompt',
  'elicitation_dialog',
  'agent_needs_input',
])

/** Ends of a session that go on under another id in the same process. */
const NOT_AN_EXIT: ReadonlySet<string> = new Set(['clear', 'resume'])

export function lastHookTurn(events: readonly HookEvent[]): TurnEvent | null {
  return lastTurnIn(events, hookTurn)
}

function hookTurn({ event, at, payload }: HookEvent): TurnEvent | null {
  const turn = (kind: TurnEvent['kind'], evidence: string): TurnEvent => ({ kind, at, evidence })
  const tool = textField(payload, 'tool_name') ?? 'a tool'
  // What a sub-agent ends or fails is not the end of the agent's own turn.
  const ofSubagent = textField(payload, 'agent_id') !== null
  switch (event) {
    case 'SessionStart':
      return turn('finished', 'hook SessionStart: it waits for its first prompt')
    case 'UserPromptSubmit':
      return turn('working', 'hook UserPromptSubmit')
    case 'PreToolUse':
      if (QUESTION_TOOLS.has(tool)) return turn('waiting', `hook PreToolUse: the question tool ${tool}`)
      return turn('working', `hook PreToolUse: ${tool}`)
    case 'PostToolUse':
      return turn('working', `hook PostToolUse: ${tool}`)
    case 'PreCompact':
      return turn('working', 'hook PreCompact')
    case 'PermissionRequest':
      return turn('waiting', `hook PermissionRequest: ${tool}`)
    case 'Notification': {
      const type = textField(payload, 'notification_type') ?? ''
      return ASKING_NOTIFICATIONS.has(type) ? turn('waiting', `hook Notification: ${type}`) : null
    }
    case 'Stop':
      return ofSubagent ? null : turn('finished', 'hook Stop')
    case 'StopFailure':
      return ofSubagent ? null : turn('failed', `hook StopFailure: ${textField(payload, 'error') ?? 'unknown error'}`)
    case 'SessionEnd': {
      const reason = textField(payload, 'reason') ?? 'unknown reason'
      return NOT_AN_EXIT.has(reason) ? null : turn('exited', `hook SessionEnd: ${reason}`)
    }
    default:
      return null
  }
}
