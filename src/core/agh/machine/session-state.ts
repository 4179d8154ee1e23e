// What a live session is, as plain data. It changes by `evolve` alone.
import type { AcpUpdate, UpdateType } from '../../../contract/agh/events.ts'
import type { AgentOffers } from '../../../contract/agh/session-meta.ts'
import type { CancelReason, SessionState as StateWord } from '../../../contract/agh/words.ts'
import { readOffers } from '../session/agent-settings.ts'
import type { Grant } from '../session/permission-grants.ts'
import type { PrefacePart } from '../session/preface.ts'
import type { Turn, TurnInput } from '../session/turn.ts'
import { type AgentAbilities, NO_ABILITIES } from '../transcript/read-abilities.ts'

/** What the session may do next depends on this. At most one turn, and only where a phase has a place for it. */
export type Phase =
  | { name: 'starting' }
  | { name: 'idle' }
  | { name: 'working'; turn: Turn }
  /** The agent was asked to end the turn and has not answered yet. */
  | { name: 'cancelling'; turn: Turn }
  /** A start that failed ends too, but was never active: `from` says which it is. */
  | { name: 'stopping'; turn: Turn | null; from: 'starting' | 'active' }
  | { name: 'stopped' }

export interface SessionState {
  phase: Phase
  /** How many prompts wait for their turn. */
  queued: number
  /** What people allowed that was not used up yet. */
  grants: readonly Grant[]
  /** The agent's latest word on tokens, for the turn that runs. */
  usage: object | null
  /** Goes before the next prompt: what a new ACP session cannot know. */
  preface: readonly PrefacePart[]
  /** What the agent said about itself. */
  abilities: AgentAbilities
  /** What the agent lets people choose. */
  offers: AgentOffers
  /** While an old ACP session is loaded, the agent repeats what the event log already holds. */
  replaying: boolean
  /** Lines of the agent that were not JSON. */
  garbageLines: number
}

export const NEW_SESSION: SessionState = {
  phase: { name: 'starting' },
  queued: 0,
  grants: [],
  usage: null,
  preface: [],
  abilities: NO_ABILITIES,
  offers: readOffers(null),
  replaying: false,
  garbageLines: 0,
}

/** Something that happened to a session. */
export type Change =
  | { type: 'agent_initialized'; abilities: AgentAbilities }
  | { type: 'offers_known'; offers: AgentOffers }
  | { type: 'replay'; isOn: boolean }
  | { type: 'session_started'; preface: readonly PrefacePart[] }
  | { type: 'prompt_queued' }
  | { type: 'prompt_left_queue' }
  | { type: 'turn_began'; turn: Turn }
  /** Its prompt could not be recorded, so it never was. */
  | { type: 'turn_withdrawn'; turnId: string }
  | { type: 'agent_updated'; kind: UpdateType; update: AcpUpdate; at: number }
  | { type: 'turn_noted'; input: TurnInput; at: number }
  | { type: 'cancel_sent'; why: CancelReason; at: number }
  | { type: 'garbage_taken' }
  | { type: 'grants_changed'; grants: readonly Grant[] }
  | { type: 'turn_ended'; isAnswered: boolean }
  | { type: 'stop_accepted' }
  | { type: 'session_stopped' }

/** The turn that runs; null when none does. */
export function turnOf({ phase }: SessionState): Turn | null {
  return 'turn' in phase ? phase.turn : null
}

/** Prompts, approvals and settings are taken, and new children may be spawned. */
export function isActive({ phase }: SessionState): boolean {
  return phase.name === 'idle' || phase.name === 'working' || phase.name === 'cancelling'
}

/** The word for it in meta.json. A start that fails stays `starting` there until it is `stopped`. */
export function stateWord({ phase }: SessionState): StateWord {
  if (phase.name === 'stopping') return phase.from === 'active' ? 'stopping' : 'starting'
  return phase.name === 'starting' || phase.name === 'stopped' ? phase.name : 'active'
}
