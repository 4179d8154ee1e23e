// The state of a live session as plain data. Only `evolve` changes it.
import type { AcpUpdate, UpdateType } from '../../../contract/agh/events.ts'
import type { AgentOffers } from '../../../contract/agh/session-meta.ts'
import type { CancelReason, SessionState as StateWord } from '../../../contract/agh/session-terms.ts'
import { readOffers } from '../session/agent-settings.ts'
import type { Grant } from '../session/permission-grants.ts'
import type { PrefacePart } from '../session/preface.ts'
import type { Turn, TurnInput } from '../session/turn.ts'
import { type AgentAbilities, NO_ABILITIES } from '../transcript/read-abilities.ts'
import type { QueuedPrompt } from './prompt-queue.ts'

/** What the session may do next depends on this. At most one turn, and only in phases that have a field for it. */
export type Phase =
  | { name: 'starting' }
  | { name: 'idle' }
  | { name: 'working'; turn: Turn }
  /** The agent was asked to end the turn and has not answered yet. */
  | { name: 'cancelling'; turn: Turn }
  /** A failed start ends too, but was never active: `from` distinguishes the two. */
  | { name: 'stopping'; turn: Turn | null; from: 'starting' | 'active' }
  | { name: 'stopped' }

export interface SessionState {
  phase: Phase
  /** The prompts that wait for their turn, in this order. */
  queue: readonly QueuedPrompt[]
  /** What people have allowed and is not used up yet. */
  grants: readonly Grant[]
  /** The agent's latest report on tokens, for the running turn. */
  usage: object | null
  /** What the agent had counted when its last turn ended, for an agent that counts all turns together. */
  counted?: object | null
  /** Prepended to the next prompt: what a new ACP session cannot know. */
  preface: readonly PrefacePart[]
  /** What the agent reported about itself. */
  abilities: AgentAbilities
  /** The settings the agent offers. */
  offers: AgentOffers
  /** While an old ACP session is loading, the agent repeats what the event log already holds. */
  replaying: boolean
  /** Lines from the agent that were not JSON. */
  garbageLines: number
}

export const NEW_SESSION: SessionState = {
  phase: { name: 'starting' },
  queue: [],
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
  /** The next daemon continues it. `at`: it was not idle meanwhile, only unwatched. */
  | { type: 'adopted'; state: SessionState; at: number }
  /** `index`: where it was before it left; at the end without one. */
  | { type: 'prompt_queued'; prompt: QueuedPrompt; index?: number }
  | { type: 'prompt_edited'; id: string; text: string }
  | { type: 'prompt_left_queue'; id: string }
  /** `from`: its prompt's position in the queue. */
  | { type: 'turn_began'; turn: Turn; from: string | null }
  /** Its prompt could not be recorded, so the turn never existed. */
  | { type: 'turn_withdrawn'; turnId: string }
  | { type: 'agent_updated'; kind: UpdateType; update: AcpUpdate; at: number }
  | { type: 'turn_noted'; input: TurnInput; at: number }
  | { type: 'cancel_sent'; why: CancelReason; at: number }
  | { type: 'garbage_taken' }
  | { type: 'tokens_counted'; counted: object | null }
  | { type: 'grants_changed'; grants: readonly Grant[] }
  | { type: 'turn_ended'; isAnswered: boolean }
  | { type: 'stop_accepted' }
  | { type: 'session_stopped' }

/** The running turn; null when there is none. */
export function turnOf({ phase }: SessionState): Turn | null {
  return 'turn' in phase ? phase.turn : null
}

/** Prompts, approvals and settings are accepted, and new children may be spawned. */
export function isActive({ phase }: SessionState): boolean {
  return phase.name === 'idle' || phase.name === 'working' || phase.name === 'cancelling'
}

/** The word for it in meta.json. A failing start stays `starting` there until it is `stopped`. */
export function stateWord({ phase }: SessionState): StateWord {
  if (phase.name === 'stopping') return phase.from === 'active' ? 'stopping' : 'starting'
  return phase.name === 'starting' || phase.name === 'stopped' ? phase.name : 'active'
}
