// What can be done with sessions: the one interface under the daemon, the tests and, later, ao.
import { mkdirSync } from 'node:fs'
import type { ApproveRequest, CreateSessionRequest, SessionView, SpawnRequest } from '../contract/agh/api.ts'
import type { AghConfig } from '../contract/agh/config.ts'
import type { EventRow } from '../contract/agh/events.ts'
import type { SessionMeta } from '../contract/agh/session-meta.ts'
import { AoError } from '../contract/errors.ts'
import { deriveHealth } from '../core/agh/derive-health.ts'
import { requireActive } from '../core/agh/transition.ts'
import { activityOf } from '../core/agh/turn.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { AghPaths } from './paths.ts'
import { cancelTurn } from './session/cancel-turn.ts'
import { type AghContext, nowMs } from './session/context.ts'
import { createSession } from './session/create-session.ts'
import { finishSession } from './session/finish.ts'
import type { LiveSession } from './session/live-session.ts'
import { answerPermission } from './session/permission-desk.ts'
import { queueTurn, type StartedTurn, startTurn } from './session/prompt.ts'
import { readSession, repairAll, repairTranscript, salvageHistory } from './session/repair-session.ts'
import { resumeSession } from './session/resume-session.ts'
import { spawnSession } from './session/spawn-session.ts'
import { isDamage, openReadOnly } from './store/database.ts'
import { historyFile, listSessionIds } from './store/meta-file.ts'

export interface RuntimeOptions {
  paths: AghPaths
  config: AghConfig
  env: NodeJS.ProcessEnv
  clock: Clock
  log: Log
}

export function createContext(options: RuntimeOptions): AghContext {
  mkdirSync(options.paths.sessions, { recursive: true, mode: 0o700 })
  return { ...options, live: new Map(), starting: new Map(), repairing: new Map() }
}

export { repairAll, repairTranscript }

export async function newSession(context: AghContext, request: CreateSessionRequest): Promise<SessionView> {
  return viewOf(context, (await createSession(context, request)).meta)
}

/** For an agent inside a session, which shows its token. */
export async function spawnChild(context: AghContext, token: string, request: SpawnRequest): Promise<SessionView> {
  return viewOf(context, (await spawnSession(context, token, request)).meta)
}

export async function getSession(context: AghContext, sessionId: string): Promise<SessionView> {
  return viewOf(context, await readSession(context, sessionId))
}

export interface ListOptions {
  /** Without the stopped ones. */
  onlyLive?: boolean
}

/** Oldest first. One whose metadata cannot be read is left out and logged. */
export async function listSessions(context: AghContext, options: ListOptions = {}): Promise<SessionView[]> {
  const metas: SessionMeta[] = []
  for (const sessionId of listSessionIds(context.paths)) {
    try {
      metas.push(await readSession(context, sessionId))
    } catch (error) {
      context.log.warn(`session ${sessionId} cannot be listed: ${error instanceof Error ? error.message : error}`)
    }
  }
  return metas
    .filter(({ state }) => !options.onlyLive || state !== 'stopped')
    .sort((a, b) => compare(a.created_at, b.created_at) || compare(a.id, b.id))
    .map((meta) => viewOf(context, meta))
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

export async function promptSession(
  context: AghContext,
  sessionId: string,
  message: string,
  options: { queue?: boolean } = {},
): Promise<StartedTurn> {
  const session = await requireLive(context, sessionId)
  return options.queue ? queueTurn(context, session, message) : startTurn(context, session, message)
}

export async function cancelPrompt(context: AghContext, sessionId: string): Promise<void> {
  const session = context.live.get(sessionId)
  if (session) await cancelTurn(context, session, 'user')
  else await readSession(context, sessionId)
}

/** A stopped session stays as it is. */
export async function stopSession(context: AghContext, sessionId: string, detail: string | null): Promise<SessionView> {
  const session = context.live.get(sessionId)
  if (!session) return getSession(context, sessionId)
  if (session.meta.state === 'starting') {
    session.abort.abort()
    await context.starting.get(sessionId)?.catch(() => undefined)
    return getSession(context, sessionId)
  }
  return viewOf(context, await finishSession(context, session, { kind: 'user', detail }))
}

export async function resume(context: AghContext, sessionId: string): Promise<SessionView> {
  return viewOf(context, (await resumeSession(context, sessionId)).meta)
}

export async function approve(context: AghContext, sessionId: string, request: ApproveRequest): Promise<string> {
  const session = await requireLive(context, sessionId)
  return answerPermission(session.permissions, request.request_id, request.decision)
}

/** In order, from the first after `after` on. */
export async function readEvents(
  context: AghContext,
  sessionId: string,
  after: number,
  limit: number,
): Promise<EventRow[]> {
  const meta = await readSession(context, sessionId)
  const live = context.live.get(sessionId)
  if (live) return live.store.readAfter(after, limit)
  try {
    return await readStored(historyFile(context.paths, sessionId), after, limit)
  } catch (error) {
    if (!isDamage(error)) throw error
    await salvageHistory(context, meta)
    return readStored(historyFile(context.paths, sessionId), after, limit)
  }
}

async function readStored(file: string, after: number, limit: number): Promise<EventRow[]> {
  const db = await openReadOnly(file)
  try {
    return db
      .prepare('SELECT * FROM events WHERE sequence > ? ORDER BY sequence LIMIT ?')
      .all(after, limit) as EventRow[]
  } finally {
    db.close()
  }
}

/** All at once, so that one that hangs takes nothing from the others. */
export async function shutdown(context: AghContext): Promise<SessionMeta[]> {
  for (const session of context.live.values()) if (session.meta.state === 'starting') session.abort.abort()
  await Promise.allSettled(context.starting.values())
  return Promise.all([...context.live.values()].map((session) => finishSession(context, session, { kind: 'shutdown' })))
}

async function requireLive(context: AghContext, sessionId: string): Promise<LiveSession> {
  const session = context.live.get(sessionId)
  requireActive(sessionId, session?.meta.state ?? (await readSession(context, sessionId)).state)
  if (session) return session
  throw new AoError('SESSION_NOT_ACTIVE', `Session ${sessionId} does not run here`)
}

function viewOf(context: AghContext, meta: SessionMeta): SessionView {
  const live = context.live.get(meta.id)
  const turn = live?.turn?.turn
  const current = turn ? { ...meta, activity: activityOf(turn, nowMs(context)) } : meta
  const facts = {
    attached: live?.process?.exit() === null,
    turnRunning: turn !== undefined,
    stalled: turn !== undefined && (turn.warned || turn.cancel?.why === 'inactivity'),
  }
  return {
    ...current,
    health: deriveHealth(current, facts),
    pending_permissions: [...(live?.permissions.pending.values() ?? [])].map(({ view }) => view),
  }
}
