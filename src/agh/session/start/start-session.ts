// The steps shared by new and resumed sessions: metadata and event log first, then the agent, then `active`.
import { randomBytes } from 'node:crypto'
import { durationMs } from '../../../contract/agh/config.ts'
import type { McpServerConfig } from '../../../contract/agh/mcp-server.ts'
import type { PrefaceKind, SessionMeta } from '../../../contract/agh/session-meta.ts'
import { AoError, errorText } from '../../../contract/errors.ts'
import { NEW_SESSION } from '../../../core/agh/machine/session-state.ts'
import type { StopCause } from '../../../core/agh/session/classify-stop.ts'
import { buildPreface, type PrefacePart, prefaceAfterStart } from '../../../core/agh/session/preface.ts'
import { buildTranscript, recapText } from '../../../core/agh/transcript/transcript.ts'
import { failpoint } from '../../../lib/failpoint.ts'
import { createTerminals } from '../../acp/terminals.ts'
import { type ClientTools, clientToolsOf } from '../../setup/known-agents.ts'
import { historyFile, makeSessionDirectory, removeUnborn, writeMeta } from '../../store/meta-file.ts'
import { openHistory } from '../../store/open-history.ts'
import { type AghContext, nowIso, nowMs } from '../context.ts'
import { keepDigest } from '../driver/keep-digest.ts'
import { finishSession } from '../finish.ts'
import type { LiveSession } from '../live-session.ts'
import { addTimer, perform } from '../publish.ts'
import { createPermissionDesk } from '../turn/permission-desk.ts'
import { reportUndelivered } from '../turn/report-undelivered.ts'
import { wireHandlers } from '../turn/take-wire.ts'
import { AgentStartError, exitSoon } from './attempt.ts'
import { runHooks } from './run-hooks.ts'
import { type Conversation, startAgent } from './start-agent.ts'

export interface StartRequest {
  /** `starting`. */
  meta: SessionMeta
  conversation: Conversation
  /** The agent's complete environment; the daemon's if absent. */
  environment?: NodeJS.ProcessEnv
  /** For the agent, for the whole session. */
  instructions?: string
  mcpServers?: readonly McpServerConfig[]
  clientTools?: ClientTools
}

/** Resolves when the session is active; otherwise it ends `stopped`. */
export function startSession(context: AghContext, request: StartRequest): Promise<LiveSession> {
  const { meta } = request
  if (context.closing) throw new AoError('DAEMON_NOT_RUNNING', 'The daemon is about to end')
  makeSessionDirectory(context.paths, meta.id)
  const starting = start(context, request).finally(() => context.starting.delete(meta.id))
  context.starting.set(meta.id, starting)
  return starting
}

async function start(context: AghContext, request: StartRequest): Promise<LiveSession> {
  const { meta, conversation } = request
  writeFirst(context, meta)
  failpoint('agh-starting')
  const session = await openSession(context, request)
  keepDigest(context, session)
  context.live.set(meta.id, session)
  try {
    await reportUndelivered(context, session)
    const denied = await runHooks(
      context,
      session,
      conversation === 'new' ? 'session.pre_create' : 'session.pre_resume',
    )
    if (denied !== null) throw new AgentStartError('permission_failure', denied, undefined)
    const { acpSessionId, method, ...mcp } = await startAgent(
      context,
      session,
      wireHandlers(context, () => session),
      conversation,
    )
    const preface = prefaceAfterStart({
      method,
      before: meta.preface ?? [],
      takesSystemPrompt: session.state.abilities.systemPrompt,
    })
    const facts = { started_with: method, acp_session_id: acpSessionId }
    await perform(context, session, {
      type: 'activate',
      event: { type: 'session_started', content: { ...facts, ...mcp } },
      preface: prefaceOf(session, preface),
      meta: { ...facts, preface },
    })
  } catch (error) {
    throw await failStart(context, session, error)
  }
  failpoint('agh-active')
  watchAgent(context, session)
  limitLifetime(context, session)
  await runStartedHooks(context, session)
  return session
}

/** Its agent is already running, so a denial ends the session like any other end. */
async function runStartedHooks(context: AghContext, session: LiveSession): Promise<void> {
  const denied = await runHooks(context, session, 'session.started')
  if (denied === null) return
  throw notStarted(await finishSession(context, session, { kind: 'hook_denied', detail: denied }), denied, undefined)
}

/** A session whose metadata could not even be written leaves nothing behind. */
function writeFirst(context: AghContext, meta: SessionMeta): void {
  try {
    writeMeta(context.paths, meta, { durable: true })
  } catch (error) {
    removeUnborn(context.paths, meta.id)
    throw error
  }
}

async function openSession(context: AghContext, { meta, ...request }: StartRequest): Promise<LiveSession> {
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
    timers: new Set(),
    store,
    permissions: createPermissionDesk(),
    terminals: createTerminals(),
    token: randomBytes(24).toString('base64url'),
    environment: request.environment ?? null,
    mcpServers: request.mcpServers ?? [],
    clientTools: request.clientTools ?? clientToolsOf(meta.process?.command ?? []),
    instructions: (request.instructions ?? '').trim(),
    abort: new AbortController(),
    endUnwritable: (detail) => void finishSession(context, session, { kind: 'internal', detail }),
  }
  return session
}

async function failStart(context: AghContext, session: LiveSession, error: unknown): Promise<AoError> {
  const detail = errorText(error)
  const kind = error instanceof AgentStartError ? error.kind : 'startup_failure'
  const meta = await finishSession(context, session, { kind: 'start_failed', failure: kind, detail })
  return notStarted(meta, detail, error)
}

function notStarted(meta: SessionMeta, detail: string, cause: unknown): AoError {
  return new AoError('AGENT_FAILED', `Session ${meta.id} could not be started: ${meta.failure?.summary ?? detail}`, {
    hint:
      meta.failure?.kind === 'load_session_failure'
        ? `Begin a new conversation with a recap of this one: agh session resume ${meta.id} --fresh`
        : `See what is known with: agh session status ${meta.id}`,
    details: { sessionId: meta.id, failure: meta.failure },
    cause,
  })
}

/** An agent that ends or loses its connection ends its session. */
function watchAgent(context: AghContext, session: LiveSession): void {
  const end = (cause: StopCause) => void finishSession(context, session, cause)
  void session.process?.exited.then((exit) => end({ kind: 'exited', exit }))
  void session.connection?.closed.then(async (detail) => {
    if (session.finishing === null && (await exitSoon(session)) === null) end({ kind: 'transport', detail })
  })
}

/** A wall-clock limit for all sessions, and the time budget of a spawned session or a coordinator. */
function limitLifetime(context: AghContext, session: LiveSession): void {
  const limit = durationMs(context.config.session.limits.timeout)
  const { ttl_expires_at } = session.meta.lineage
  const end = (detail: string) => void finishSession(context, session, { kind: 'timeout', detail })
  if (limit > 0) addTimer(session, setTimeout(end, limit, `session.limits.timeout of ${limit} ms is over`))
  if (ttl_expires_at === null) return
  const left = Math.max(0, Date.parse(ttl_expires_at) - nowMs(context))
  addTimer(session, setTimeout(end, left, 'the time that it was given is over'))
}

const MAX_RECAP = 32 * 1024

function prefaceOf(session: LiveSession, kinds: readonly PrefaceKind[]): PrefacePart[] {
  const recap = kinds.includes('recap') ? recapText(buildTranscript(session.store.readLast(5_000)), MAX_RECAP) : ''
  return buildPreface(kinds, { instructions: session.instructions, recap })
}

export function freshProcess(
  context: AghContext,
  command: readonly string[],
  spawnId: string,
): NonNullable<SessionMeta['process']> {
  return { identity: null, spawn_id: spawnId, command: [...command], started_at: nowIso(context) }
}
