// A live session in memory, with its event log open: for a start, and for an agent that outlived another daemon.
import { randomBytes } from 'node:crypto'
import type { McpServerConfig } from '../../../contract/agh/mcp-server.ts'
import type { SessionMeta } from '../../../contract/agh/session-meta.ts'
import { errorText } from '../../../contract/errors.ts'
import { NEW_SESSION } from '../../../core/agh/machine/session-state.ts'
import { createTerminals } from '../../acp/terminals.ts'
import { type ClientTools, clientToolsOf } from '../../setup/supported-agents.ts'
import { historyFile } from '../../store/meta-file.ts'
import { openHistory } from '../../store/open-history.ts'
import type { AghContext } from '../context.ts'
import { finishSession } from '../finish.ts'
import type { LiveSession } from '../live-session.ts'
import { createPermissionDesk, type RequestMemory } from '../turn/permission-desk.ts'

export interface OpenRequest {
  meta: SessionMeta
  /** The agent's complete environment; the daemon's if absent. */
  environment?: NodeJS.ProcessEnv
  /** For the agent, for the whole session. */
  instructions?: string
  mcpServers?: readonly McpServerConfig[]
  clientTools?: ClientTools
  /** The agent runs in another place, and knows its workspace by this path. */
  farWorkspace?: string | undefined
}

/** What only memory holds, this daemon's and that of the agent's host; none of it is ever on disk. */
type Kept = Pick<LiveSession, 'token' | 'environment' | 'mcpServers' | 'clientTools' | 'farWorkspace' | 'instructions'>

/** Where an earlier daemon was. */
export interface Earlier {
  kept: unknown
  nextPermission: number
  nextTerminal: number
  recalled: ReadonlyMap<number, RequestMemory>
}

export async function openSession(
  context: AghContext,
  { meta, ...request }: OpenRequest,
  earlier: Earlier | null = null,
): Promise<LiveSession> {
  const store = await openHistory(historyFile(context.paths, meta.id), {
    clock: context.clock,
    floor: meta.last_sequence,
    onFailure: (error) => session.endUnwritable(`the history cannot be written: ${errorText(error)}`),
  })
  const session: LiveSession = {
    meta,
    state: NEW_SESSION,
    running: null,
    process: null,
    connection: null,
    finishing: null,
    messages: new Map(),
    waiters: new Map(),
    timers: new Set(),
    store,
    // Above all of its earlier runs: an answer to a request of theirs must not be one to a new request.
    permissions: createPermissionDesk(earlier?.nextPermission ?? meta.last_sequence + 1),
    terminals: createTerminals(earlier?.nextTerminal),
    recalled: earlier?.recalled ?? new Map(),
    ...(readKept(earlier?.kept) ?? freshKept(meta, request)),
    abort: new AbortController(),
    endUnwritable: (detail) => void finishSession(context, session, { kind: 'internal', detail }),
  }
  return session
}

function freshKept(meta: SessionMeta, request: Omit<OpenRequest, 'meta'>): Kept {
  return {
    token: randomBytes(24).toString('base64url'),
    environment: request.environment ?? null,
    mcpServers: request.mcpServers ?? [],
    clientTools: toolsFor(meta, request),
    farWorkspace: request.farWorkspace ?? null,
    instructions: (request.instructions ?? '').trim(),
  }
}

/** Files and terminals here are of no use to an agent elsewhere. */
function toolsFor(meta: SessionMeta, { farWorkspace, clientTools }: Omit<OpenRequest, 'meta'>): ClientTools {
  if (farWorkspace !== undefined || meta.process?.host_directory !== undefined)
    return { read: false, write: false, terminal: false }
  return clientTools ?? clientToolsOf(meta.process?.command ?? [])
}

/** For the agent's host, which gives it to the next daemon. */
export function keptOf(session: LiveSession): Kept {
  const { token, environment, mcpServers, clientTools, farWorkspace, instructions } = session
  return { token, environment, mcpServers, clientTools, farWorkspace, instructions }
}

/** A host of another version may have kept less. */
export function readKept(value: unknown): Kept | null {
  const kept = value as Partial<Kept> | null | undefined
  const isWhole = kept?.token && kept.mcpServers && kept.clientTools && kept.instructions !== undefined
  return isWhole ? ({ farWorkspace: null, ...kept } as Kept) : null
}
