// Invariants: whatever is requested of a session and whatever happens to it, in any order.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type EventDraft, TURN_ENDS } from '../../../contract/agh/events.ts'
import { newTurn } from '../session/turn.ts'
import { answeredTurn, failedTurn } from '../session/turn-end.ts'
import type { Command } from './command.ts'
import { decide, evolve } from './decide.ts'
import { type Change, NEW_SESSION, type SessionState, stateWord, turnOf } from './session-state.ts'

interface Life {
  state: SessionState
  log: EventDraft[]
  turns: number
}

type Step = { command: (life: Life) => Command } | { change: (life: Life) => Change }

const update = (sessionUpdate: string, more: object = {}): Step => ({
  command: () => {
    const content = { sessionUpdate, toolCallId: 'c1', ...more }
    return { type: 'take_update', update: content, json: undefined, ofSession: undefined, ownSession: 'a', at: 1 }
  },
})
const idOf = (life: Life) => turnOf(life.state)?.id ?? 'turn-none'
const user = (text: string) => ({ type: 'user_message' as const, content: { text, source: 'user' as const } })
const waitingPrompt = (id: string) => {
  return { id, text: id, source: 'user' as const, queuedAt: '', keptAs: id, messageId: null }
}
const answered = (life: Life) => {
  return answeredTurn(turnOf(life.state) ?? newTurn('turn-x', 'user', 0), { stopReason: 'end_turn', usage: null })
}

const STEPS: readonly Step[] = [
  {
    command: () => ({
      type: 'activate',
      event: { type: 'session_started', content: { started_with: 'new', acp_session_id: 'a' } },
      preface: [],
      meta: {},
    }),
  },
  ...['p1', 'p2'].flatMap((id): Step[] => [
    { command: () => ({ type: 'queue_prompt', prompt: waitingPrompt(id) }) },
    { command: () => ({ type: 'edit_prompt', id, text: 'otherwise' }) },
    { command: () => ({ type: 'withdraw_prompt', id }) },
    {
      command: (life) => {
        life.turns++
        const turn = newTurn(`turn-${life.turns}`, 'user', life.turns)
        return { type: 'begin_turn', turn, event: user(id), from: id, waitedAs: id }
      },
    },
  ]),
  {
    command: (life) => {
      life.turns++
      return { type: 'begin_turn', turn: newTurn(`turn-${life.turns}`, 'user', life.turns), event: user('go') }
    },
  },
  update('agent_message_chunk'),
  update('tool_call', { title: 'npm test' }),
  update('tool_call_update', { status: 'completed' }),
  update('usage_update'),
  update('current_mode_update', { currentModeId: 'plan' }),
  { command: () => ({ type: 'take_garbage', line: 'x' }) },
  { command: () => ({ type: 'record', event: { type: 'permission', content: { title: 'rm', decision: null } } }) },
  { change: () => ({ type: 'turn_noted', input: { type: 'heartbeat', evidence: ['cpu_progress'] }, at: 2 }) },
  { command: (life) => ({ type: 'cancel_turn', turnId: idOf(life), why: 'user', at: 3 }) },
  { command: (life) => ({ type: 'cancel_turn', turnId: 'turn-0', why: 'inactivity', at: 3 + life.turns }) },
  { command: (life) => ({ type: 'end_turn', end: answered(life) }) },
  { command: () => ({ type: 'end_turn', end: failedTurn({ kind: 'process_exit', summary: 'gone' }) }) },
  { command: () => ({ type: 'stop' }) },
  { command: () => ({ type: 'end' }) },
  {
    command: (life) => {
      life.turns++
      return { type: 'report_undelivered', waiting: { id: `prompt:turn-${life.turns}`, text: 'later' } }
    },
  },
  { command: () => ({ type: 'finish', meta: { exit: null } }) },
]

function walk(life: Life, step: Step): void {
  if ('change' in step) {
    life.state = evolve(life.state, step.change(life))
    return
  }
  const before = life.state
  const decision = decide('sess-1', before, step.command(life))
  if ('refusal' in decision) return
  life.log.push(...decision.drafts)
  if (decision.change) life.state = evolve(before, decision.change)
}

/** The turn that is open at the end of a log: what a reader of the log alone knows. */
function openTurns(log: readonly EventDraft[]): string[] {
  const open = new Set<string>()
  for (const { type, turn_id } of log) {
    if (type === 'user_message') open.add(turn_id!)
    if (TURN_ENDS.includes(type)) open.delete(turn_id!)
  }
  return [...open]
}

const FATES: readonly string[] = ['user_message', 'prompt_withdrawn']
const steps = fc.array(fc.constantFrom(...STEPS), { maxLength: 60 })
const live = (chosen: readonly Step[], check: (life: Life, before: SessionState) => void) => {
  const life: Life = { state: NEW_SESSION, log: [], turns: 0 }
  for (const step of chosen) {
    const before = life.state
    walk(life, step)
    check(life, before)
  }
  return life
}

describe('any life of a session', () => {
  it('S4.27 has one turn at a time, and its log alone says which', () => {
    fc.assert(
      fc.property(steps, (chosen) => {
        live(chosen, ({ state, log }) => {
          const turn = turnOf(state)
          expect(openTurns(log)).toEqual(turn ? [turn.id] : [])
        })
      }),
    )
  })

  it('S4.26 ends every turn that began, exactly once, and says nothing of it afterwards', () => {
    fc.assert(
      fc.property(steps, (chosen) => {
        const { log, state } = live(chosen, () => undefined)
        const turns = new Set(log.flatMap(({ turn_id }) => turn_id ?? []))
        for (const id of turns) {
          const types = log.filter(({ turn_id }) => turn_id === id).map(({ type }) => type)
          expect(types[0]).toBe('user_message')
          expect(types.lastIndexOf('user_message')).toBe(0)
          const ends = types.filter((type) => TURN_ENDS.includes(type))
          if (turnOf(state)?.id === id) expect(ends).toEqual([])
          else expect([ends.length, TURN_ENDS.includes(types.at(-1)!)]).toEqual([1, true])
        }
      }),
    )
  })

  it('S4.8 S4.9 S4.10 S4.11 moves from starting to active to stopping to stopped, and never back', () => {
    const ORDER = ['starting', 'active', 'stopping', 'stopped']
    fc.assert(
      fc.property(steps, (chosen) => {
        live(chosen, ({ state }, before) => {
          const [from, to] = [before, state].map((one) => ORDER.indexOf(stateWord(one)))
          const isFailedStart = before.phase.name === 'stopping' && before.phase.from === 'starting'
          expect(to! - from!).toBeGreaterThanOrEqual(0)
          if (!isFailedStart) expect(to! - from!).toBeLessThanOrEqual(1)
        })
      }),
    )
  })

  it('sends or withdraws each prompt that was queued, never both', () => {
    fc.assert(
      fc.property(steps, (chosen) => {
        const life: Life = { state: NEW_SESSION, log: [], turns: 0 }
        for (const step of chosen) {
          const { queue } = life.state
          const count = life.log.length
          walk(life, step)
          const left = queue.filter(({ id }) => !life.state.queue.some((one) => one.id === id))
          const fates = life.log.slice(count).filter(({ type }) => FATES.includes(type))
          if (left.length > 0) expect([left.length, fates.length]).toEqual([1, 1])
        }
      }),
    )
  })

  it('S4.12 accepts nothing once it is stopped', () => {
    fc.assert(
      fc.property(steps, steps, (before, later) => {
        const life = live(before, () => undefined)
        for (const change of [{ type: 'stop_accepted' }, { type: 'session_stopped' }] as const) {
          life.state = evolve(life.state, change)
        }
        const { phase } = life.state
        life.log = []
        for (const step of later) walk(life, step)
        expect(life.log).toEqual([])
        expect(life.state.phase).toBe(phase)
      }),
    )
  })
})
