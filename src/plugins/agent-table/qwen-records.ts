// Qwen Code: `~/.qwen/projects/{workspace}/chats/{id}.jsonl`. Pure.
import { join } from 'node:path'
import {
  countField,
  type JsonObject,
  listField,
  objectField,
  textField,
  textsField,
  timeField,
} from '../../core/text/json-fields.ts'
import { withFields } from '../agent-files/cut-records.ts'
import { pathAndTarget } from '../agent-files/list-directory.ts'
import { emptyUsage, type TokenUsage } from '../agent-files/prices.ts'
import type { RecordedTurn } from '../agent-files/turn-event.ts'
import type { RecordFormat } from './record-format.ts'

export const qwenRecords: RecordFormat = {
  dataDir: (home, env) => env.QWEN_HOME || join(home, '.qwen'),
  directories: (dataDir, workspacePath) =>
    pathAndTarget(workspacePath).map((path) => join(dataDir, 'projects', path.replace(/[^A-Za-z0-9]/g, '-'), 'chats')),
  isRecordFile: (name) => name.endsWith('.jsonl'),
  hasId: (name, id) => name === `${id}.jsonl`,
  turnOf,
  inContext,
  comesLate: true,
  enteredText(record) {
    const isEntered = record.type === 'user' && (textField(record, 'provenance') ?? 'real_user') === 'real_user'
    return isEntered ? textOf(record) || null : null
  },
  spokenIn: ({ type, message }) => (SPOKEN.includes(type) ? message : null),
  answerOf(record) {
    const text = record.type === 'assistant' ? textOf(record) : ''
    const event = uiEvent(record)
    // Every answer of a model is counted here, including those to its own questions.
    const isAnswer = textField(event, 'event.name') === 'qwen-code.api_response'
    if (!isAnswer) return text === '' ? null : { model: textField(record, 'model'), usage: null, text }
    return { model: textField(event, 'model'), usage: usageOf(event!), text: '' }
  },
  cut: {
    fileName: (id) => `${id}.jsonl`,
    idOf: (name) => name.slice(0, -'.jsonl'.length),
    links: (record) => ({ id: textField(record, 'uuid'), parent: textField(record, 'parentUuid') }),
    directory: (record) => textField(record, 'cwd'),
    copied: (record, { id, moved }) => withFields(record, { sessionId: id, cwd: moved(record.cwd) }),
  },
}

const SPOKEN: readonly unknown[] = ['user', 'assistant', 'tool_result']

function turnOf(record: JsonObject): RecordedTurn | null {
  const at = timeField(record, 'timestamp')
  if (!at) return null
  switch (record.type) {
    case 'user':
      if (textOf(record) === '') return null
      return { kind: 'working', at, evidence: 'qwen: a message to it is newest', isOnScreenFirst: true }
    case 'tool_result':
      return textField(objectField(record, 'toolCallResult'), 'status') === 'cancelled'
        ? { kind: 'finished', at, evidence: 'qwen: a tool was refused' }
        : { kind: 'working', at, evidence: 'qwen: a tool has answered', isOnScreenFirst: true }
    case 'assistant':
      if (parts(record).some((part) => objectField(part, 'functionCall') !== null)) {
        return { kind: 'working', at, evidence: 'qwen: a tool has not answered yet', mayWait: true }
      }
      return { kind: 'finished', at, evidence: 'qwen: its answer is complete' }
    case 'system':
      return errorEvent(record, at)
    default:
      return null
  }
}

function errorEvent(record: JsonObject, at: Date): RecordedTurn | null {
  const event = uiEvent(record)
  if (textField(event, 'event.name') !== 'qwen-code.api_error') return null
  return { kind: 'failed', at, evidence: `qwen: ${(textField(event, 'error_message') ?? 'an error').slice(0, 200)}` }
}

/** It retries this often before it gives up, and waits for up to half a minute in between. */
const MOST_ATTEMPTS = 7
const LONGEST_WAIT_MS = 45_000
/** Retrying would not help, so it does not. */
const FINAL = /^(?:400|401|403|404|413|422)\b/

function inContext(records: readonly JsonObject[], turn: RecordedTurn, now: Date): RecordedTurn {
  if (turn.kind !== 'failed') return turn
  const errors = trailingErrors(records)
  const waits = now.getTime() - turn.at.getTime() < LONGEST_WAIT_MS
  if (errors.length >= MOST_ATTEMPTS || !waits || FINAL.test(errors[0] ?? '')) return turn
  return { kind: 'working', at: turn.at, evidence: `${turn.evidence}; it tries again` }
}

/** Messages of the errors since anything else happened, the newest first. */
function trailingErrors(records: readonly JsonObject[]): string[] {
  const messages: string[] = []
  for (const record of records.toReversed()) {
    const turn = turnOf(record)
    if (turn && turn.kind !== 'failed') break
    if (turn) messages.push(turn.evidence.replace(/^qwen: /, ''))
  }
  return messages
}

function uiEvent(record: JsonObject): JsonObject | null {
  return objectField(objectField(record, 'systemPayload'), 'uiEvent')
}

function parts(record: JsonObject): unknown[] {
  return listField(objectField(record, 'message'), 'parts')
}

function textOf(record: JsonObject): string {
  return textsField(objectField(record, 'message'), 'parts')
}

/** Cached tokens are counted as input too; thinking is billed as output. */
function usageOf(usage: JsonObject): TokenUsage {
  const cached = countField(usage, 'cached_content_token_count')
  return {
    ...emptyUsage(),
    inputTokens: Math.max(0, countField(usage, 'input_token_count') - cached),
    outputTokens: countField(usage, 'output_token_count'),
    cacheReadTokens: cached,
  }
}
