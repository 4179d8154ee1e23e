// pi: `~/.pi/agent/sessions/--{workspace}--/{time}_{id}.jsonl`. Pure.
import { join } from 'node:path'
import {
  countField,
  type JsonObject,
  objectField,
  textField,
  textsField,
  timeField,
} from '../../core/text/json-fields.ts'
import { pathAndTarget } from '../agent-files/list-directory.ts'
import { emptyUsage, type TokenUsage } from '../agent-files/prices.ts'
import type { RecordedTurn } from '../agent-files/turn-event.ts'
import type { RecordFormat } from './record-format.ts'

export const piRecords: RecordFormat = {
  dataDir: (home, env) => env.PI_CODING_AGENT_DIR || join(home, '.pi', 'agent'),
  directories: (dataDir, workspacePath) =>
    pathAndTarget(workspacePath).map((path) =>
      join(dataDir, 'sessions', `--${path.replace(/^\//, '').replaceAll(/[/\\:]/g, '-')}--`),
    ),
  isRecordFile: (name) => name.endsWith('.jsonl'),
  hasId: (name, id) => name.endsWith(`_${id}.jsonl`),
  turnOf,
  enteredText(record) {
    const message = objectField(record, 'message')
    return textField(message, 'role') === 'user' ? textOf(message) || null : null
  },
  spokenIn({ type, message }) {
    return type === 'message' && textField(message, 'role') !== 'system' ? message : null
  },
  answerOf(record) {
    const message = objectField(record, 'message')
    if (textField(message, 'role') !== 'assistant') return null
    const usage = objectField(message, 'usage')
    return { model: textField(message, 'model'), usage: usage && usageOf(usage), text: textOf(message) }
  },
  cut: {
    fileName: (id, now) => `${now.toISOString().replaceAll(/[:.]/g, '-')}_${id}.jsonl`,
    idOf: (name) => name.slice(name.lastIndexOf('_') + 1, -'.jsonl'.length),
    links: (record) =>
      record.type === 'session'
        ? { id: null, parent: null }
        : { id: textField(record, 'id'), parent: textField(record, 'parentId') },
    directory: (record) => (record.type === 'session' ? textField(record, 'cwd') : null),
    copied: (record, { id, moved }) => (record.type === 'session' ? { ...record, id, cwd: moved(record.cwd) } : record),
  },
}

function turnOf(record: JsonObject): RecordedTurn | null {
  const at = timeField(record, 'timestamp')
  if (!at) return null
  // A failed answer is removed from the conversation and requested again.
  if (record.type === 'context_edit') return { kind: 'working', at, evidence: 'pi: it tries again' }
  if (record.type !== 'message') return null
  const message = objectField(record, 'message')
  switch (textField(message, 'role')) {
    case 'user':
      return { kind: 'working', at, evidence: 'pi: a message to it is newest' }
    case 'toolResult':
      return { kind: 'working', at, evidence: 'pi: a tool has answered' }
    case 'assistant':
      return answerEvent(message!, at)
    default:
      return null
  }
}

function answerEvent(message: JsonObject, at: Date): RecordedTurn {
  const reason = textField(message, 'stopReason')
  if (reason === 'toolUse') return { kind: 'working', at, evidence: 'pi: a tool has not answered yet' }
  if (reason === 'error') {
    return { kind: 'failed', at, evidence: `pi: ${(textField(message, 'errorMessage') ?? 'an error').slice(0, 200)}` }
  }
  return { kind: 'finished', at, evidence: `pi: its turn ended (${reason ?? 'no reason given'})` }
}

function textOf(message: JsonObject | null): string {
  return textField(message, 'content') ?? textsField(message, 'content')
}

function usageOf(usage: JsonObject): TokenUsage {
  return {
    ...emptyUsage(),
    inputTokens: countField(usage, 'input'),
    outputTokens: countField(usage, 'output'),
    cacheReadTokens: countField(usage, 'cacheRead'),
    cacheWriteTokens: countField(usage, 'cacheWrite'),
  }
}
