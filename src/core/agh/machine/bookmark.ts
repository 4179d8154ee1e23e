// A live session as the next daemon needs it, when this one is killed: how far it has come with its agent's output, and its
// state at that offset. Written with every commit of its events, so that both are always of the same moment.
import type { AgentOffers } from '../../../contract/agh/session-meta.ts'
import { isObject } from '../../text/json-fields.ts'
import type { Grant } from '../session/permission-grants.ts'
import type { PrefacePart } from '../session/preface.ts'
import type { Turn } from '../session/turn.ts'
import type { AgentAbilities } from '../transcript/read-abilities.ts'
import { type Phase, type SessionState, turnOf } from './session-state.ts'

/** Changes with nearly every event. */
export interface BookmarkNow {
  version: 1
  /** Of the agent's start that it belongs to. */
  spawn_id: string
  /** How many bytes of the agent's output were taken. */
  place: number
  /** The id of the request that the running turn waits for; null: none was sent. */
  prompt_id: number | null
  phase: Phase['name']
  turn: (Omit<Turn, 'openTools'> & { openTools: Array<[string, string]> }) | null
  usage: object | null
  /** Absent in older ones. */
  counted?: object | null | undefined
}

/** Seldom changes. */
export interface BookmarkAgent {
  abilities: AgentAbilities
  offers: AgentOffers
  grants: readonly Grant[]
  preface: readonly PrefacePart[]
  garbage_lines: number
  /** The numbers of the next question and the next terminal: no name is used twice. */
  next_permission: number
  next_terminal: number
  /** Process identities of the agent's terminals: they end with the daemon that runs them. */
  terminals: readonly string[]
}

export function bookmarkNow(
  state: SessionState,
  at: Pick<BookmarkNow, 'spawn_id' | 'place' | 'prompt_id'>,
): BookmarkNow {
  const turn = turnOf(state)
  return {
    version: 1,
    ...at,
    phase: state.phase.name,
    turn: turn && { ...turn, openTools: [...turn.openTools] },
    usage: state.usage,
    counted: state.counted,
  }
}

/** null: a session in such a phase, or such a bookmark, cannot be continued. */
export function readBookmarkNow(json: string): BookmarkNow | null {
  const value = parse(json) as Partial<BookmarkNow> | null
  if (value?.version !== 1 || typeof value.spawn_id !== 'string' || !Number.isSafeInteger(value.place)) return null
  const hasTurn = value.phase === 'working' || value.phase === 'cancelling'
  if (!hasTurn && value.phase !== 'idle') return null
  if (hasTurn !== (isObject(value.turn) && Array.isArray(value.turn.openTools))) return null
  return value as BookmarkNow
}

export function readBookmarkAgent(json: string): BookmarkAgent | null {
  const value = parse(json) as Partial<BookmarkAgent> | null
  const isWhole =
    isObject(value?.abilities) &&
    isObject(value.offers) &&
    [value.grants, value.preface, value.terminals].every(Array.isArray) &&
    [value.garbage_lines, value.next_permission, value.next_terminal].every(Number.isSafeInteger)
  return isWhole ? (value as BookmarkAgent) : null
}

/** The state as it was. Prompts that wait are queued again by whoever continues the session. */
export function recallState(now: BookmarkNow, agent: BookmarkAgent): SessionState {
  return {
    phase: phaseOf(now),
    queue: [],
    grants: agent.grants,
    usage: now.usage,
    counted: now.counted ?? null,
    preface: agent.preface,
    abilities: agent.abilities,
    offers: agent.offers,
    replaying: false,
    garbageLines: agent.garbage_lines,
  }
}

function phaseOf({ phase, turn }: BookmarkNow): Phase {
  if (!turn) return { name: 'idle' }
  const whole: Turn = { ...turn, openTools: new Map(turn.openTools) }
  return phase === 'cancelling' ? { name: 'cancelling', turn: whole } : { name: 'working', turn: whole }
}

function parse(json: string): object | null {
  try {
    const value: unknown = JSON.parse(json)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}
