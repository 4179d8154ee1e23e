import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type EventType, type SessionEvent, toSessionEvent } from '../../../contract/agh/events.ts'
import { createUiStream, toUiParts, type UiPart } from './ui-stream.ts'

type Draft = readonly [type: EventType, content: Record<string, unknown>, turn?: string | null]

function parts(...drafts: Draft[]): UiPart[] {
  const stream = createUiStream()
  return drafts.flatMap(([type, content, turn_id = 't1'], index) => {
    const row = { sequence: index + 1, turn_id, type, timestamp: '', content: JSON.stringify(content) }
    return toUiParts(stream, toSessionEvent('s', row))
  })
}
const text = (wording: string) => ({ content: { type: 'text', text: wording } })
const user: Draft = ['user_message', { text: 'hello' }]
const done: Draft = ['done', { stop_reason: 'end_turn', usage: { inputTokens: 1 } }]
const START = { type: 'start', messageId: 't1' }
const FINISH = {
  type: 'finish',
  finishReason: 'stop',
  messageMetadata: { stop_reason: 'end_turn', usage: { inputTokens: 1 } },
}
const dataOf = (sequence: number) => expect.objectContaining({ sequence }) as SessionEvent

/** What a reader of the protocol relies on. */
function checkForm(all: UiPart[]): void {
  expect([all[0]?.type, all.at(-1)?.type]).toEqual(['start', 'finish'])
  const open = new Set<unknown>()
  const inputs = new Set<unknown>()
  for (const { type, id, toolCallId } of all.slice(1, -1)) {
    expect(Object.keys(KEYS), type).toContain(type)
    if (type.endsWith('-start') && id !== undefined) {
      expect(open.size).toBe(0)
      open.add(id)
    }
    if (type.endsWith('-delta')) expect(open.has(id)).toBe(true)
    if (type.endsWith('-end')) expect(open.delete(id)).toBe(true)
    if (type === 'tool-input-available') inputs.add(toolCallId)
    if (type.startsWith('tool-output')) expect(inputs.has(toolCallId)).toBe(true)
  }
  expect(open.size).toBe(0)
  for (const part of all) expect(KEYS[part.type]).toEqual(expect.arrayContaining(Object.keys(part)))
}

/** The protocol allows no others. */
const TOOL = ['type', 'toolCallId', 'toolName', 'dynamic', 'title']
const KEYS: Record<string, string[]> = {
  start: ['type', 'messageId'],
  finish: ['type', 'finishReason', 'messageMetadata'],
  'text-start': ['type', 'id'],
  'text-delta': ['type', 'id', 'delta'],
  'text-end': ['type', 'id'],
  'reasoning-start': ['type', 'id'],
  'reasoning-delta': ['type', 'id', 'delta'],
  'reasoning-end': ['type', 'id'],
  'tool-input-start': TOOL,
  'tool-input-available': [...TOOL, 'input'],
  'tool-output-available': ['type', 'toolCallId', 'output', 'dynamic'],
  'tool-output-error': ['type', 'toolCallId', 'errorText', 'dynamic'],
  file: ['type', 'url', 'mediaType'],
  'data-agh-event': ['type', 'id', 'data', 'transient'],
  'data-agh-permission': ['type', 'id', 'data'],
}

describe('the UI message stream', () => {
  it.each<[string, Draft[], unknown[]]>([
    [
      'text in one block',
      [user, ['agent_message', text('a')], ['agent_message', text('b')], done],
      [
        START,
        { type: 'text-start', id: 't1-text-1' },
        { type: 'text-delta', id: 't1-text-1', delta: 'a' },
        { type: 'text-delta', id: 't1-text-1', delta: 'b' },
        { type: 'text-end', id: 't1-text-1' },
        FINISH,
      ],
    ],
    [
      'reasoning, then text: the one ends before the other begins',
      [user, ['thought', text('hm')], ['agent_message', text('a')], done],
      [
        START,
        { type: 'reasoning-start', id: 't1-reasoning-1' },
        { type: 'reasoning-delta', id: 't1-reasoning-1', delta: 'hm' },
        { type: 'reasoning-end', id: 't1-reasoning-1' },
        { type: 'text-start', id: 't1-text-2' },
        { type: 'text-delta', id: 't1-text-2', delta: 'a' },
        { type: 'text-end', id: 't1-text-2' },
        FINISH,
      ],
    ],
    [
      'a tool with its input and its output',
      [
        user,
        ['tool_call', { toolCallId: 'c', title: 'Read a.ts', kind: 'read', rawInput: { path: 'a.ts' } }],
        ['tool_result', { toolCallId: 'c', status: 'completed', content: [] }],
        done,
      ],
      [
        START,
        { type: 'tool-input-start', toolCallId: 'c', toolName: 'read', dynamic: true, title: 'Read a.ts' },
        { type: 'tool-input-available', toolCallId: 'c', toolName: 'read', dynamic: true, input: { path: 'a.ts' } },
        { type: 'data-agh-event', id: 'c', data: dataOf(2) },
        {
          type: 'tool-output-available',
          toolCallId: 'c',
          output: { toolCallId: 'c', status: 'completed', content: [] },
          dynamic: true,
        },
        FINISH,
      ],
    ],
    [
      'a tool that arrives finished: its input is empty, and sent before its output',
      [user, ['tool_result', { toolCallId: 'c', name: 'Bash', status: 'failed', content: [] }], done],
      [
        START,
        { type: 'tool-input-start', toolCallId: 'c', toolName: 'Bash', dynamic: true },
        { type: 'tool-input-available', toolCallId: 'c', toolName: 'Bash', dynamic: true, input: {} },
        { type: 'tool-output-error', toolCallId: 'c', errorText: 'it failed', dynamic: true },
        FINISH,
      ],
    ],
    [
      'a question and its answer under one id, a plan and usage in their places',
      [
        user,
        ['permission', { request_id: 'perm-1', decision: null }],
        ['permission', { request_id: 'perm-1', decision: 'allow-once' }],
        ['plan', { entries: [] }],
        ['usage', { used: 1 }],
        done,
      ],
      [
        START,
        { type: 'data-agh-permission', id: 'perm-1', data: dataOf(2) },
        { type: 'data-agh-permission', id: 'perm-1', data: dataOf(3) },
        { type: 'data-agh-event', id: 'plan', data: dataOf(4) },
        { type: 'data-agh-event', id: 'usage', data: dataOf(5) },
        FINISH,
      ],
    ],
    [
      'an image',
      [user, ['agent_message', { content: { type: 'image', data: 'aGk=', mimeType: 'image/png' } }], done],
      [START, { type: 'file', url: 'data:image/png;base64,aGk=', mediaType: 'image/png' }, FINISH],
    ],
    [
      'an error',
      [user, ['agent_message', text('a')], ['error', { error: 'boom', failure: { kind: 'process_exit' } }]],
      [
        START,
        { type: 'text-start', id: 't1-text-1' },
        { type: 'text-delta', id: 't1-text-1', delta: 'a' },
        { type: 'text-end', id: 't1-text-1' },
        { type: 'error', errorText: 'boom' },
        { type: 'finish', finishReason: 'error', messageMetadata: { failure: { kind: 'process_exit' } } },
      ],
    ],
    [
      'what belongs to no turn, or comes after its end, passes by',
      [['system', {}, null], user, done, ['agent_message', text('late')], ['session_stopped', {}, null]],
      [
        { type: 'data-agh-event', id: 'event-1', data: dataOf(1), transient: true },
        START,
        FINISH,
        { type: 'data-agh-event', id: 'event-4', data: dataOf(4), transient: true },
        { type: 'data-agh-event', id: 'event-5', data: dataOf(5), transient: true },
      ],
    ],
    [
      'two turns are two messages',
      [user, done, ['user_message', { text: 'again' }, 't2'], ['done', { stop_reason: 'cancelled' }, 't2']],
      [
        START,
        FINISH,
        { type: 'start', messageId: 't2' },
        { type: 'finish', finishReason: 'other', messageMetadata: { stop_reason: 'cancelled', usage: null } },
      ],
    ],
  ])('tells %s', (_name, drafts, expected) => {
    expect(parts(...drafts)).toEqual(expected)
  })

  it('is well formed, whatever the agent sends in whatever order', () => {
    const anyText = fc.constantFrom(text('a'), { content: { type: 'image', data: 'aGk=', mimeType: 'image/png' } }, {})
    const anyTool = fc.record({
      toolCallId: fc.constantFrom('c1', 'c2', undefined),
      status: fc.constantFrom('completed', 'failed', undefined),
      rawInput: fc.constantFrom(undefined, {}, { path: 'a' }),
    })
    const anyDraft = fc.oneof(
      fc.tuple(fc.constantFrom<EventType>('agent_message', 'thought'), anyText),
      fc.tuple(fc.constantFrom<EventType>('tool_call', 'tool_result'), anyTool),
      fc.tuple(fc.constantFrom<EventType>('plan', 'usage', 'system', 'permission', 'runtime_warning'), fc.constant({})),
    )
    fc.assert(
      fc.property(fc.array(anyDraft, { maxLength: 30 }), (drafts) => {
        checkForm(parts(user, ...drafts, done))
      }),
    )
  })

  it.each([
    ['end_turn', 'stop'],
    [null, 'stop'],
    ['max_tokens', 'length'],
    ['refusal', 'content-filter'],
    ['max_turn_requests', 'other'],
    ['cancelled', 'other'],
  ])('finishes %s as %s', (stop_reason, finishReason) => {
    expect(parts(user, ['done', { stop_reason }]).at(-1)).toMatchObject({ finishReason })
  })
})
