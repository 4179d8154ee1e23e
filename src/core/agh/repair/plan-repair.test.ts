import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sampleMeta } from '../../../../test/agh/sample-meta.ts'
import type { EventDraft, EventRow, EventType } from '../../../contract/agh/events.ts'
import type { SessionMeta } from '../../../contract/agh/session-meta.ts'
import { INTERRUPTED_TOOL, interruptedResult } from './interrupted-tool.ts'
import { emptyOutline, foldOutline, mayNeedRepair, planRepair } from './plan-repair.ts'
import { repairMeta } from './repair-meta.ts'

const NOW = '2026-02-02T00:00:00.000Z'
const crashed = repairMeta(sampleMeta({ state: 'active' }), NOW)

function history(...events: Array<[turn: string | null, type: EventType, content?: object]>): EventRow[] {
  return events.map(([turn_id, type, content = {}], index) => ({
    sequence: index + 1,
    turn_id,
    type,
    timestamp: NOW,
    content: JSON.stringify(content),
  }))
}

function outlineOf(rows: readonly EventRow[]) {
  const outline = emptyOutline()
  for (const { sequence, turn_id, type, content } of rows) {
    const value = read(content)
    const { toolCallId = null, title = null } = value ?? {}
    foldOutline(outline, { sequence, turn_id, type, is_sound: value !== null, tool_call_id: toolCallId, title })
  }
  return outline
}

function read(content: string): { toolCallId?: string; title?: string } | null {
  try {
    return JSON.parse(content)
  } catch {
    return null
  }
}

function append(rows: EventRow[], drafts: EventDraft[]): EventRow[] {
  return [
    ...rows,
    ...drafts.map((draft, index) => ({
      ...draft,
      sequence: rows.length + index + 1,
      timestamp: NOW,
      content: JSON.stringify(draft.content),
    })),
  ]
}

const planFor = (meta: SessionMeta, rows: readonly EventRow[]) => planRepair(meta, outlineOf(rows))

describe('repairMeta', () => {
  it.each([
    ['S4.94 S4.68', 'active', 'agent_crashed', 'process_exit', 'daemon crashed while session active'],
    ['S4.95 S4.68', 'stopping', 'agent_crashed', 'process_exit', 'stop did not complete'],
    ['S4.96', 'starting', 'error', 'startup_failure', 'start did not complete'],
  ] as const)('%s repairs a stale %s', (_id, state, stop_reason, kind, stop_detail) => {
    expect(repairMeta(sampleMeta({ state }), NOW)).toMatchObject({
      state: 'stopped',
      stop_reason,
      stop_detail,
      failure: { kind },
    })
  })

  it('leaves a stopped session alone', () => {
    const meta = sampleMeta({ state: 'stopped' })
    expect(repairMeta(meta, NOW)).toBe(meta)
  })
})

describe('planRepair', () => {
  const interrupted = history(
    ['t1', 'user_message'],
    ['t1', 'tool_call', { toolCallId: 'a', title: 'npm test' }],
    ['t1', 'tool_call', { toolCallId: 'b', title: 'ls' }],
    ['t1', 'tool_result', { toolCallId: 'b' }],
    [null, 'session_stopped'],
  )

  it('S4.99 ends dangling tool calls, then the turn', () => {
    const { actions, drafts } = planFor(crashed, interrupted)
    expect(actions).toEqual([
      { code: 'append_interrupted_tool_result', turn_id: 't1', tool_call_id: 'a' },
      { code: 'append_terminal_error', turn_id: 't1' },
    ])
    expect(JSON.stringify(drafts[0])).toContain(INTERRUPTED_TOOL)
    expect(drafts[1]).toMatchObject({ type: 'error', content: { stop_reason: 'agent_crashed' } })
  })

  it('S4.98 repairs every interrupted turn, not only the last', () => {
    const rows = history(['t1', 'user_message'], ['t2', 'user_message'], ['t2', 'done'], [null, 'session_stopped'])
    expect(planFor(crashed, rows).actions).toEqual([{ code: 'append_terminal_error', turn_id: 't1' }])
  })

  it('S4.100 leaves a finished history unchanged', () => {
    expect(planFor(crashed, history(['t1', 'user_message'], ['t1', 'done'])).drafts).toEqual([])
    expect(planFor(crashed, []).drafts).toEqual([])
  })

  it('S4.100 S4.101 finds nothing to do after a repair, whatever the history', () => {
    const event = fc.tuple(
      fc.constantFrom('t1', 't2', null),
      fc.constantFrom<EventType>('user_message', 'tool_call', 'tool_result', 'agent_message', 'done', 'error'),
      fc.record({ toolCallId: fc.constantFrom('a', 'b') }),
    )
    fc.assert(
      fc.property(fc.array(event, { maxLength: 20 }), (events) => {
        const rows = history(...events)
        expect(planFor(crashed, append(rows, planFor(crashed, rows).drafts)).drafts).toEqual([])
      }),
    )
  })

  it('refuses to build on a damaged history', () => {
    const [first] = history(['t1', 'user_message'])
    expect(planFor(crashed, [{ ...first!, content: '{' }])).toMatchObject({
      drafts: [],
      issues: [{ code: 'invalid_event_json' }],
    })
    expect(planFor(crashed, [first!, first!])).toMatchObject({
      drafts: [],
      issues: [{ code: 'event_sequence_regression' }],
    })
  })

  it('refuses a session that is not stopped', () => {
    expect(planFor(sampleMeta({ state: 'active' }), interrupted)).toMatchObject({
      drafts: [],
      issues: [{ code: 'session_not_stopped' }],
    })
  })
})

describe('what a repair finds', () => {
  it.each([
    ['crashed', { stop_reason: 'agent_crashed' }, true],
    ['failed', { stop_reason: 'error' }, true],
    ['was stopped', { stop_reason: 'user_canceled' }, false],
    ['runs', { state: 'active', stop_reason: 'error' }, false],
    ['was checked since', { stop_reason: 'error', checked_sequence: 4 }, false],
    ['was checked before', { stop_reason: 'error', checked_sequence: 3 }, true],
  ] as const)('is searched for in a session that %s: %j', (_which, changes, expected) => {
    expect(mayNeedRepair(sampleMeta({ state: 'stopped', last_sequence: 4, ...changes }))).toBe(expected)
  })

  const row = { turn_id: 't1', type: 'thought', is_sound: true, tool_call_id: null, title: null } as const
  const found = (...rows: object[]) => {
    const outline = emptyOutline()
    for (const one of rows) foldOutline(outline, { sequence: 1, ...row, ...one })
    return planRepair(crashed, outline)
  }

  it.each<[string, object[], object[]]>([
    ['nothing', [{ type: 'done' }], [{ code: 'nothing_to_repair', severity: 'info' }]],
    [
      'a gap',
      [{}, { sequence: 5 }],
      [{ code: 'event_sequence_gap', severity: 'warning', detail: 'Events 2 to 4 are missing' }],
    ],
    [
      'a step back',
      [{ sequence: 2 }, { sequence: 1 }, { sequence: 9 }],
      [{ code: 'event_sequence_regression', severity: 'error' }],
    ],
    ['the same number twice', [{}, {}], [{ code: 'event_sequence_regression', severity: 'error' }]],
    [
      'an event that cannot be read',
      [{ is_sound: false }, { sequence: 9 }],
      [{ code: 'invalid_event_json', severity: 'error' }],
    ],
    [
      'a tool without a name',
      [{ type: 'tool_call' }],
      [{ code: 'tool_call_without_id', severity: 'warning', turn_id: 't1' }],
    ],
  ])('is %s', (_what, rows, issues) => {
    expect(found(...rows).issues).toMatchObject(issues)
    expect(found(...rows).issues).toHaveLength(issues.length)
  })

  it('of a turn is its end, and the results of its tools', () => {
    const call = { type: 'tool_call', tool_call_id: 'c', title: 'ls' }
    expect(found(call).drafts).toMatchObject([
      {
        type: 'tool_result',
        content: {
          ...{ sessionUpdate: 'tool_call_update', toolCallId: 'c', title: 'ls', status: 'failed' },
          content: [{ type: 'content', content: { type: 'text', text: expect.stringContaining('interrupted') } }],
          _meta: { agh: { repair: true } },
        },
      },
      { type: 'error', content: { error: expect.stringContaining('interrupted'), repair: true } },
    ])
    expect(interruptedResult('c', 'ls')._meta).toEqual({ agh: { interrupted: true } })
  })
})
