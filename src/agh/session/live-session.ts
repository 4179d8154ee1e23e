// What a session that lives in this daemon is made of.
import type { DrivenMessage } from '../../contract/agh/driver.ts'
import type { McpServerConfig } from '../../contract/agh/mcp-server.ts'
import type { AgentOffers, SessionMeta } from '../../contract/agh/session-meta.ts'
import type { Grant } from '../../core/agh/session/permission-grants.ts'
import type { PrefacePart } from '../../core/agh/session/preface.ts'
import type { Turn } from '../../core/agh/session/turn.ts'
import type { AgentAbilities } from '../../core/agh/transcript/read-abilities.ts'
import type { AgentProcess } from '../acp/agent-process.ts'
import type { AgentConnection } from '../acp/connection.ts'
import type { Terminals } from '../acp/terminals.ts'
import type { ClientTools } from '../setup/known-agents.ts'
import type { EventStore } from '../store/event-store.ts'
import type { PermissionDesk } from './turn/permission-desk.ts'

export interface LiveSession {
  /** Changed by save-meta.ts alone. */
  readonly meta: SessionMeta
  store: EventStore
  permissions: PermissionDesk
  /** What people allowed that was not used up yet. */
  grants: readonly Grant[]
  terminals: Terminals
  process: AgentProcess | null
  connection: AgentConnection | null
  /** Changed by turn/live-turn.ts alone. */
  readonly turn: RunningTurn | null
  /** How many prompts wait for their turn. */
  queued: number
  /** The agent's proof of who it is; only its own environment holds it. */
  token: string
  /** While an old ACP session is loaded, the agent tells again what the history already holds. */
  replaying: boolean
  /** All of the agent's environment, where a driver gave it. null: the daemon's own. */
  environment: NodeJS.ProcessEnv | null
  /** Messages of the session's driver by their id, since this start. */
  messages: Map<string, DrivenMessage['state']>
  /** Goes before the next prompt: what a new ACP session cannot know. */
  preface: PrefacePart[]
  mcpServers: readonly McpServerConfig[]
  clientTools: ClientTools
  /** What the agent lets people choose. */
  offers: AgentOffers
  abilities: AgentAbilities
  /** For the agent, for the whole session. */
  instructions: string
  garbageLines: number
  /** The agent's latest word on tokens, for the turn that runs. */
  usage: object | null
  /** Ends a start that is under way. */
  abort: AbortController
  /** Set once, by whoever ends the session; everyone else waits for it. */
  finishing: Promise<SessionMeta> | null
  /** Ends it because its files cannot be written. */
  endUnwritable(detail: string): void
  timers: Set<NodeJS.Timeout>
}

export interface RunningTurn {
  /** Changed by turn/live-turn.ts alone. */
  readonly turn: Turn
  /** Its last event on its way to the disk; null while it runs. */
  recorded: Promise<void> | null
  /** Resolves when the prompt is on its way to the agent. */
  setup: Promise<void>
  /** Resolves when the turn's last event is written. */
  ended: Promise<void>
}
