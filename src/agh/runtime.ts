// What can be done with a session by its id, for the daemon's routes, its tasks and the tests. Reading changes nothing, but
// for a damaged history, which is salvaged first. What is particular to drivers, settings and wakes has files of its own.
import { existsSync, mkdirSync } from 'node:fs'
import type { SessionView } from '../contract/agh/answers.ts'
import type { ApproveRequest, CreateSessionRequest, SpawnRequest } from '../contract/agh/api.ts'
import type { AghConfig } from '../contract/agh/config.ts'
import type { EventRow } from '../contract/agh/events.ts'
import type { SessionMeta } from '../contract/agh/session-meta.ts'
import { AoError } from '../contract/errors.ts'
import { isSafeName } from '../contract/ids.ts'
import type { StopManner } from '../core/agh/session/classify-stop.ts'
import { requireActive } from '../core/agh/session/transition.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { AghPaths } from './paths.ts'
import type { AghContext } from './session/context.ts'
import { finishSession } from './session/finish.ts'
import type { LiveSession } from './session/live-session.ts'
import {
  readSession,
  repairAll,
  repairSession,
  repairTranscript,
  repairUnwritten,
  salvageHistory,
} from './session/repair-session.ts'
import { createSession } from './session/start/create-session.ts'
import { type ResumeOptions, resumeSession } from './session/start/resume-session.ts'
import { spawnSession } from './session/start/spawn-session.ts'
import { cancelTurn } from './session/turn/cancel-turn.ts'
import { answerPermission, decisionOf } from './session/turn/permission-desk.ts'
import { queueTurn, type StartedTurn, startTurn } from './session/turn/prompt.ts'
import { viewOf } from './session/view-of.ts'
import { isDamage, readDatabase } from './store/database.ts'
import { historyFile } from './store/meta-file.ts'

export interface RuntimeOptions {
  paths: AghPaths
  config: AghConfig
  env: NodeJS.ProcessEnv
  clock: Clock
  log: Log
}

export function createContext(options: RuntimeOptions): AghContext {
  mkdirSync(options.paths.sessions, { recursive: true, mode: 0o700 })
  return {
    ...options,
    live: new Map(),
    starting: new Map(),
    driven: new Map(),
    coordinating: new Map(),
    unwritten: new Map(),
    repairing: new Map(),
    closing: false,
  }
}

export { listSessions, listSessionsText } from './list-sessions.ts'
export { repairAll, repairTranscript }

export async function newSession(context: AghContext, request: CreateSessionRequest): Promise<SessionView> {
  return viewOf(context, (await createSession(context, request)).meta)
}

/** For an agent inside a session, which shows its token. */
export async function spawnChild(context: AghContext, token: string, request: SpawnRequest): Promise<SessionView> {
  return viewOf(context, (await spawnSession(context, token, request)).meta)
}

export async function getSession(context: AghContext, sessionId: string): Promise<SessionView> {
  return viewOf(context, readSession(context, sessionId))
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
  else readSession(context, sessionId)
}

/** A stopped session stays as it is. */
export async function stopSession(
  context: AghContext,
  sessionId: string,
  detail: string | null,
  how?: StopManner,
): Promise<SessionView> {
  const session = context.live.get(sessionId)
  if (!session) return viewOf(context, await repairSession(context, sessionId))
  if (session.meta.state === 'starting') {
    session.abort.abort()
    await context.starting.get(sessionId)?.catch(() => undefined)
    return getSession(context, sessionId)
  }
  return viewOf(context, await finishSession(context, session, { kind: 'user', detail, ...(how ? { how } : {}) }))
}

export async function resume(
  context: AghContext,
  sessionId: string,
  options: Pick<ResumeOptions, 'fresh' | 'environment'> = {},
): Promise<SessionView> {
  return viewOf(context, (await resumeSession(context, sessionId, options)).meta)
}

export async function approve(context: AghContext, sessionId: string, request: ApproveRequest): Promise<string> {
  const { permissions } = await requireLive(context, sessionId)
  const { request_id, option_id } = request
  const decision = option_id === undefined ? request.decision : decisionOf(permissions, request_id, option_id)
  return answerPermission(permissions, request_id, decision!)
}

/** In order, from the first after `after` on. */
export async function readEvents(
  context: AghContext,
  sessionId: string,
  after: number,
  limit: number,
): Promise<EventRow[]> {
  const meta = readIfWhole(context, sessionId)
  const live = context.live.get(sessionId)
  if (live) return live.store.readAfter(after, limit)
  try {
    return await readStored(historyFile(context.paths, sessionId), after, limit)
  } catch (error) {
    if (!isDamage(error) || !meta) throw error
    await salvageHistory(context, meta)
    return readStored(historyFile(context.paths, sessionId), after, limit)
  }
}

/** null: its metadata is missing or cannot be read, but it has a history, which is read as it is. */
export function readIfWhole(context: AghContext, sessionId: string): SessionMeta | null {
  try {
    return readSession(context, sessionId)
  } catch (error) {
    const isLost = error instanceof AoError && ['METADATA_DAMAGED', 'SESSION_NOT_FOUND'].includes(error.code)
    if (isLost && isSafeName(sessionId) && existsSync(historyFile(context.paths, sessionId))) return null
    throw error
  }
}

/** The last ones, in order; of one type, when it is named. */
export async function readRecent(
  context: AghContext,
  sessionId: string,
  count: number,
  type: string | null = null,
): Promise<EventRow[]> {
  // Salvages what is damaged, so that the file below can be read.
  await readEvents(context, sessionId, 0, 1)
  const newest = 'SELECT * FROM events WHERE ? IS NULL OR type = ? ORDER BY sequence DESC LIMIT ?'
  return readDatabase(
    historyFile(context.paths, sessionId),
    (db) => db.prepare(`SELECT * FROM (${newest}) ORDER BY sequence`).all(type, type, count) as EventRow[],
  )
}

async function readStored(file: string, after: number, limit: number): Promise<EventRow[]> {
  const sql = 'SELECT * FROM events WHERE sequence > ? ORDER BY sequence LIMIT ?'
  return readDatabase(file, (db) => db.prepare(sql).all(after, limit) as EventRow[])
}

/** All at once, so that one that hangs takes nothing from the others. */
export async function shutdown(context: AghContext): Promise<SessionMeta[]> {
  context.closing = true
  for (const session of context.live.values()) if (session.meta.state === 'starting') session.abort.abort()
  await Promise.allSettled(context.starting.values())
  const ended = await Promise.all(
    [...context.live.values()].map((session) => finishSession(context, session, { kind: 'shutdown' })),
  )
  await Promise.all(context.coordinating.values())
  await repairUnwritten(context)
  return ended
}

export async function requireLive(context: AghContext, sessionId: string): Promise<LiveSession> {
  const session = context.live.get(sessionId)
  requireActive(sessionId, session?.meta.state ?? (await repairSession(context, sessionId)).state)
  if (session) return session
  throw new AoError('SESSION_NOT_ACTIVE', `Session ${sessionId} is not running here`)
}
