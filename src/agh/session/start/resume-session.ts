// Resumes a stopped session under its id.

import { randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import type { SessionMeta } from '../../../contract/agh/session-meta.ts'
import { AoError } from '../../../contract/errors.ts'
import { isActive } from '../../../core/agh/machine/session-state.ts'
import { requireResumable } from '../../../core/agh/session/plan-spawn.ts'
import { nowIso, nowMs } from '../../../lib/clock.ts'
import { type AgentDefinition, findAgent } from '../../setup/agents.ts'
import { requireOwnLog } from '../../store/database.ts'
import { historyFile } from '../../store/meta-file.ts'
import type { AghContext } from '../context.ts'
import type { LiveSession } from '../live-session.ts'
import { readRepaired } from '../repair-session.ts'
import { environmentOf, launchOf } from './create-session.ts'
import type { Conversation } from './start-agent.ts'
import { freshProcess, type StartRequest, startSession } from './start-session.ts'

/** How a driver restarts its session. */
export interface ResumeLaunch
  extends Pick<StartRequest, 'environment' | 'instructions' | 'mcpServers' | 'farWorkspace'> {
  command: readonly string[]
  spawnId: string
  /** It runs elsewhere already. */
  hostDirectory?: string | undefined
}

export interface ResumeOptions {
  /** Supplied by a driver; otherwise from the agent's definition. */
  launch?: ResumeLaunch
  /** A new conversation with a recap, whatever the agent still has of the old one. */
  fresh?: boolean
  /** Of the requesting command. */
  environment?: Record<string, string> | undefined
}

/** A session that is already active is returned unchanged. */
export async function resumeSession(
  context: AghContext,
  sessionId: string,
  options: ResumeOptions = {},
): Promise<LiveSession> {
  const { launch, fresh = false } = options
  const live = context.live.get(sessionId)
  if (live && fresh && !live.finishing) throw stillRuns(live.meta)
  if (live && isActive(live.state)) return live
  const starting = context.starting.get(sessionId)
  if (starting) return starting
  if (live) await live.finishing
  const meta = await readRepaired(context, sessionId)
  // Its agent outlived the daemon that ran it.
  if (context.live.has(sessionId)) return resumeSession(context, sessionId, options)
  if (meta.driver && !launch) throw drivenByAnother(meta)
  requireResumable(meta, { now: nowMs(context), parentLives: livesIn(context, meta.lineage.parent_session_id) })
  const { command, spawnId, hostDirectory, ...given } = launch ?? (await ownLaunch(context, meta, options.environment))
  if (!statSync(meta.workspace_path, { throwIfNoEntry: false })?.isDirectory()) {
    throw new AoError('WORKSPACE_MISSING', `The workspace ${meta.workspace_path} of session ${sessionId} is gone`, {
      hint: 'Bring the directory back, then resume again',
    })
  }
  await requireOwnLog(historyFile(context.paths, sessionId))
  // Checked last: there is no await from here to startSession, so nothing can intervene.
  if (context.live.has(sessionId) || context.starting.has(sessionId)) return resumeSession(context, sessionId, options)
  return startSession(context, {
    ...given,
    meta: startingAgain(context, meta, freshProcess(context, { command, spawnId, hostDirectory })),
    conversation: conversationOf(meta, fresh),
  })
}

/** Without an earlier ACP session there is nothing to recall, unless it was deleted, or another one was to be forked. */
function conversationOf({ acp_session_id, forked_from, conversation }: SessionMeta, fresh: boolean): Conversation {
  if (conversation === 'deleted') return 'recap'
  if (acp_session_id !== null) return fresh ? 'recap' : { acpSessionId: acp_session_id }
  if (!forked_from) return 'new'
  return fresh ? 'recap' : { forks: forked_from.acp_session_id }
}

function stillRuns({ id, state }: SessionMeta): AoError {
  return new AoError('STATE_REFUSED', `Session ${id} is ${state}; only a stopped one gets a new conversation`, {
    hint: `Stop it first: agh session stop ${id}`,
    details: { sessionId: id, state },
  })
}

function livesIn(context: AghContext, sessionId: string | null): boolean {
  const live = sessionId === null ? undefined : context.live.get(sessionId)
  return live !== undefined && isActive(live.state)
}

/** According to its current definition. */
export async function ownLaunch(
  context: AghContext,
  meta: SessionMeta,
  caller: Record<string, string> | undefined,
): Promise<ResumeLaunch> {
  const environmentFor = (found: AgentDefinition) => environmentOf(context, found, caller)
  const agent = await findAgent(context, meta.agent_name, environmentFor)
  const { command } = agent
  return { command, spawnId: randomUUID(), environment: environmentFor(agent), ...launchOf(context, agent) }
}

/** Only its driver knows the environment that the agent needs. */
export function drivenByAnother({ id, driver }: SessionMeta): AoError {
  return new AoError('STATE_REFUSED', `Session ${id} belongs to ${driver?.name}, which has to do that`, {
    hint:
      driver?.name === 'ao'
        ? 'Use: ao session restore, ao session fork, ao disk --free limits'
        : `Use ${driver?.name} for that`,
    details: { sessionId: id, driver },
  })
}

export function startingAgain(
  context: AghContext,
  meta: SessionMeta,
  process: NonNullable<SessionMeta['process']>,
): SessionMeta {
  const { left_running: _, ...kept } = meta
  return {
    ...kept,
    ...(meta.driver ? { driver: { ...meta.driver, spawn_id: process.spawn_id } } : {}),
    exit: null,
    state: 'starting',
    stop_reason: null,
    stop_detail: null,
    failure: null,
    process,
    updated_at: nowIso(context),
  }
}
