// From a command to a ready ACP session: launch, handshake, then a new session or an old one. Every step is bounded in
// time, ends with the agent's process, and can be called off.
import type { ClientContext, InitializeResponse, NewSessionResponse } from '@agentclientprotocol/sdk'
import { durationMs } from '../../contract/agh/config.ts'
import type { StartMethod } from '../../contract/agh/session-meta.ts'
import type { FailureKind } from '../../contract/agh/words.ts'
import { errorText } from '../../contract/errors.ts'
import { classifyFailure, type FailurePhase } from '../../core/agh/classify-failure.ts'
import { describeExit } from '../../core/agh/classify-stop.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { formatIdentity } from '../../lib/process-identity.ts'
import { AO_VERSION } from '../../lib/version.ts'
import { launchAgent } from '../acp/agent-process.ts'
import { connectAgent, type WireHandlers } from '../acp/connection.ts'
import { createClientApp } from './client-app.ts'
import type { AghContext } from './context.ts'
import type { LiveSession } from './live-session.ts'
import { saveMeta } from './save-meta.ts'

export class AgentStartError extends Error {
  readonly kind: FailureKind

  constructor(kind: FailureKind, message: string, cause: unknown) {
    super(message, { cause })
    this.name = 'AgentStartError'
    this.kind = kind
  }
}

export interface Started {
  acpSessionId: string
  method: StartMethod
}

/** `previous`: the ACP session to go on with. */
export async function startAgent(
  context: AghContext,
  session: LiveSession,
  handlers: WireHandlers,
  previous: string | null,
): Promise<Started> {
  await launch(context, session, handlers)
  const agent = session.connection!.agent
  const initialized = await attempt(context, session, 'initialize', () => initialize(agent))
  if (previous === null) return { acpSessionId: await newSession(context, session), method: 'new' }
  return goOn(context, session, initialized, previous)
}

async function launch(context: AghContext, session: LiveSession, handlers: WireHandlers): Promise<void> {
  const record = session.meta.process!
  const sdk = await import('@agentclientprotocol/sdk')
  const env = {
    ...context.env,
    AGH_SESSION_ID: session.meta.id,
    AGH_AGENT: session.meta.agent_name,
    AGH_SESSION_TOKEN: session.token,
  }
  failpoint('agh-before-launch')
  const process = await attempt(context, session, 'launch', () =>
    launchAgent({ command: record.command, cwd: session.meta.workspace_path, env, spawnId: record.spawn_id }),
  )
  session.process = process
  failpoint('agh-after-launch')
  saveMeta(context, session, { process: { ...record, identity: process.identity && formatIdentity(process.identity) } })
  session.connection = connectAgent(createClientApp(sdk, context, session), process, handlers)
}

async function initialize(agent: ClientContext): Promise<InitializeResponse> {
  const answer = await agent.request('initialize', {
    protocolVersion: 1,
    clientInfo: { name: 'agh', version: AO_VERSION ?? 'source' },
    clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
  })
  if (answer.protocolVersion !== 1) throw new Error(`the agent speaks version ${answer.protocolVersion} of ACP, not 1`)
  return answer
}

async function newSession(context: AghContext, session: LiveSession): Promise<string> {
  const agent = session.connection!.agent
  const params = { cwd: session.meta.workspace_path, mcpServers: [] }
  const made = await attempt<NewSessionResponse>(context, session, 'new_session', () =>
    agent.request('session/new', params),
  )
  return made.sessionId
}

/** The gentlest way the agent knows; a session that it has lost is begun anew, with a recap. */
async function goOn(
  context: AghContext,
  session: LiveSession,
  { agentCapabilities }: InitializeResponse,
  previous: string,
): Promise<Started> {
  const agent = session.connection!.agent
  const params = { sessionId: previous, cwd: session.meta.workspace_path, mcpServers: [] }
  const ways: Array<{ method: StartMethod; go: () => Promise<unknown> }> = []
  if (agentCapabilities?.sessionCapabilities?.resume) {
    ways.push({ method: 'resume', go: () => agent.request('session/resume', params) })
  }
  if (agentCapabilities?.loadSession) {
    ways.push({ method: 'load', go: () => agent.request('session/load', params) })
  }
  for (const { method, go } of ways) {
    session.replaying = true
    try {
      await attempt(context, session, 'load_session', go)
      return { acpSessionId: previous, method }
    } catch (error) {
      if (!isLost(error)) throw error
    } finally {
      session.replaying = false
    }
  }
  return { acpSessionId: await newSession(context, session), method: 'new_with_recap' }
}

const RESOURCE_NOT_FOUND = -32_002

function isLost(error: unknown): boolean {
  const cause = (error as { cause?: unknown }).cause as { code?: unknown; message?: unknown } | undefined
  return (
    cause?.code === RESOURCE_NOT_FOUND ||
    /session.*(not found|invalid|unknown)|invalid session/i.test(String(cause?.message))
  )
}

async function attempt<T>(
  context: AghContext,
  session: LiveSession,
  phase: FailurePhase,
  act: () => Promise<T>,
): Promise<T> {
  const limit = durationMs(context.config.session.timeouts.handshake)
  let timer: NodeJS.Timeout | undefined
  const obstacle = new Promise<never>((_, reject) => {
    const fail = (evidence: object, why: string) =>
      reject(new AgentStartError(classifyFailure({ phase, ...evidence }), why, undefined))
    if (limit > 0) timer = setTimeout(() => fail({ timedOut: true }, `${phase} did not end within ${limit} ms`), limit)
    void session.process?.exited.then((exit) => fail({ exited: true }, `${describeExit(exit)} during ${phase}`))
    const onAbort = () => fail({ canceled: true }, `the start was canceled during ${phase}`)
    if (session.abort.signal.aborted) onAbort()
    else session.abort.signal.addEventListener('abort', onAbort, { once: true })
  })
  obstacle.catch(() => undefined)
  try {
    return await Promise.race([act(), obstacle])
  } catch (error) {
    throw error instanceof AgentStartError ? error : await explain(session, phase, error)
  } finally {
    clearTimeout(timer)
  }
}

/** A closed connection is the first sign of an agent that ended; its exit code says more. */
async function explain(session: LiveSession, phase: FailurePhase, error: unknown): Promise<AgentStartError> {
  const rpcCode = (error as { code?: unknown }).code
  if (typeof rpcCode === 'number') {
    return new AgentStartError(classifyFailure({ phase, rpcCode }), `${phase} was refused: ${errorText(error)}`, error)
  }
  const exit = await exitSoon(session)
  const why = exit ? describeExit(exit) : errorText(error)
  return new AgentStartError(classifyFailure({ phase, exited: exit !== null }), `${phase} failed: ${why}`, error)
}

const EXIT_FOLLOWS_MS = 1_000

export async function exitSoon(session: LiveSession) {
  if (!session.process) return null
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), EXIT_FOLLOWS_MS)
  })
  try {
    return await Promise.race([session.process.exited, late])
  } finally {
    clearTimeout(timer)
  }
}
