// The one module that decides what a session may do in each of its phases, and what becomes of its state (`evolve`).
// Everything that acts on a live session asks here, and agh/session/publish.ts carries out what was decided.
import { eventTypeOf } from '../../../contract/agh/read-update.ts'
import type { SessionState as StateWord } from '../../../contract/agh/session-terms.ts'
import { AoError } from '../../../contract/errors.ts'
import { interruptedResult } from '../repair/interrupted-tool.ts'
import { updateOffers } from '../session/agent-settings.ts'
import { grantsAfterTurn, standingRules } from '../session/permission-grants.ts'
import { evolveTurn, metaAfterTurn, type TurnInput } from '../session/turn.ts'
import { undeliveredTurn } from '../session/waiting-prompt.ts'
import type { Command, CommandOf, Decided, Decision } from './command.ts'
import { findQueued, requireChangeable, withoutQueued, withText } from './prompt-queue.ts'
import { type Change, isActive, type Phase, type SessionState, stateWord, turnOf } from './session-state.ts'

const NOTHING: Decided = {
  effects: [],
  drafts: [],
  isDurable: false,
  settles: null,
  rewords: null,
  change: null,
  meta: null,
}

/** How many prompts may wait for the running turn. */
const MAX_QUEUED = 10
const MAX_GARBAGE_LINES = 20
const MAX_GARBAGE_LENGTH = 500

export function decide(sessionId: string, state: SessionState, command: Command): Decision {
  const { phase } = state
  switch (command.type) {
    case 'activate':
      return phase.name === 'starting' ? activate(command) : wrongMove(sessionId, state, 'active')
    case 'adopt':
      if (phase.name !== 'starting' || !isActive(command.state)) return wrongMove(sessionId, state, 'active')
      return { ...NOTHING, change: { type: 'adopted', state: command.state, at: command.at } }
    case 'queue_prompt':
      return whenActive(sessionId, state, () => queuePrompt(sessionId, state, command))
    case 'edit_prompt':
    case 'withdraw_prompt':
      return whenActive(sessionId, state, () => changeQueue(sessionId, state, command))
    case 'begin_turn':
      return whenActive(sessionId, state, () => beginTurn(sessionId, state, command))
    case 'approve':
    case 'take_message':
    case 'spawn_child':
    case 'change_settings':
    case 'manage_conversations':
      return whenActive(sessionId, state, () => NOTHING)
    case 'revoke_grant':
      return whenActive(sessionId, state, () => revokeGrant(sessionId, state, command.requestId))
    case 'take_update':
      return takeUpdate(state, command)
    case 'take_garbage':
      return takeGarbage(state, command.line)
    case 'record':
      return phase.name === 'stopped' ? NOTHING : record(state, command)
    case 'cancel_turn':
      return cancelTurn(state, command)
    case 'end_turn':
      return endTurn(state, command)
    case 'stop':
      return phase.name === 'starting' ? { ...NOTHING, effects: ['abort_start'] } : NOTHING
    case 'end':
      return end(state)
    case 'report_undelivered':
      return phase.name === 'starting' || phase.name === 'stopping' ? reportUndelivered(command) : NOTHING
    case 'finish':
      // A session whose turn has no end yet is not finished: a repair would have to add it.
      if (phase.name !== 'stopping' || phase.turn) return wrongMove(sessionId, state, 'stopped')
      return { ...NOTHING, change: { type: 'session_stopped' }, meta: command.meta }
  }
}

function activate({ event, preface, meta }: CommandOf<'activate'>): Decided {
  const change: Change = { type: 'session_started', preface }
  return { ...NOTHING, drafts: [{ turn_id: null, ...event }], isDurable: true, change, meta }
}

function queuePrompt(sessionId: string, state: SessionState, { prompt }: CommandOf<'queue_prompt'>): Decision {
  if (turnOf(state) && state.queue.length >= MAX_QUEUED) {
    const message = `${MAX_QUEUED} prompts are already waiting for session ${sessionId}`
    return { refusal: new AoError('TURN_IN_PROGRESS', message) }
  }
  if (findQueued(state.queue, prompt.id)) {
    const message = `A prompt with the id ${prompt.id} is already waiting for session ${sessionId}`
    return { refusal: new AoError('STATE_REFUSED', message) }
  }
  return { ...NOTHING, change: { type: 'prompt_queued', prompt } }
}

/** Whichever comes first, its turn or this, is what happens to the prompt. */
function changeQueue(
  sessionId: string,
  state: SessionState,
  command: CommandOf<'edit_prompt' | 'withdraw_prompt'>,
): Decision {
  const found = requireChangeable(sessionId, state.queue, command.id)
  if ('refusal' in found) return found
  const { id, text, keptAs, messageId } = found.prompt
  const message = messageId === null ? {} : { message_id: messageId }
  if (command.type === 'withdraw_prompt') {
    const event = { type: 'prompt_withdrawn' as const, content: { id, text, ...message } }
    const change: Change = { type: 'prompt_left_queue', id }
    return { ...NOTHING, drafts: [{ turn_id: null, ...event }], isDurable: true, settles: keptAs, change }
  }
  const event = { type: 'prompt_edited' as const, content: { id, text: command.text, before: text, ...message } }
  const rewords = { keptAs, text: command.text }
  const change: Change = { type: 'prompt_edited', id, text: command.text }
  return { ...NOTHING, drafts: [{ turn_id: null, ...event }], isDurable: true, rewords, change }
}

function beginTurn(sessionId: string, state: SessionState, command: CommandOf<'begin_turn'>): Decision {
  const { turn, event, from = null, waitedAs = null } = command
  const running = turnOf(state)
  if (from !== null && !findQueued(state.queue, from)) return { refusal: withdrawn(sessionId, from) }
  if (!running) {
    const change: Change = { type: 'turn_began', turn, from }
    return { ...NOTHING, drafts: [{ turn_id: turn.id, ...event }], isDurable: true, settles: waitedAs, change }
  }
  return {
    refusal: new AoError('TURN_IN_PROGRESS', `Session ${sessionId} is working on another prompt`, {
      hint: `Wait for it with: agh session wait ${sessionId} --until idle`,
      details: { sessionId, turnId: running.id },
    }),
  }
}

function revokeGrant(sessionId: string, state: SessionState, requestId: string): Decision {
  const found = standingRules(state.grants).find(({ id }) => id === requestId)
  if (!found) {
    const message = `Session ${sessionId} has no standing rule ${requestId}`
    const hint = `List them with: agh session rules ${sessionId}`
    return { refusal: new AoError('RULE_NOT_FOUND', message, { hint, details: { sessionId, requestId } }) }
  }
  const grants = state.grants.filter((one) => one.scope !== 'session' || one.requestId !== requestId)
  const event = { type: 'permission_revoked' as const, content: { request_id: requestId, rule: found.rule } }
  const change: Change = { type: 'grants_changed', grants }
  return { ...NOTHING, drafts: [{ turn_id: null, ...event }], isDurable: true, change }
}

/** An agent may run more than one ACP session. While ours is starting, its id is unknown yet. */
function takeUpdate(state: SessionState, command: CommandOf<'take_update'>): Decided {
  const { update, json, ofSession, at } = command
  if (state.phase.name === 'stopped') return NOTHING
  const turn_id = turnOf(state)?.id ?? null
  const isForeign = ofSession !== undefined && stateWord(state) !== 'starting' && ofSession !== command.ownSession
  if (isForeign) {
    // Kept, but not part of this session's conversation.
    const content = { detail: 'update of another ACP session', acp_session_id: ofSession, update }
    return state.replaying ? NOTHING : { ...NOTHING, drafts: [{ turn_id, type: 'system', content }] }
  }
  const kind = eventTypeOf(update)
  const drafts = state.replaying ? [] : [{ turn_id, type: kind, content: update, json }]
  return { ...NOTHING, drafts, change: { type: 'agent_updated', kind, update, at } }
}

function takeGarbage(state: SessionState, line: string): Decided {
  if (state.phase.name === 'stopped' || state.garbageLines >= MAX_GARBAGE_LINES) return NOTHING
  const content = { garbage: line.slice(0, MAX_GARBAGE_LENGTH) }
  const turn_id = turnOf(state)?.id ?? null
  return { ...NOTHING, drafts: [{ turn_id, type: 'system', content }], change: { type: 'garbage_taken' } }
}

function record(state: SessionState, command: CommandOf<'record'>): Decided {
  const { event, turnId = turnOf(state)?.id ?? null, isDurable = false, meta = null } = command
  return { ...NOTHING, drafts: [{ turn_id: turnId, ...event }], isDurable, meta }
}

/**
 * The turn ends with the agent's response; its questions are withdrawn immediately. A repeated cancel asks the agent again.
 */
function cancelTurn(state: SessionState, { turnId, why, at }: CommandOf<'cancel_turn'>): Decided {
  if (turnOf(state)?.id !== turnId) return NOTHING
  return { ...NOTHING, effects: ['withdraw_questions', 'send_cancel'], change: { type: 'cancel_sent', why, at } }
}

/** A turn that is already over does not change. */
function endTurn(state: SessionState, { end }: CommandOf<'end_turn'>): Decided {
  const turn = turnOf(state)
  if (!turn) return NOTHING
  const interrupted = end.interrupted ? [...turn.openTools] : []
  const results = interrupted.map(([callId, title]) => {
    return { turn_id: turn.id, type: 'tool_result' as const, content: interruptedResult(callId, title) }
  })
  return {
    ...NOTHING,
    effects: ['withdraw_questions'],
    drafts: [...results, { turn_id: turn.id, ...end.event }],
    isDurable: true,
    change: { type: 'turn_ended', isAnswered: end.event.type === 'done' },
    // A stopping session says more with its own end.
    meta: isActive(state) ? metaAfterTurn(turn, end) : null,
  }
}

function reportUndelivered({ waiting, error }: CommandOf<'report_undelivered'>): Decided {
  return { ...NOTHING, drafts: undeliveredTurn(waiting, { error }), isDurable: true, settles: waiting.id }
}

/** A failed start is finished, not moved: `starting` to `stopping` is not a transition of a live session. */
function end(state: SessionState): Decided {
  if (state.phase.name === 'stopping' || state.phase.name === 'stopped') return NOTHING
  return { ...NOTHING, change: { type: 'stop_accepted' }, meta: isActive(state) ? {} : null }
}

function whenActive(sessionId: string, state: SessionState, then: () => Decision): Decision {
  if (isActive(state)) return then()
  return { refusal: notActive(sessionId, state.phase.name) }
}

export function withdrawn(sessionId: string, id: string): AoError {
  const message = 'The prompt was withdrawn before its turn; the agent never got it'
  return new AoError('MESSAGE_WITHDRAWN', message, { details: { sessionId, id } })
}

/** For a session that takes no prompts, approvals or settings; also for one that is only on disk. */
export function notActive(sessionId: string, state: string): AoError {
  const hint = state === 'stopped' ? `Restore it with: agh session resume ${sessionId}` : 'Try again in a moment'
  return new AoError('SESSION_NOT_ACTIVE', `Session ${sessionId} is ${state}, not active`, {
    hint,
    details: { sessionId, state },
  })
}

function wrongMove(sessionId: string, state: SessionState, to: StateWord): Decision {
  const from = stateWord(state)
  const message = `Session ${sessionId} is ${from} and cannot become ${to}`
  return { refusal: new AoError('STATE_REFUSED', message, { details: { sessionId, from, to } }) }
}

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
      return phase.name === 'idle' ? turnBegun(state, change) : state
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

function turnBegun(state: SessionState, { turn, from }: Change & { type: 'turn_began' }): SessionState {
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
