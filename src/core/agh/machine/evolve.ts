// How a session's state changes when something happens to it.
import { updateOffers } from '../session/agent-settings.ts'
import { grantsAfterTurn } from '../session/permission-grants.ts'
import { evolveTurn, type TurnInput } from '../session/turn.ts'
import { withoutQueued, withText } from './prompt-queue.ts'
import { type Change, type Phase, type SessionState, turnOf } from './session-state.ts'

/** Anything that cannot happen in a phase leaves it unchanged. */
export function evolve(state: SessionState, change: Change): SessionState {
  const { phase } = state
  switch (change.type) {
    case 'agent_initialized':
      return { ...state, abilities: change.abilities }
    case 'offers_known':
      return { ...state, offers: change.offers }
    case 'replay':
      return { ...state, replaying: change.isOn }
    case 'session_started':
      return phase.name === 'starting' ? { ...state, phase: { name: 'idle' }, preface: change.preface } : state
    case 'adopted':
      return phase.name === 'starting' ? inTurn(change.state, { type: 'adopted' }, change.at) : state
    case 'prompt_queued':
      return { ...state, queue: state.queue.toSpliced(change.index ?? state.queue.length, 0, change.prompt) }
    case 'prompt_edited':
      return { ...state, queue: withText(state.queue, change.id, change.text) }
    case 'prompt_left_queue':
      return { ...state, queue: withoutQueued(state.queue, change.id) }
    case 'turn_began':
      return phase.name === 'idle' ? beginTurn(state, change) : state
    case 'turn_withdrawn':
      return turnOf(state)?.id === change.turnId ? { ...state, phase: withoutTurn(phase) } : state
    case 'agent_updated':
      return afterUpdate(state, change)
    case 'turn_noted':
      return inTurn(state, change.input, change.at)
    case 'cancel_sent':
      return cancelling(inTurn(state, { type: 'cancel_sent', why: change.why }, change.at))
    case 'garbage_taken':
      return { ...state, garbageLines: state.garbageLines + 1 }
    case 'tokens_counted':
      return { ...state, counted: change.counted }
    case 'grants_changed':
      return { ...state, grants: change.grants }
    case 'turn_ended':
      if (!turnOf(state)) return state
      return {
        ...state,
        phase: withoutTurn(phase),
        grants: grantsAfterTurn(state.grants),
        preface: change.isAnswered ? [] : state.preface,
      }
    case 'stop_accepted':
      return { ...state, phase: stoppingFrom(state) }
    case 'session_stopped':
      return phase.name === 'stopping' ? { ...state, phase: { name: 'stopped' } } : state
  }
}

function beginTurn(state: SessionState, { turn, from }: Change & { type: 'turn_began' }): SessionState {
  const queue = from === null ? state.queue : withoutQueued(state.queue, from)
  return { ...state, phase: { name: 'working', turn }, usage: null, queue }
}

function afterUpdate(state: SessionState, { kind, update, at }: Change & { type: 'agent_updated' }): SessionState {
  const offers = kind === 'system' ? updateOffers(state.offers, update) : state.offers
  if (state.replaying || !turnOf(state)) return offers === state.offers ? state : { ...state, offers }
  const usage = kind === 'usage' ? { ...state.usage, ...update } : state.usage
  return inTurn({ ...state, offers, usage }, { type: 'update', update }, at)
}

function inTurn(state: SessionState, input: TurnInput, at: number): SessionState {
  const { phase } = state
  if (!('turn' in phase) || !phase.turn) return state
  return { ...state, phase: { ...phase, turn: evolveTurn(phase.turn, input, at) } }
}

function cancelling(state: SessionState): SessionState {
  const { phase } = state
  return phase.name === 'working' ? { ...state, phase: { name: 'cancelling', turn: phase.turn } } : state
}

function withoutTurn(phase: Phase): Phase {
  return phase.name === 'stopping' ? { ...phase, turn: null } : { name: 'idle' }
}

function stoppingFrom(state: SessionState): Phase {
  const { phase } = state
  if (phase.name === 'stopping' || phase.name === 'stopped') return phase
  return { name: 'stopping', turn: turnOf(state), from: phase.name === 'starting' ? 'starting' : 'active' }
}
