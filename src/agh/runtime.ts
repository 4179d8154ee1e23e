// Everything that can be done with a session by its id. The daemon, its tasks and its wakes use sessions only through this
// file; how each operation works is in session/. Reads change nothing.

import { mkdirSync } from 'node:fs'
import type { ConversationList, QueuedPromptView, SessionView } from '../contract/agh/answers.ts'
import type { ApproveRequest, CreateSessionRequest, ForkRequest, SpawnRequest } from '../contract/agh/api.ts'
import type { SentFile } from '../contract/agh/attachment.ts'
import type { AghConfig } from '../contract/agh/config.ts'
import type { DriveAgainRequest, DrivenMessage, DriveRequest, DriverMessageRequest } from '../contract/agh/driver.ts'
import type { SessionMeta } from '../contract/agh/session-meta.ts'
import type { TurnSource } from '../contract/agh/session-terms.ts'
import { AoError } from '../contract/errors.ts'
import type { Command } from '../core/agh/machine/command.ts'
import { notActive } from '../core/agh/machine/decide.ts'
import type { StopManner } from '../core/agh/session/classify-stop.ts'
import { standingRules } from '../core/agh/session/permission-grants.ts'
import { waitingPromptId } from '../core/agh/session/waiting-prompt.ts'
import type { Clock } from '../lib/clock.ts'
import { createTurns } from '../lib/lock/turns.ts'
import type { Log } from '../lib/log.ts'
import { createHostPool } from './acp/host-pool.ts'
import type { AghPaths } from './paths.ts'
import { ancestryOf, sessionByToken } from './session/children.ts'
import type { AghContext } from './session/context.ts'
import { closeSession, deleteConversation, forkSession, listConversations } from './session/conversations.ts'
import { driveAgain, driveSession, findDriven } from './session/driver/drive-session.ts'
import { takeMessage } from './session/driver/driver-messages.ts'
import { stopLive } from './session/finish.ts'
import { type ListOptions, listSessions, type SessionList } from './session/list-sessions.ts'
import type { LiveSession } from './session/live-session.ts'
import { perform, requireAllowed } from './session/publish.ts'
import { readSession } from './session/read-session.ts'
import { repairSession } from './session/repair-session.ts'
import { createSession } from './session/start/create-session.ts'
import { type ResumeOptions, resumeSession } from './session/start/resume-session.ts'
import { spawnSession } from './session/start/spawn-session.ts'
import { takeFiles } from './session/turn/attached-files.ts'
import { editPrompt, listQueue, withdrawPrompt } from './session/turn/change-queue.ts'
import { answerPermission, decisionOf } from './session/turn/permission-desk.ts'
import { newTurnId, retryTurn, type StartedTurn, startTurn } from './session/turn/prompt.ts'
import { queueTurn } from './session/turn/queue-turn.ts'
import { cancelTurn } from './session/turn/running-turn.ts'
import { viewOf } from './session/view-of.ts'
import { stopDamaged } from './store/lost-hosts.ts'

export { ancestryOf } from './session/children.ts'
export { findMessage } from './session/driver/driver-messages.ts'
export { leaveAll, shutdown } from './session/leave-all.ts'
export { listSessions, listSessionsText } from './session/list-sessions.ts'
export { readEvents, readHookRuns, readIfWhole, readRecent, readUsage, watchSession } from './session/read-log.ts'
export {
  type Repairs,
  repairTranscript,
  repairUnwritten,
  retryPostponed,
  startRepairs,
} from './session/repair-session.ts'
export { changeSettings } from './session/start/apply-settings.ts'
export { ensureCoordinator } from './session/start/ensure-coordinator.ts'
export { trimSession } from './session/trim-session.ts'
export { readAttached } from './session/turn/attached-files.ts'
export { newTurnId, type StartedTurn } from './session/turn/prompt.ts'
export { readPolicy, wakeSession } from './session/turn/wake-session.ts'

export interface RuntimeOptions {
  paths: AghPaths
  config: AghConfig
  env: NodeJS.ProcessEnv
  clock: Clock
  log: Log
  /** Keeps a host in reserve, so that the next session starts faster. */
  keepsReserve?: boolean
}

export function createAghContext({ keepsReserve = false, ...options }: RuntimeOptions): AghContext {
  mkdirSync(options.paths.sessions, { recursive: true, mode: 0o700 })
  return {
    ...options,
    hosts: createHostPool({ env: options.env, log: options.paths.log, keepsReserve }),
    live: new Map(),
    starting: new Map(),
    driven: new Map(),
    coordinating: createTurns(),
    unwritten: new Map(),
    postponed: new Map(),
    repairing: createTurns(),
    closing: false,
    leaving: new AbortController(),
  }
}

/** The live sessions, from the first step of their start to the last step of their end. */
export function liveSessions(context: AghContext): SessionMeta[] {
  return [...context.live.values()].map(({ meta }) => meta)
}

export interface LiveCount {
  agent: string
  state: SessionMeta['state']
  phase: string
  questions: number
}

/** The same in numbers, without reading anything. */
export function countLive(context: AghContext): LiveCount[] {
  return [...context.live.values()].map(({ meta, state, permissions }) => ({
    agent: meta.agent_name,
    state: meta.state,
    phase: state.phase.name,
    questions: permissions.pending.size,
  }))
}

export async function newSession(context: AghContext, request: CreateSessionRequest): Promise<SessionView> {
  return viewOf(context, (await createSession(context, request)).meta)
}

/** For an agent inside a session, `caller`. */
export async function spawnChild(
  context: AghContext,
  caller: string | null,
  request: SpawnRequest,
): Promise<SessionView> {
  return viewOf(context, (await spawnSession(context, caller, request)).meta)
}

/** The session that has this secret; null: none that is running. */
export function sessionOfToken(context: AghContext, token: string): string | null {
  return sessionByToken(context, token)?.meta.id ?? null
}

/** A session and those that it spawned. */
export async function listFamily(context: AghContext, sessionId: string, options: ListOptions): Promise<SessionList> {
  const { sessions } = await listSessions(context, options)
  return { sessions: sessions.filter(({ id }) => ancestryOf(context, id).includes(sessionId)), damaged: [] }
}

/** The four for agents that advertise them, see session/conversations.ts. */
export async function fork(context: AghContext, sessionId: string, request: ForkRequest): Promise<SessionView> {
  return viewOf(context, (await forkSession(context, sessionId, request)).meta)
}

export async function close(context: AghContext, sessionId: string): Promise<SessionView> {
  return viewOf(
    context,
    await closeSession(context, await requireLive(context, sessionId, { type: 'manage_conversations' })),
  )
}

export async function deleteOne(context: AghContext, id: string, env: ResumeOptions['environment']) {
  return viewOf(context, await deleteConversation(context, id, env))
}

export async function listOfAgent(context: AghContext, sessionId: string, isAll: boolean): Promise<ConversationList> {
  const session = context.live.get(sessionId)
  if (!session) throw notRunning(readSession(context, sessionId))
  requireAllowed(session, { type: 'manage_conversations' })
  return listConversations(context, session, isAll ? null : (session.farWorkspace ?? session.meta.workspace_path))
}

/** For a program that runs its sessions here. */
export async function drive(context: AghContext, request: DriveRequest): Promise<SessionView> {
  return viewOf(context, (await driveSession(context, request)).meta)
}

export async function resumeDriven(context: AghContext, id: string, request: DriveAgainRequest): Promise<SessionView> {
  return viewOf(context, (await driveAgain(context, id, request)).meta)
}

/** The live session under a driver's key; null when there is none. */
export function getDriven(context: AghContext, key: string): SessionView | null {
  const meta = findDriven(context, key)
  return meta && viewOf(context, meta)
}

export async function sendMessage(
  context: AghContext,
  sessionId: string,
  request: DriverMessageRequest,
): Promise<DrivenMessage> {
  return takeMessage(context, await requireLive(context, sessionId, { type: 'take_message' }), request)
}

export async function getSession(context: AghContext, sessionId: string): Promise<SessionView> {
  return viewOf(context, readSession(context, sessionId))
}

export interface PromptOptions {
  /** Wait for the running turn instead of being refused. */
  queue?: boolean
  /** What goes along with it. */
  files?: readonly SentFile[] | undefined
  source?: TurnSource
  turnId?: string
}

/** Resolves when its turn has begun. Until then the prompt is on disk; for a task, its run is. */
export async function promptSession(
  context: AghContext,
  sessionId: string,
  message: string,
  { queue = false, files, source = 'user', turnId = newTurnId() }: PromptOptions = {},
): Promise<StartedTurn> {
  const session = await requireLive(context, sessionId)
  const attachments = files?.length ? takeFiles(context, session, files) : undefined
  if (!queue) return startTurn(context, session, message, { source, turnId, attachments })
  const waitsAs = source === 'user' ? { waitsAs: waitingPromptId(turnId) } : {}
  return queueTurn(context, session, message, { source, turnId, attachments, ...waitsAs }).started
}

/** Sends the prompt of the newest turn again, if that turn failed. `turnId`: only if it is this one. */
export async function retryPrompt(
  context: AghContext,
  sessionId: string,
  turnId?: string,
): Promise<{ turn_id: string; retries: string }> {
  const session = await requireLive(context, sessionId)
  const { started, retries } = await retryTurn(context, session, turnId)
  return { turn_id: started.turnId, retries }
}

/** Resolves immediately for a turn that is not running. */
export async function turnEnded(context: AghContext, sessionId: string, turnId: string): Promise<void> {
  const running = context.live.get(sessionId)?.running
  if (running?.id === turnId) await running.ended.promise
}

export async function cancelPrompt(context: AghContext, sessionId: string): Promise<void> {
  const session = context.live.get(sessionId)
  if (session) await cancelTurn(context, session, 'user')
  else readSession(context, sessionId)
}

/** The prompts that wait behind the running turn, in order; none for a session that is only on disk. */
export function readQueue(context: AghContext, sessionId: string): QueuedPromptView[] {
  const session = context.live.get(sessionId)
  if (!session) readSession(context, sessionId)
  return session ? listQueue(session) : []
}

/** Both throw MESSAGE_NOT_WAITING for a prompt whose turn has begun. */
export async function changeQueued(context: AghContext, sessionId: string, id: string, text: string): Promise<void> {
  await editPrompt(context, await requireLive(context, sessionId), id, text)
}

export async function withdrawQueued(context: AghContext, sessionId: string, id: string): Promise<void> {
  await withdrawPrompt(context, await requireLive(context, sessionId), id)
}

/** A stopped session stays unchanged. */
export async function stopSession(
  context: AghContext,
  sessionId: string,
  detail: string | null,
  how?: StopManner,
): Promise<SessionView> {
  const lost = (error: unknown) => stopDamaged(context.paths, sessionId, error)
  const repaired = context.live.has(sessionId) ? null : await repairSession(context, sessionId).catch(lost)
  const session = context.live.get(sessionId)
  if (!session) return viewOf(context, repaired ?? readSession(context, sessionId))
  return viewOf(context, await stopLive(context, session, { kind: 'user', detail, ...(how ? { how } : {}) }))
}

export async function resume(
  context: AghContext,
  sessionId: string,
  options: Pick<ResumeOptions, 'fresh' | 'environment'> = {},
): Promise<SessionView> {
  return viewOf(context, (await resumeSession(context, sessionId, options)).meta)
}

export async function approve(context: AghContext, sessionId: string, request: ApproveRequest): Promise<string> {
  const { permissions } = await requireLive(context, sessionId, { type: 'approve' })
  const { request_id, option_id } = request
  const decision = option_id === undefined ? request.decision : decisionOf(permissions, request_id, option_id)
  return answerPermission(permissions, request_id, { decision: decision!, optionId: option_id })
}

/** What people have allowed for the whole session; none for one that is only on disk: they end with its agent. */
export function readRules(context: AghContext, sessionId: string): Array<{ id: string; rule: string }> {
  const session = context.live.get(sessionId)
  if (!session) readSession(context, sessionId)
  return session ? standingRules(session.state.grants) : []
}

export async function revokeRule(context: AghContext, sessionId: string, requestId: string): Promise<void> {
  await perform(context, await requireLive(context, sessionId), { type: 'revoke_grant', requestId })
}

/** Throws the objection to the command, also for a session that is only on disk. */
async function requireLive(context: AghContext, sessionId: string, command?: Command): Promise<LiveSession> {
  const repaired = context.live.has(sessionId) ? null : await repairSession(context, sessionId)
  const session = context.live.get(sessionId)
  if (session) {
    if (command) requireAllowed(session, command)
    return session
  }
  throw notRunning(repaired ?? readSession(context, sessionId))
}

function notRunning({ id, state }: SessionMeta): AoError {
  if (state !== 'active') return notActive(id, state)
  return new AoError('SESSION_NOT_ACTIVE', `Session ${id} is not running here`)
}
