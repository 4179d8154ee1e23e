// Qwen Code: `~/.qwen/projects/{workspace}/chats/{id}.jsonl`. Pure.
import { join } from 'node:path'
import { emptyUsage, type TokenUsage } from '../agent-files/cost/prices.ts'
import { countField, listField, objectField, textField, timeField } from '../agent-files/json-fields.ts'
import { pathAndTarget } from '../agent-files/list-directory.ts'
import type { JsonObject } from '../agent-files/read-jsonl.ts'
import type { RecordedTurn, RecordFormat } from './record-format.ts'

export const qwenRecords: RecordFormat = {
  dataDir: (home, env) => env.QWEN_HOME || join(home, '.qwen'),
  places: (dataDir, workspacePath) =>
    pathAndTarget(workspacePath).map((path) => join(dataDir, 'projects', path.replace(/[^A-Za-z0-9]/g, '-'), 'chats')),
  isRecordFile: (name) => name.endsWith('.jsonl'),
  hasId: (name, id) => name === `${id}.jsonl`,
  turnOf,
  enteredText(record) {
    const isEntered = record.type === 'user' && (textField(record, 'provenance') ?? 'real_user') === 'real_user'
    return isEntered ? textOf(record) || null : null
  },
  answerOf(record) {
    if (record.type !== 'assistant') return null
    const usage = objectField(record, 'usageMetadata')
    return { model: textField(record, 'model'), usage: usage && usageOf(usage), text: textOf(record) }
  },
}

function turnOf(record: JsonObject): RecordedTurn | null {
  const at = timeField(record, 'timestamp')
  if (!at) return null
  switch (record.type) {
    case 'user':
      return textOf(record) === '' ? null : { kind: 'working', at, evidence: 'qwen: a message to it is newest' }
    case 'tool_result':
      return textField(objectField(record, 'toolCallResult'), 'status') === 'cancelled'
        ? { kind: 'finished', at, evidence: 'qwen: a tool was refused' }
        : { kind: 'working', at, evidence: 'qwen: a tool has answered' }
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
  const event = objectField(objectField(record, 'systemPayload'), 'uiEvent')
  if (textField(event, 'event.name') !== 'qwen-code.api_error') return null
  return { kind: 'failed', at, evidence: `qwen: ${(textField(event, 'error_message') ?? 'an error').slice(0, 200)}` }
}

function parts(record: JsonObject): unknown[] {
  return listField(objectField(record, 'message'), 'parts')
}

function textOf(record: JsonObject): string {
  return parts(record)
    .flatMap((part) => textField(part, 'text') ?? [])
    .join('\n')
}

/** What came from the cache is counted as input too; thinking is billed as output. */
function usageOf(usage: JsonObject): TokenUsage {
  const cached = countField(usage, 'cachedContentTokenCount')
  return {
    ...emptyUsage(),
    inputTokens: Math.max(0, countField(usage, 'promptTokenCount') - cached),
    outputTokens: countField(usage, 'candidatesTokenCount'),
    cacheReadTokens: cached,
  }
}
