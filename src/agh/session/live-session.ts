// What a session that lives in this daemon is made of.
import type { SessionMeta } from '../../contract/agh/session-meta.ts'
import type { Turn } from '../../core/agh/turn.ts'
import type { AgentProcess } from '../acp/agent-process.ts'
import type { AgentConnection } from '../acp/connection.ts'
import type { Terminals } from '../acp/terminals.ts'
import type { EventStore } from '../store/event-store.ts'
import type { PermissionDesk } from './permission-desk.ts'

export interface LiveSession {
  meta: SessionMeta
  store: EventStore
  permissions: PermissionDesk
  terminals: Terminals
  process: AgentProcess | null
  connection: AgentConnection | null
  turn: RunningTurn | null
  /** How many prompts wait for their turn. */
  queued: number
  /** The agent's proof of who it is; only its own environment holds it. */
  token: string
  /** While an old ACP session is loaded, the agent tells again what the history already holds. */
  replaying: boolean
  /** Goes before the next prompt: what a new ACP session must know of the one before it. */
  preamble: string | null
  garbageLines: number
  /** The agent's latest word on tokens, for the turn that runs. */
  usage: object | null
  /** Ends a start that is under way. */
  abort: AbortController
  /** Set once, by whoever ends the session; everyone else waits for it. */
  finishing: Promise<SessionMeta> | null
  timers: Set<NodeJS.Timeout>
}

export interface RunningTurn {
  turn: Turn
  /** Resolves when the prompt is on its way to the agent. */
  setup: Promise<void>
  /** Resolves when the turn's last event is written. */
  ended: Promise<void>
}
