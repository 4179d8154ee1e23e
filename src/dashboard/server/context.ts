// What every route of the dashboard is given. Created anew for each configuration; board, tickets and access outlive them.
import type { Writable } from 'node:stream'
import type { Repository } from '../../contract/dashboard/pages.ts'
import type { MetricsText } from '../../http/metrics.ts'
import type { RequestKeys } from '../../http/request-keys.ts'
import type { Loop } from '../../lifecycle/loop/create-loop.ts'
import type { ManagerContext } from '../../manager/context.ts'
import type { SessionManager } from '../../manager/session-manager.ts'
import type { ToolCommand } from '../../mcp/command-tool.ts'
import type { ConnectionLimit } from '../access/connection-limit.ts'
import type { RequestAccess } from '../access/request-access.ts'
import type { Tickets } from '../access/tickets.ts'
import type { KeptTranscripts } from '../board/kept-transcripts.ts'
import type { LiveBoard } from '../board/live-board.ts'
import type { StreamOptions } from '../board/stream.ts'

/** `config`, `registry`, `paths`, `clock`, `log`, `env`, `store(projectId)` and `observe` are the manager's own. */
export interface DashboardContext extends ManagerContext {
  manager: SessionManager
  /** null: served without the loop, by `ao dashboard`. */
  loop: Pick<Loop, 'askForge' | 'state'> | null
  board: LiveBoard
  tickets: Tickets
  connections: ConnectionLimit
  access: RequestAccess
  version: string
  /** This server's API as OpenAPI, from the table that the routes are in. */
  describeApi(): Promise<Record<string, unknown>>
  /** Of the MCP server. */
  tools(): Promise<readonly ToolCommand[]>
  /** Of this configuration. */
  requestKeys: RequestKeys
  /** Of the whole server, whichever configuration is asked. */
  metrics: MetricsText
  /** All configurations of this server. */
  repositories(): Promise<Repository[]>
  /** The conversations that are viewed. */
  transcripts: KeptTranscripts
  /** Resolves when the reader is gone. */
  stream(writer: Writable, options: Omit<StreamOptions, 'board' | 'transcripts'>): Promise<void>
}
