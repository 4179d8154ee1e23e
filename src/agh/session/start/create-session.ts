// A new session: everything that can be refused is refused before anything is created.

import { randomBytes, randomUUID } from 'node:crypto'
import type { CreateSessionRequest } from '../../../contract/agh/api.ts'
import type { SessionMeta, SessionSettings } from '../../../contract/agh/session-meta.ts'
import type { SessionType } from '../../../contract/agh/session-terms.ts'
import { callerEnvironment } from '../../../core/agh/caller-environment.ts'
import { joinMcpServers } from '../../../core/agh/session/mcp-servers.ts'
import { modeFor } from '../../../core/agh/session/permission-policy.ts'
import { narrowest, type SpawnPlan } from '../../../core/agh/session/plan-spawn.ts'
import { nowIso } from '../../../lib/clock.ts'
import { type AgentDefinition, findAgent } from '../../setup/agents.ts'
import { resolveDirectories, resolveWorkspace } from '../../setup/workspaces.ts'
import type { AghContext } from '../context.ts'
import type { LiveSession } from '../live-session.ts'
import { freshProcess, type StartRequest, startSession } from './start-session.ts'

/** For sessions not requested by a person. */
export interface Origin {
  type?: SessionType
  spawn?: SpawnPlan
  ttlExpiresAt?: string
  /** The parent's: a child gets the same. */
  environment?: NodeJS.ProcessEnv | undefined
}

export async function createSession(
  context: AghContext,
  request: CreateSessionRequest,
  origin: Origin = {},
): Promise<LiveSession> {
  const workspace = resolveWorkspace(context.paths, request)
  const environmentFor = (found: AgentDefinition) =>
    origin.environment ?? environmentOf(context, found, request.environment)
  const agent = await findAgent(context, request.agent_name ?? context.config.defaults.agent, environmentFor)
  const { spawn, type = request.type ?? 'user' } = origin
  const configured = request.permissions ?? agent.permissions ?? context.config.permissions.mode
  const permissions = modeFor(type, configured)
  const directories = spawn
    ? spawn.directories
    : resolveDirectories(workspace, agent.additionalDirectories, request.additional_directories ?? [])
  const meta = freshMeta(context, {
    name: request.name ?? null,
    agent_name: agent.name,
    type,
    workspace_id: workspace.id,
    workspace_path: workspace.path,
    permissions: spawn ? narrowest(permissions, spawn.ceiling) : permissions,
    process: freshProcess(context, { command: agent.command, spawnId: randomUUID() }),
    additional_directories: directories,
    settings: wantedSettings(agent.settings, request),
    ...(spawn ? { lineage: spawn.lineage } : {}),
  })
  if (origin.ttlExpiresAt !== undefined) meta.lineage.ttl_expires_at = origin.ttlExpiresAt
  return startSession(context, {
    meta,
    conversation: 'new',
    environment: environmentFor(agent),
    ...launchOf(context, agent),
  })
}

/** The daemon's, unless the caller supplies one. */
export function environmentOf(
  context: AghContext,
  agent: AgentDefinition,
  caller: Readonly<Record<string, string>> | undefined,
): NodeJS.ProcessEnv {
  if (caller === undefined) return context.env
  return { ...callerEnvironment(context.env, caller, [...context.config.environment.allow, ...agent.env]) }
}

/** What a definition contributes to a session at each start. */
export function launchOf(
  context: AghContext,
  agent: AgentDefinition,
): Pick<StartRequest, 'instructions' | 'mcpServers' | 'clientTools'> {
  return {
    instructions: agent.instructions,
    mcpServers: joinMcpServers(context.config.mcp_servers, agent.mcpServers),
    clientTools: agent.clientTools,
  }
}

function wantedSettings(configured: SessionSettings, { mode, model, options }: CreateSessionRequest): SessionSettings {
  return {
    ...configured,
    ...(mode === undefined ? {} : { mode }),
    ...(model === undefined ? {} : { model }),
    ...(options === undefined ? {} : { options: { ...configured.options, ...options } }),
  }
}

type Added = 'lineage' | 'driver' | 'additional_directories' | 'settings'
type Given = 'name' | 'agent_name' | 'type' | 'workspace_id' | 'workspace_path' | 'permissions' | 'process'

/** A session that is about to start for the first time. */
export function freshMeta(
  context: AghContext,
  given: Pick<SessionMeta, Given> & Partial<Pick<SessionMeta, Added>>,
): SessionMeta {
  const id = `sess-${randomBytes(8).toString('hex')}`
  const now = nowIso(context)
  return {
    schema: 'agh.session.v1',
    id,
    state: 'starting',
    stop_reason: null,
    stop_detail: null,
    failure: null,
    acp_session_id: null,
    started_with: null,
    activity: null,
    lineage: {
      parent_session_id: null,
      root_session_id: id,
      spawn_depth: 0,
      spawn_role: null,
      ttl_expires_at: null,
    },
    last_sequence: 0,
    created_at: now,
    updated_at: now,
    ...given,
  }
}
