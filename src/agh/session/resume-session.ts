// A stopped session lives again under its id.
import { randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import type { SessionMeta } from '../../contract/agh/session-meta.ts'
import { AoError } from '../../contract/errors.ts'
import { findAgent } from '../agents.ts'
import { type AghContext, nowIso } from './context.ts'
import type { LiveSession } from './live-session.ts'
import { readSession } from './repair-session.ts'
import { freshProcess, startSession } from './start-session.ts'

/** One that is active already is returned as it is. */
export async function resumeSession(context: AghContext, sessionId: string): Promise<LiveSession> {
  const live = context.live.get(sessionId)
  if (live?.meta.state === 'active') return live
  const starting = context.starting.get(sessionId)
  if (starting) return starting
  if (live) await live.finishing
  const meta = await readSession(context, sessionId)
  const agent = await findAgent(context, meta.agent_name)
  if (!statSync(meta.workspace_path, { throwIfNoEntry: false })?.isDirectory()) {
    throw new AoError('WORKSPACE_MISSING', `The workspace ${meta.workspace_path} of session ${sessionId} is gone`, {
      hint: 'Bring the directory back, then resume again',
    })
  }
  // Looked at last: from here to startSession nothing is waited for, so nobody comes in between.
  if (context.live.has(sessionId) || context.starting.has(sessionId)) return resumeSession(context, sessionId)
  return startSession(context, startingAgain(context, meta, agent.command), meta.acp_session_id)
}

function startingAgain(context: AghContext, meta: SessionMeta, command: readonly string[]): SessionMeta {
  return {
    ...meta,
    state: 'starting',
    stop_reason: null,
    stop_detail: null,
    failure: null,
    process: freshProcess(context, command, randomUUID()),
    updated_at: nowIso(context),
  }
}
