import { describe, expect, it } from 'vitest'
import { newTurn } from '../session/turn.ts'
import { answeredTurn, failedTurn } from '../session/turn-end.ts'
import type { Command, CommandOf } from './command.ts'
import { decide, evolve } from './decide.ts'
import { type Change, NEW_SESSION, type SessionState, stateWord, turnOf } from './session-state.ts'

const turn = newTurn('turn-1', 'user', 0)
const reached = (...changes: Change[]) => changes.reduce(evolve, NEW_SESSION)
const started: Change = { type: 'session_started', preface: [{ kind: 'recap', text: 'before' }] }
const began: Change = { type: 'turn_began', turn, from: null }
const waiting = { id: 'p1', text: 'later', source: 'user', queuedAt: '', keptAs: 'p1', messageId: null } as const
const queued: Change = { type: 'prompt_queued', prompt: waiting }
const cancelled: Change = { type: 'cancel_sent', why: 'user', at: 1 }
const ending: Change = { type: 'stop_accepted' }

const STATES = {
  starting: NEW_SESSION,
  idle: reached(started),
  working: reached(started, began),
  cancelling: reached(started, began, cancelled),
  'stopping in a turn': reached(started, began, ending),
  stopping: reached(started, ending),
  'a start that fails': reached(ending),
  stopped: reached(started, ending, { type: 'session_stopped' }),
} as const

const done = answeredTurn(turn, { stopReason: 'end_turn', usage: null })
const COMMANDS: { [T in Command['type']]: CommandOf<T> } = {
  activate: {
    type: 'activate',
    event: { type: 'session_started', content: { started_with: 'new', acp_session_id: 'a' } },
    preface: [],
    meta: { acp_session_id: 'a' },
  },
  adopt: { type: 'adopt', state: STATES.working, at: 9 },
  queue_prompt: { type: 'queue_prompt', prompt: waiting },
  edit_prompt: { type: 'edit_prompt', id: 'p1', text: 'sooner' },
  withdraw_prompt: { type: 'withdraw_prompt', id: 'p1' },
  begin_turn: {
    type: 'begin_turn',
    turn: newTurn('turn-2', 'user', 5),
    event: { type: 'user_message', content: { text: 'next', source: 'user' } },
  },
  approve: { type: 'approve' },
  revoke_grant: { type: 'revoke_grant', requestId: 'perm-1' },
  take_message: { type: 'take_message' },
  spawn_child: { type: 'spawn_child' },
  change_settings: { type: 'change_settings' },
  manage_conversations: { type: 'manage_conversations' },
  take_update: {
    type: 'take_update',
    update: { sessionUpdate: 'agent_message_chunk' },
    json: undefined,
    ofSession: 'a',
    ownSession: 'a',
    at: 2,
  },
  take_garbage: { type: 'take_garbage', line: 'not JSON' },
  record: { type: 'record', event: { type: 'permission', content: { title: 'rm', decision: null } } },
  cancel_turn: { type: 'cancel_turn', turnId: 'turn-1', why: 'user', at: 3 },
  end_turn: { type: 'end_turn', end: done },
  stop: { type: 'stop' },
  end: { type: 'end' },
  report_undelivered: { type: 'report_undelivered', waiting: { id: 'prompt:turn-3', text: 'later' } },
  finish: { type: 'finish', meta: { stop_reason: 'completed' } },
}

const NOT_ACTIVE = 'SESSION_NOT_ACTIVE'
const WRONG = 'STATE_REFUSED'
const BUSY = 'TURN_IN_PROGRESS'
const NOT_WAITING = Object.fromEntries(['idle', 'working', 'cancelling'].map((name) => [name, 'MESSAGE_NOT_WAITING']))
const CANCEL = 'cancelling withdraw_questions send_cancel'
type Name = keyof typeof STATES
type Row = Record<Name, string>

const every = (outcome: (name: Name) => string) =>
  Object.fromEntries((Object.keys(STATES) as Name[]).map((name) => [name, outcome(name)])) as Row
const phase = (name: Name) => STATES[name].phase.name
const whenActive = (changes: Partial<Row> = {}): Row => ({
  ...every((name) => (['idle', 'working', 'cancelling'].includes(name) ? name : NOT_ACTIVE)),
  ...changes,
})
const unlessStopped = (what: string) => every((name) => (name === 'stopped' ? 'stopped' : `${phase(name)} ${what}`))

/** The phase that follows, the effects, the events; or the code of the refusal. */
const TABLE: Record<Command['type'], Row> = {
  activate: { ...every(() => WRONG), starting: 'idle session_started!' },
  adopt: { ...every(() => WRONG), starting: 'working' },
  queue_prompt: whenActive(),
  edit_prompt: whenActive(NOT_WAITING),
  withdraw_prompt: whenActive(NOT_WAITING),
  begin_turn: whenActive({ idle: 'working user_message!', working: BUSY, cancelling: BUSY }),
  approve: whenActive(),
  revoke_grant: whenActive(
    Object.fromEntries(['idle', 'working', 'cancelling'].map((name) => [name, 'RULE_NOT_FOUND'])),
  ),
  take_message: whenActive(),
  spawn_child: whenActive(),
  change_settings: whenActive(),
  manage_conversations: whenActive(),
  take_update: unlessStopped('agent_message'),
  take_garbage: unlessStopped('system'),
  record: unlessStopped('permission'),
  cancel_turn: {
    ...every(phase),
    working: CANCEL,
    cancelling: CANCEL,
    'stopping in a turn': 'stopping withdraw_questions send_cancel',
  },
  end_turn: {
    ...every(phase),
    working: 'idle withdraw_questions done!',
    cancelling: 'idle withdraw_questions done!',
    'stopping in a turn': 'stopping withdraw_questions done!',
  },
  stop: { ...every(phase), starting: 'starting abort_start' },
  end: { ...every(() => 'stopping'), stopped: 'stopped' },
  report_undelivered: every((name) =>
    ['starting', 'stopping'].includes(phase(name)) ? `${phase(name)} user_message error!` : phase(name),
  ),
  finish: { ...every(() => WRONG), stopping: 'stopped', 'a start that fails': 'stopped' },
}

function outcome(state: SessionState, command: Command): string {
  const decision = decide('sess-1', state, command)
  if ('refusal' in decision) return decision.refusal.code
  const next = decision.change ? evolve(state, decision.change) : state
  const events = decision.drafts.map(({ type }) => type).join(' ')
  return [next.phase.name, ...decision.effects, decision.isDurable ? `${events}!` : events].filter(Boolean).join(' ')
}

describe('decide', () => {
  const cases = Object.entries(TABLE).flatMap(([command, row]) =>
    Object.entries(row).map(([state, expected]) => [command, state, expected] as const),
  )

  it.each(cases)('S4.8 S4.9 S4.10 S4.11 S4.12 S4.27 %s while %s: %s', (command, state, expected) => {
    expect(outcome(STATES[state as Name], COMMANDS[command as Command['type']])).toBe(expected)
  })

  it('S4.11 S4.12 says why it refuses, and what to do', () => {
    const why = (state: SessionState, command: Command) => {
      const decision = decide('sess-1', state, command)
      return 'refusal' in decision ? [decision.refusal.message, decision.refusal.hint] : null
    }
    expect(why(STATES.idle, COMMANDS.finish)?.[0]).toBe('Session sess-1 is active and cannot become stopped')
    expect(why(STATES.stopped, COMMANDS.begin_turn)).toEqual([
      'Session sess-1 is stopped, not active',
      'Restore it with: agh session resume sess-1',
    ])
    expect(why(STATES.working, COMMANDS.begin_turn)?.[1]).toContain('agh session wait sess-1')
  })

  it('lets ten prompts wait for a turn, and no more', () => {
    const ten = Array.from(
      { length: 10 },
      (_, index): Change => ({
        type: 'prompt_queued',
        prompt: { ...waiting, id: `q${index}` },
      }),
    )
    const full = reached(started, began, ...ten)
    expect(outcome(full, COMMANDS.queue_prompt)).toBe(BUSY)
    expect(outcome(evolve(full, { type: 'prompt_left_queue', id: 'q3' }), COMMANDS.queue_prompt)).toBe('working')
  })

  describe('a prompt that waits', () => {
    const state = reached(started, began, queued)
    const begin: Command = { ...COMMANDS.begin_turn, from: 'p1', waitedAs: 'p1' }
    const apply = (from: SessionState, command: Command) => {
      const decision = decide('sess-1', from, command)
      if ('refusal' in decision) throw decision.refusal
      return { decision, next: evolve(from, decision.change!) }
    }

    it('has another text once it is edited, on disk with the event that says so', () => {
      const { decision, next } = apply(state, COMMANDS.edit_prompt)
      expect(decision).toMatchObject({ isDurable: true, settles: null, rewords: { keptAs: 'p1', text: 'sooner' } })
      expect(decision.drafts).toMatchObject([{ type: 'prompt_edited', content: { text: 'sooner', before: 'later' } }])
      expect(next.queue).toEqual([{ ...waiting, text: 'sooner' }])
    })

    it('stops waiting when it is withdrawn, and no longer has a turn', () => {
      const { decision, next } = apply(state, COMMANDS.withdraw_prompt)
      expect(decision).toMatchObject({ isDurable: true, settles: 'p1', rewords: null })
      expect(next.queue).toEqual([])
      const idle = evolve(next, { type: 'turn_ended', isAnswered: true })
      expect(outcome(idle, begin)).toBe('MESSAGE_WITHDRAWN')
    })

    it('cannot be withdrawn once its turn has begun', () => {
      const { next } = apply(evolve(state, { type: 'turn_ended', isAnswered: true }), begin)
      expect(next.queue).toEqual([])
      expect(outcome(next, COMMANDS.withdraw_prompt)).toBe('MESSAGE_NOT_WAITING')
      expect(outcome(next, COMMANDS.edit_prompt)).toBe('MESSAGE_NOT_WAITING')
    })

    it('is left alone when it is the run of a task', () => {
      const task = reached(started, began, { type: 'prompt_queued', prompt: { ...waiting, keptAs: null } })
      expect(outcome(task, COMMANDS.withdraw_prompt)).toBe(WRONG)
    })
  })

  it('revokes a standing answer, and no answer for once', () => {
    const grant = { requestId: 'perm-1', covers: 'write_file', subjects: null } as const
    const state = evolve(STATES.working, {
      type: 'grants_changed',
      grants: [
        { ...grant, scope: 'once' },
        { ...grant, scope: 'session' },
      ],
    })
    const decision = decide('sess-1', state, COMMANDS.revoke_grant)
    expect(decision).toMatchObject({ isDurable: true, drafts: [{ type: 'permission_revoked' }] })
    expect(evolve(state, (decision as { change: Change }).change).grants).toEqual([{ ...grant, scope: 'once' }])
  })

  it('cancels only the turn that was meant', () => {
    expect(outcome(STATES.working, { ...COMMANDS.cancel_turn, turnId: 'turn-0' })).toBe('working')
  })

  it('keeps the first twenty lines of garbage, and no more', () => {
    const loud = reached(started, ...Array<Change>(20).fill({ type: 'garbage_taken' }))
    expect(outcome(loud, COMMANDS.take_garbage)).toBe('idle')
  })

  it('stores nothing that the agent only repeats, but knows what it offers then', () => {
    const replaying = reached({ type: 'replay', isOn: true })
    const update = { sessionUpdate: 'current_mode_update', currentModeId: 'plan' }
    const decision = decide('sess-1', replaying, { ...COMMANDS.take_update, update })
    expect(decision).toMatchObject({ drafts: [], change: { type: 'agent_updated', kind: 'system' } })
    const next = evolve(replaying, (decision as { change: Change }).change)
    expect(next.offers.current_mode).toBe('plan')
  })

  it('keeps an update of another ACP session apart, once its own id is known', () => {
    const command = { ...COMMANDS.take_update, ofSession: 'b' }
    expect(outcome(STATES.idle, command)).toBe('idle system')
    expect(outcome(STATES.starting, command)).toBe('starting agent_message')
  })

  it('gives every tool of an interrupted turn a result before its end', () => {
    const call = { sessionUpdate: 'tool_call', toolCallId: 'c1', title: 'npm test' }
    const state = evolve(STATES.working, { type: 'agent_updated', kind: 'tool_call', update: call, at: 2 })
    const end = failedTurn({ kind: 'process_exit', summary: 'gone' })
    expect(outcome(state, { type: 'end_turn', end })).toBe('idle withdraw_questions tool_result error!')
    expect(outcome(state, { type: 'end_turn', end: done })).toBe('idle withdraw_questions done!')
  })

  it('saves what a turn leaves, but not over the end of its session', () => {
    expect(decide('sess-1', STATES.working, COMMANDS.end_turn)).toMatchObject({ meta: { activity: null } })
    expect(decide('sess-1', STATES['stopping in a turn'], COMMANDS.end_turn)).toMatchObject({ meta: null })
  })

  it('S4.11 moves no start that fails to `stopping` in meta.json', () => {
    expect(decide('sess-1', STATES.starting, COMMANDS.end)).toMatchObject({ meta: null })
  })

  it.each([
    ['starting', 'starting'],
    ['idle', 'active'],
    ['working', 'active'],
    ['cancelling', 'active'],
    ['stopping in a turn', 'stopping'],
    ['stopping', 'stopping'],
    ['a start that fails', 'starting'],
    ['stopped', 'stopped'],
  ] as const)('a session that is %s is `%s` there', (state, word) => {
    expect(stateWord(STATES[state])).toBe(word)
  })
})

describe('evolve', () => {
  it('has a turn only where there is a place for one', () => {
    expect(Object.entries(STATES).flatMap(([name, state]) => (turnOf(state) ? name : []))).toEqual([
      'working',
      'cancelling',
      'stopping in a turn',
    ])
  })

  it('forgets a turn whose prompt could not be recorded, and no other', () => {
    expect(evolve(STATES.working, { type: 'turn_withdrawn', turnId: 'turn-1' }).phase.name).toBe('idle')
    expect(evolve(STATES.working, { type: 'turn_withdrawn', turnId: 'turn-0' })).toBe(STATES.working)
  })

  it('says the preface again until the agent has answered once', () => {
    expect(evolve(STATES.working, { type: 'turn_ended', isAnswered: false }).preface).toHaveLength(1)
    expect(evolve(STATES.working, { type: 'turn_ended', isAnswered: true }).preface).toEqual([])
  })

  it('keeps what was allowed for once no longer than its turn', () => {
    const grant = { requestId: 'perm-1', covers: 'write_file', subjects: null } as const
    const grants = [
      { ...grant, scope: 'once' as const },
      { ...grant, scope: 'session' as const },
    ]
    const state = evolve(STATES.working, { type: 'grants_changed', grants })
    const { grants: left } = evolve(state, { type: 'turn_ended', isAnswered: true })
    expect(left.map(({ scope }) => scope)).toEqual(['session'])
  })

  it('adds up what the agent says of tokens within a turn, and begins anew with the next', () => {
    const used = (update: object): Change => ({ type: 'agent_updated', kind: 'usage', update: { ...update }, at: 1 })
    const state = [used({ used: 1 }), used({ size: 9 })].reduce(evolve, STATES.working)
    expect(state.usage).toEqual({ used: 1, size: 9 })
    const next = evolve(evolve(state, { type: 'turn_ended', isAnswered: true }), began)
    expect(next.usage).toBeNull()
  })
})
