// GitHub Copilot CLI: `~/.copilot/session-state/{id}/events.jsonl`, including its questions.
import { join } from 'node:path'
import {
  countField,
  type JsonObject,
  listField,
  objectField,
  textField,
  timeField,
} from '../../core/text/json-fields.ts'
import { emptyUsage } from '../agent-files/prices.ts'
import type { RecordedTurn, TurnEvent } from '../agent-files/turn-event.ts'
import { removeDeadLocks } from './copilot-locks.ts'
import type { RecordFormat } from './record-format.ts'

export const copilotRecords: RecordFormat = {
  dataDir: (home, env) => env.COPILOT_HOME || join(home, '.copilot'),
  directories: (dataDir, _workspacePath, id) => (id === null ? [] : [join(dataDir, 'session-state', id)]),
  isRecordFile: (name) => name === 'events.jsonl',
  hasId: () => true,
  beforeResume: removeDeadLocks,
  turnOf,
  enteredText: (record) =>
    record.type === 'user.message' ? textField(objectField(record, 'data'), 'content') || null : null,
  spokenIn: ({ type, data }) => (SPOKEN.includes(type) ? data : null),
  answerOf(record) {
    const data = objectField(record, 'data')
    if (record.type === 'assistant.message') return { model: null, usage: null, text: textField(data, 'content') ?? '' }
    if (record.type !== 'session.usage_record') return null
    const usage = objectField(data, 'usage')
    const cached = countField(usage, 'cacheReadTokens')
    return {
      model: textField(usage, 'model'),
      text: '',
      usage: {
        ...emptyUsage(),
        inputTokens: Math.max(0, countField(usage, 'inputTokens') - cached),
        outputTokens: countField(usage, 'outputTokens'),
        cacheReadTokens: cached,
        cacheWriteTokens: countField(usage, 'cacheWriteTokens'),
      },
    }
  },
}

const SPOKEN: readonly unknown[] = ['user.message', 'assistant.message', 'tool.execution_complete']

/** Events whose name says everything. */
const KINDS: Readonly<Record<string, TurnEvent['kind']>> = {
  'user.message': 'working',
  'assistant.turn_start': 'working',
  'tool.execution_start': 'working',
  'permission.requested': 'waiting',
  'permission.completed': 'working',
  'user_input.requested': 'waiting',
  'user_input.completed': 'working',
  'elicitation.requested': 'waiting',
  'elicitation.completed': 'working',
  abort: 'finished',
  'session.idle': 'finished',
  'session.error': 'failed',
  'session.shutdown': 'exited',
}

function turnOf(record: JsonObject): RecordedTurn | null {
  const at = timeField(record, 'timestamp')
  const type = textField(record, 'type') ?? ''
  const data = objectField(record, 'data')
  if (!at) return null
  if (type === 'assistant.message') {
    const isLast = listField(data, 'toolRequests').length === 0
    return {
      kind: isLast ? 'finished' : 'working',
      at,
      evidence: `copilot: ${isLast ? 'its answer is complete' : type}`,
    }
  }
  // A command typed by the person is not a turn.
  if (type === 'tool.execution_complete') {
    return data?.isUserRequested === true ? null : { kind: 'working', at, evidence: 'copilot: a tool has answered' }
  }
  const kind = Object.hasOwn(KINDS, type) ? KINDS[type]! : null
  const what = kind === 'failed' ? (textField(data, 'message') ?? type).slice(0, 200) : type
  return kind && { kind, at, evidence: `copilot: ${what}` }
}
