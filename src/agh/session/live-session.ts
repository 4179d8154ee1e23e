// A session that lives in this daemon: what it is made of. Only its owner, publish.ts, changes any of it.
import type { DrivenMessage } from '../../contract/agh/driver.ts'
import type { McpServerConfig } from '../../contract/agh/mcp-server.ts'
import type { SessionMeta } from '../../contract/agh/session-meta.ts'
import type { SessionState } from '../../core/agh/machine/session-state.ts'
import type { AgentProcess } from '../acp/agent-process.ts'
import type { AgentConnection } from '../acp/connection.ts'
import type { Terminals } from '../acp/terminals.ts'
import type { ClientTools } from '../setup/known-agents.ts'
import type { EventStore } from '../store/event-store.ts'
import type { PermissionDesk } from './turn/permission-desk.ts'
import type { RunningTurn } from './turn/running-turn.ts'

export interface LiveSession {
  /** As meta.json has it, or will have it with the next write. */
  readonly meta: SessionMeta
  /** Its phase, its turn, and what its agent said of itself; see core/agh/machine. */
  readonly state: SessionState
  /** The turn of `state` as promises that others wait for; null when none runs. */
  readonly running: RunningTurn | null
  readonly process: AgentProcess | null
  readonly connection: AgentConnection | null
  /** Set once, by whoever ends the session; everyone else waits for it. */
  readonly finishing: Promise<SessionMeta> | null
  /** Messages of the session's driver by their id, since this start. */
  readonly messages: ReadonlyMap<string, DrivenMessage['state']>
  /** Cleared when it ends. */
  readonly timers: ReadonlySet<NodeJS.Timeout>
  readonly store: EventStore
  readonly permissions: PermissionDesk
  readonly terminals: Terminals
  /** The agent's proof of who it is; only its own environment holds it. */
  readonly token: string
  /** All of the agent's environment, where a driver gave it. null: the daemon's own. */
  readonly environment: NodeJS.ProcessEnv | null
  readonly mcpServers: readonly McpServerConfig[]
  readonly clientTools: ClientTools
  /** For the agent, for the whole session. */
  readonly instructions: string
  /** Ends a start that is under way. */
  readonly abort: AbortController
  /** Ends it because its files cannot be written. */
  endUnwritable(detail: string): void
}
