// The data of a live session in this daemon. Only its owner, publish.ts, changes any of it.
import type { DrivenMessage } from '../../contract/agh/driver.ts'
import type { McpServerConfig } from '../../contract/agh/mcp-server.ts'
import type { SessionMeta } from '../../contract/agh/session-meta.ts'
import type { SessionState } from '../../core/agh/machine/session-state.ts'
import type { AgentProcess } from '../acp/agent-process.ts'
import type { AgentConnection } from '../acp/connection.ts'
import type { Terminals } from '../acp/terminals.ts'
import type { ClientTools } from '../setup/supported-agents.ts'
import type { EventStore } from '../store/event-store.ts'
import type { PermissionDesk, RequestMemory } from './turn/permission-desk.ts'
import type { PromptWaiter } from './turn/prompt-waiter.ts'

export interface LiveSession {
  /** As in meta.json now or after the next write. */
  readonly meta: SessionMeta
  /** Its phase, its turn, and what its agent reported about itself; see core/agh/machine. */
  readonly state: SessionState
  /** The turn of `state` as promises that others wait for; null when none is running. */
  readonly running: RunningTurn | null
  readonly process: AgentProcess | null
  readonly connection: AgentConnection | null
  /** Set once, by the first to end the session; everyone else waits for it. */
  readonly finishing: Promise<SessionMeta> | null
  /** Messages of the session's driver by their id, since this start. */
  readonly messages: ReadonlyMap<string, DrivenMessage['state']>
  /** The senders of the prompts in `state.queue`, by their ids there. */
  readonly waiters: ReadonlyMap<string, PromptWaiter>
  /** Cleared when it ends. */
  readonly timers: ReadonlySet<NodeJS.Timeout>
  readonly store: EventStore
  readonly permissions: PermissionDesk
  /** What an earlier daemon did about requests of the agent that it did not answer, by their offsets. */
  readonly recalled: ReadonlyMap<number, RequestMemory>
  readonly terminals: Terminals
  /** The agent's proof of identity; only its own environment holds it. */
  readonly token: string
  /** The agent's complete environment, where a driver supplied it. null: the daemon's own. */
  readonly environment: NodeJS.ProcessEnv | null
  readonly mcpServers: readonly McpServerConfig[]
  readonly clientTools: ClientTools
  /** The agent's own path of its workspace, where that is in another place. */
  readonly farWorkspace: string | null
  /** For the agent, for the whole session. */
  readonly instructions: string
  /** Aborts a start in progress. */
  readonly abort: AbortController
  /** Ends the session because its files cannot be written. */
  endUnwritable(detail: string): void
}

/** The turn as promises: what others wait for while the agent works. */
export interface RunningTurn {
  readonly id: string
  /** true: it has been sent to the agent. false: it never will be. */
  readonly handedOver: PromiseWithResolvers<boolean>
  /** Its last event is written. */
  readonly ended: PromiseWithResolvers<void>
  /** Resolve when that event is written; none while there is none on its way to the disk. */
  readonly recordings: Promise<void>[]
}
