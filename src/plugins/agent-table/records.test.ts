// Records as the real programs wrote them: Qwen Code 0.24.4, pi 0.87.1, Copilot CLI 1.0.102.
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../core/text/json-fields.ts'
import { lastTurnIn } from '../agent-files/turn-event.ts'
import { copilotRecords } from './copilot-records.ts'
import { piRecords } from './pi-records.ts'
import { qwenRecords } from './qwen-records.ts'
import type { RecordFormat } from './record-format.ts'

const timestamp = '2026-11-15T01:18:34.661Z'
const qwen = (type: string, more: object = {}) => ({ type, timestamp, provenance: 'real_user', ...more })
const parts = (...some: object[]) => ({ message: { parts: some } })
const pi = (role: string, more: object = {}) => ({ type: 'message', timestamp, message: { role, ...more } })
const copilot = (type: string, data: object = {}) => ({ type, timestamp, data })
const telemetry = (name: string, more: object) =>
  qwen('system', { subtype: 'ui_telemetry', systemPayload: { uiEvent: { 'event.name': name, ...more } } })

const CASES: Array<[string, RecordFormat, JsonObject[], string | null]> = [
  ['qwen: a message', qwenRecords, [qwen('user', parts({ text: 'go' }))], 'working'],
  ['qwen: a tool', qwenRecords, [qwen('assistant', parts({ functionCall: { name: 'x' } }))], 'working'],
  [
    'qwen: a tool has answered',
    qwenRecords,
    [qwen('tool_result', { toolCallResult: { status: 'success' } })],
    'working',
  ],
  [
    'qwen: a tool was refused',
    qwenRecords,
    [qwen('tool_result', { toolCallResult: { status: 'cancelled' } })],
    'finished',
  ],
  ['qwen: an answer', qwenRecords, [qwen('assistant', parts({ text: 'done' }))], 'finished'],
  ['qwen: an error', qwenRecords, [telemetry('qwen-code.api_error', { error_message: '500' })], 'failed'],
  ['qwen: a count of tokens says nothing', qwenRecords, [telemetry('qwen-code.api_response', {})], null],
  ['pi: a message', piRecords, [pi('user')], 'working'],
  ['pi: a tool', piRecords, [pi('assistant', { stopReason: 'toolUse' })], 'working'],
  ['pi: an answer', piRecords, [pi('assistant', { stopReason: 'stop' })], 'finished'],
  ['pi: Escape', piRecords, [pi('assistant', { stopReason: 'aborted' })], 'finished'],
  ['pi: an error', piRecords, [pi('assistant', { stopReason: 'error', errorMessage: '500' })], 'failed'],
  [
    'pi: an error that is tried again',
    piRecords,
    [pi('assistant', { stopReason: 'error' }), { type: 'context_edit', timestamp, replacement: null }],
    'working',
  ],
  ['pi: the beginning', piRecords, [{ type: 'session', timestamp }, pi('system')], null],
  ['copilot: a message', copilotRecords, [copilot('user.message', { content: 'go' })], 'working'],
  ['copilot: a tool', copilotRecords, [copilot('assistant.message', { toolRequests: [{}] })], 'working'],
  ['copilot: a question', copilotRecords, [copilot('permission.requested')], 'waiting'],
  [
    'copilot: an answered question',
    copilotRecords,
    [copilot('permission.requested'), copilot('permission.completed')],
    'working',
  ],
  [
    'copilot: an answer, and the end of its step',
    copilotRecords,
    [copilot('assistant.message', { content: 'ok', toolRequests: [] }), copilot('assistant.turn_end')],
    'finished',
  ],
  ['copilot: Escape', copilotRecords, [copilot('assistant.turn_start'), copilot('abort')], 'finished'],
  ['copilot: an error', copilotRecords, [copilot('session.error', { message: '500' })], 'failed'],
  [
    'copilot: a command typed by the person is not a turn',
    copilotRecords,
    [copilot('assistant.message', { toolRequests: [] }), copilot('tool.execution_complete', { isUserRequested: true })],
    'finished',
  ],
]

describe('what the newest record says', () => {
  it.each(CASES)('%s', (_name, format, records, kind) => {
    expect(lastTurnIn(records, format.turnOf)?.kind ?? null).toBe(kind)
  })

  it.each([qwenRecords, piRecords, copilotRecords])(
    'records of another kind say nothing and break nothing',
    (format) => {
      const odd = [
        {},
        { type: 'message' },
        { type: 'user', timestamp, message: 7 },
        { type: 5, timestamp: 'x' },
      ] as JsonObject[]
      for (const record of odd) {
        expect(format.turnOf(record)).toBeNull()
        expect(format.enteredText(record)).toBeNull()
        expect(format.answerOf(record)?.usage ?? null).toBeNull()
      }
    },
  )
})

describe('what was entered, and what it cost', () => {
  it.each([
    ['qwen', qwenRecords, qwen('user', parts({ text: 'a' }, { text: 'b' })), 'a\nb'],
    ['qwen: what the program adds', qwenRecords, qwen('user', { provenance: 'system', ...parts({ text: 'a' }) }), null],
    ['pi', piRecords, pi('user', { content: [{ type: 'text', text: 'a' }] }), 'a'],
    ['copilot', copilotRecords, copilot('user.message', { content: 'a', transformedContent: 'b' }), 'a'],
  ])('%s', (_name, format, record, text) => {
    expect(format.enteredText(record as JsonObject)).toBe(text)
  })

  it.each([
    [
      'qwen',
      qwenRecords,
      telemetry('qwen-code.api_response', {
        model: 'm',
        input_token_count: 100,
        output_token_count: 20,
        cached_content_token_count: 40,
      }),
    ],
    ['pi', piRecords, pi('assistant', { model: 'm', usage: { input: 60, output: 20, cacheRead: 40, cacheWrite: 0 } })],
    [
      'copilot',
      copilotRecords,
      copilot('session.usage_record', {
        usage: { model: 'm', inputTokens: 100, outputTokens: 20, cacheReadTokens: 40 },
      }),
    ],
  ])('%s: 60 in, 40 from the cache, 20 out', (_name, format, record) => {
    expect(format.answerOf(record as JsonObject)).toMatchObject({
      model: 'm',
      usage: { inputTokens: 60, cacheReadTokens: 40, outputTokens: 20 },
    })
  })
})

describe('an error of Qwen Code', () => {
  const error = (message: string) => telemetry('qwen-code.api_error', { error_message: message })
  const message = qwen('user', parts({ text: 'go' }))
  const later = (ms: number) => new Date(Date.parse(timestamp) + ms)
  const kindOf = (records: JsonObject[], now: Date) =>
    qwenRecords.inContext!(records, lastTurnIn(records, qwenRecords.turnOf)!, now).kind

  it('is work as long as it will be tried again', () => {
    expect(kindOf([message, error('500 x'), error('500 x')], later(10_000))).toBe('working')
  })

  it.each([
    ['after the last attempt', [message, ...Array.from({ length: 7 }, () => error('500 x'))], 0],
    ['when nothing followed for long', [message, error('429 x')], 60_000],
    ['when trying again would not help', [message, error('401 x')], 0],
  ])('is an error %s', (_name, records, ms) => {
    expect(kindOf(records, later(ms))).toBe('failed')
  })

  it('is counted since the last message', () => {
    const earlier = Array.from({ length: 7 }, () => error('500 x'))
    expect(kindOf([...earlier, message, error('500 x')], later(0))).toBe('working')
  })
})
