// What Claude's hooks and the records of its transcript say about the turn. Pure.
import { type JsonObject, listField, objectField, textField, timeField } from '../../core/text/json-fields.ts'
import type { HookEvent } from '../agent-files/hook-events.ts'
import { lastTurnIn, type TurnEvent } from '../agent-files/turn-event.ts'

const ASKING_NOTIFICATIONS: ReadonlySet<string> = new Set([
  'permission_prompt',
  'worker_permission_prompt',
  'elicitation_dialog',
  'agent_needs_input',
])

/** Ends of a session that continues under another id in the same process. */
const NOT_AN_EXIT: ReadonlySet<string> = new Set(['clear', 'resume'])

export function lastHookTurn(events: readonly HookEvent[]): TurnEvent | null {
  return lastTurnIn(events, hookTurn)
}

function hookTurn({ event, at, payload }: HookEvent): TurnEvent | null {
  const turn = (kind: TurnEvent['kind'], evidence: string): TurnEvent => ({ kind, at, evidence })
  const tool = textField(payload, 'tool_name') ?? 'a tool'
  // The end or failure of a sub-agent is not the end of the agent's own turn.
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
      return ofSubagent ? null : turn('failed', `hook StopFailure: ${errorTextOf(payload, 'last_assistant_message')}`)
    case 'SessionEnd': {
      const reason = textField(payload, 'reason') ?? 'unknown reason'
      return NOT_AN_EXIT.has(reason) ? null : turn('exited', `hook SessionEnd: ${reason}`)
    }
    default:
      return null
  }
}

const MAX_TEXT = 300

/** The kind of error, and what Claude says about it. */
function errorTextOf(fields: JsonObject, key: string): string {
  const kind = textField(fields, 'error') ?? 'unknown error'
  const text = textField(fields, key)
  return text ? `${kind}: ${text.slice(0, MAX_TEXT)}` : kind
}

/** Tools that ask the user something: the turn pauses until they answer. */
const QUESTION_TOOLS: ReadonlySet<string> = new Set(['AskUserQuestion', 'ExitPlanMode'])

/** The newest meaningful record; null when there is none. */
export function lastTranscriptEvent(records: readonly JsonObject[]): TurnEvent | null {
  return lastTurnIn(records, transcriptEvent)
}

function transcriptEvent(record: JsonObject): TurnEvent | null {
  const at = timeField(record, 'timestamp')
  if (!at) return null
  if (record.type === 'assistant') return assistantEvent(record, at)
  if (record.type === 'user') return userEvent(record, at)
  return null
}

function assistantEvent(record: JsonObject, at: Date): TurnEvent {
  if (record.isApiErrorMessage === true) {
    const first = listField(objectField(record, 'message'), 'content')[0]
    const error = errorTextOf({ error: record.error, text: textField(first, 'text') }, 'text')
    return { kind: 'failed', at, evidence: `the transcript ends with an API error: ${error}` }
  }
  // A sub-agent that ended its own turn hands back to the agent, which continues.
  if (record.isSidechain === true) return { kind: 'working', at, evidence: 'a sub-agent wrote to the transcript' }
  const message = objectField(record, 'message')
  const tools = listField(message, 'content').filter((block) => textField(block, 'type') === 'tool_use')
  const question = tools.map((block) => textField(block, 'name')).find((name) => name && QUESTION_TOOLS.has(name))
  if (question) return { kind: 'waiting', at, evidence: `the transcript ends with the question tool ${question}` }
  const stopReason = textField(message, 'stop_reason')
  if (tools.length > 0 || stopReason === 'tool_use') {
    return { kind: 'working', at, evidence: 'the transcript ends with a tool call' }
  }
  if (stopReason === null || stopReason === 'pause_turn') {
    return { kind: 'working', at, evidence: 'the transcript ends in the middle of an answer' }
  }
  return { kind: 'finished', at, evidence: `the transcript ends with a finished answer (${stopReason})` }
}

function userEvent(record: JsonObject, at: Date): TurnEvent | null {
  if (record.isMeta === true || record.isCompactSummary === true) return null
  const text = promptText(record)
  if (text?.startsWith('[Request interrupted by user')) {
    return { kind: 'finished', at, evidence: 'the user interrupted the turn' }
  }
  if (text !== null && isLocalCommand(text)) return null
  if (text !== null) return { kind: 'working', at, evidence: 'the transcript ends with a prompt' }
  return { kind: 'working', at, evidence: 'the transcript ends with the result of a tool' }
}

/** The text that a person (or ao) entered; null for tool results. */
export function promptText(record: JsonObject): string | null {
  const message = objectField(record, 'message')
  const whole = textField(message, 'content')
  if (whole !== null) return whole
  const blocks = listField(message, 'content')
  if (blocks.some((block) => textField(block, 'type') === 'tool_result')) {
    // Escape during a tool writes its result and the interruption into one record.
    return blocks.map((block) => textField(block, 'text')).find((text) => text?.startsWith('[Request')) ?? null
  }
  const texts = blocks.flatMap((block) => textField(block, 'text') ?? [])
  return texts.length > 0 ? texts.join('\n') : null
}

/** Slash commands that Claude answers itself start no turn. */
export function isLocalCommand(text: string): boolean {
  return /^<(?:command-name|command-message|local-command-stdout|local-command-caveat|bash-input|bash-stdout)>/.test(
    text,
  )
}
