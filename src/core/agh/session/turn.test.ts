import { describe, expect, it } from 'vitest'
import {
  activityOf,
  evolveTurn,
  metaAfterTurn,
  newTurn,
  type SupervisionSettings,
  supervise,
  type TurnInput,
} from './turn.ts'
import { answeredTurn, classifyRefusal, failedTurn } from './turn-end.ts'

const MINUTE = 60_000
const settings: SupervisionSettings = {
  progressNotifyMs: 10 * MINUTE,
  warningAfterMs: 15 * MINUTE,
  timeoutMs: 30 * MINUTE,
  cancelGraceMs: MINUTE / 2,
}
const begin = () => newTurn('turn-1', 'user', 0)
const say: TurnInput = { type: 'update', update: { sessionUpdate: 'agent_message_chunk' } }

describe('evolveTurn', () => {
  it('S4.29 moves the last activity with every update of the agent', () => {
    expect(evolveTurn(begin(), say, 5_000)).toMatchObject({ lastActivityAt: 5_000, lastActivityKind: 'agent_message' })
  })

  it.each([
    ['S4.30 moves it for a heartbeat with evidence', ['tool_running'] as const, 5_000],
    ['S4.31 does not move it for a process that is merely alive', [] as const, 0],
  ])('%s', (_name, evidence, at) => {
    expect(evolveTurn(begin(), { type: 'heartbeat', evidence }, 5_000).lastActivityAt).toBe(at)
  })

  it('S4.39 S4.40 tracks the turn, its times, and the tool that runs', () => {
    const call = { sessionUpdate: 'tool_call', toolCallId: 'c1', title: 'npm test', status: 'in_progress' }
    const running = evolveTurn(begin(), { type: 'update', update: call }, 4_000)
    expect(activityOf(running, 9_000)).toEqual({
      turn_id: 'turn-1',
      turn_source: 'user',
      turn_started_at: '1970-01-01T00:00:00.000Z',
      last_activity_at: '1970-01-01T00:00:04.000Z',
      last_activity_kind: 'tool_call',
      last_activity_detail: 'npm test',
      current_tool: 'npm test',
      tool_call_id: 'c1',
      last_progress_at: null,
      idle_seconds: 5,
      elapsed_seconds: 9,
    })
    const result = { sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed' }
    expect(activityOf(evolveTurn(running, { type: 'update', update: result }, 5_000), 5_000).current_tool).toBeNull()
  })

  it.each<[string, TurnInput, string, string]>([
    ['words', say, 'agent_message', ''],
    [
      'a heartbeat',
      { type: 'heartbeat', evidence: ['tool_running', 'cpu_progress'] },
      'waiting',
      'tool_running, cpu_progress',
    ],
    ['a question', { type: 'permission', detail: 'x'.repeat(300) }, 'permission', 'x'.repeat(200)],
  ])('says that its last activity was %s', (_what, input, last_activity_kind, last_activity_detail) => {
    expect(activityOf(begin(), 0)).toMatchObject({ last_activity_kind: 'prompt_started', last_activity_detail: '' })
    expect(activityOf(evolveTurn(begin(), input, 1), 1)).toMatchObject({ last_activity_kind, last_activity_detail })
  })

  it('begins its silence and its cancel anew under another daemon', () => {
    const adopted = (turn = begin()) => evolveTurn(turn, { type: 'adopted' }, 7)
    expect(adopted()).toMatchObject({ lastActivityAt: 7, cancel: null })
    const cancelled = evolveTurn(begin(), { type: 'cancel_sent', why: 'user' }, 1)
    expect(adopted(cancelled)).toMatchObject({ lastActivityAt: 7, cancel: { at: 7, why: 'user' } })
  })

  it('says when it last reported its progress', () => {
    const told = evolveTurn(begin(), { type: 'progress_notified' }, 3_000)
    expect(activityOf(told, 4_000).last_progress_at).toBe('1970-01-01T00:00:03.000Z')
  })

  it('takes only tool calls for tools', () => {
    const update = { sessionUpdate: 'plan', toolCallId: 'c1' }
    const nameless = { sessionUpdate: 'tool_call', title: 'x', status: 'pending' }
    for (const one of [update, nameless])
      expect(evolveTurn(begin(), { type: 'update', update: one }, 1).openTools.size).toBe(0)
  })

  it('keeps the first reason for a cancel', () => {
    const cancelled = evolveTurn(begin(), { type: 'cancel_sent', why: 'user' }, 1)
    expect(evolveTurn(cancelled, { type: 'cancel_sent', why: 'inactivity' }, 2).cancel).toEqual({ at: 1, why: 'user' })
  })
})

describe('supervise', () => {
  it.each([
    [9 * MINUTE, []],
    [10 * MINUTE, ['notify_progress']],
    [15 * MINUTE, ['notify_progress', 'warn']],
    [30 * MINUTE, ['notify_progress', 'warn', 'cancel']],
  ])('S4.42 S4.43 S4.44 acts after %i ms of silence', (now, actions) => {
    expect(supervise(begin(), settings, now)).toEqual(actions)
  })

  it('S4.42 repeats progress only after its interval', () => {
    const told = evolveTurn(evolveTurn(begin(), { type: 'progress_notified' }, 10 * MINUTE), say, 10 * MINUTE)
    expect(supervise(told, settings, 19 * MINUTE)).toEqual([])
    expect(supervise(told, settings, 20 * MINUTE)).toEqual(['notify_progress'])
  })

  it('S4.43 warns once', () => {
    const warned = evolveTurn(begin(), { type: 'warned' }, 15 * MINUTE)
    expect(supervise(warned, { ...settings, progressNotifyMs: 0 }, 20 * MINUTE)).toEqual([])
  })

  it('S4.38 S4.55 leaves a prompt of hours alone while it works', () => {
    let turn = begin()
    for (let now = 0; now < 600 * MINUTE; now += 14 * MINUTE) {
      expect(supervise(turn, { ...settings, progressNotifyMs: 0 }, now)).toEqual([])
      turn = evolveTurn(turn, say, now)
    }
  })

  it('S4.45 S4.46 S4.56 waits the grace after the cancel, then stops', () => {
    const cancelled = evolveTurn(begin(), { type: 'cancel_sent', why: 'inactivity' }, 30 * MINUTE)
    expect(supervise(cancelled, settings, 30 * MINUTE + 29_999)).toEqual([])
    expect(supervise(cancelled, settings, 30 * MINUTE + 30_000)).toEqual(['stop'])
  })

  it('does not stop a session because a person cancelled its prompt', () => {
    const cancelled = evolveTurn(begin(), { type: 'cancel_sent', why: 'user' }, 0)
    expect(supervise(cancelled, settings, 600 * MINUTE)).toEqual([])
  })

  it('turns a limit of 0 off', () => {
    const off = { progressNotifyMs: 0, warningAfterMs: 0, timeoutMs: 0, cancelGraceMs: 0 }
    expect(supervise(begin(), off, 600 * MINUTE)).toEqual([])
  })
})

describe('the end of a turn', () => {
  const cancelled = (why: 'user' | 'inactivity') => evolveTurn(begin(), { type: 'cancel_sent', why }, 1)
  const failure = { kind: 'prompt_failure', summary: 'no', detail: null } as never

  it('is its answer, with who cancelled it', () => {
    const answer = (stopReason: string | null, turn = begin()) => answeredTurn(turn, { stopReason, usage: null })
    expect(answer('end_turn')).toMatchObject({ interrupted: false, event: { content: { canceled_by: null } } })
    expect(answer('cancelled', cancelled('user'))).toMatchObject({
      ...{ interrupted: true, failure: null },
      event: { type: 'done', content: { stop_reason: 'cancelled', canceled_by: 'user' } },
    })
  })

  it('is a cancellation only when it was asked for', () => {
    expect(classifyRefusal(begin(), -32_000)).toBe('prompt_failure')
    expect(classifyRefusal(cancelled('user'), -32_000)).toBe('cancellation')
    expect(classifyRefusal(cancelled('inactivity'), -32_000)).toBe('timeout')
  })

  it('leaves its preface for the next one if the agent did not get it', () => {
    const done = metaAfterTurn(begin(), answeredTurn(begin(), { stopReason: 'end_turn', usage: null }))
    expect(done).toEqual({ activity: null, last_activity_at: '1970-01-01T00:00:00.000Z', failure: null, preface: [] })
    expect(metaAfterTurn(begin(), failedTurn(failure))).not.toHaveProperty('preface')
  })
})
