// From a command to a ready ACP session: launch, handshake, new or earlier session, and its settings.
import { existsSync } from 'node:fs'
import type { ClientContext, InitializeResponse, NewSessionResponse } from '@agentclientprotocol/sdk'
import type { ConversationMethod, StartMethod } from '../../../contract/agh/session-meta.ts'
import { errorText } from '../../../contract/errors.ts'
import { readOffers } from '../../../core/agh/session/agent-settings.ts'
import { readForkAnswer, requireConversationMethod } from '../../../core/agh/session/conversations.ts'
import { isLostConversation, type RpcError } from '../../../core/agh/session/lost-conversation.ts'
import { type AcpMcpServer, planMcpServers } from '../../../core/agh/session/mcp-servers.ts'
import { failpoint } from '../../../lib/failpoint.ts'
import { formatIdentity } from '../../../lib/process/process-identity.ts'
import { AO_VERSION } from '../../../lib/version.ts'
import { agentHostDirectory } from '../../acp/agent-host.ts'
import { attachStarted, launchAgent } from '../../acp/agent-process.ts'
import { connectAgent } from '../../acp/connection.ts'
import { WIRE_START, type WireHandlers } from '../../acp/wire.ts'
import { keepBookmark } from '../adopt/keep-bookmark.ts'
import { createClientApp } from '../client-app.ts'
import type { AghContext } from '../context.ts'
import { conversationOwners } from '../list-sessions.ts'
import type { LiveSession } from '../live-session.ts'
import { note, saveMeta, takeConnection, takeProcess } from '../publish.ts'
import { applySettings } from './apply-settings.ts'
import { AgentStartError, attempt } from './attempt.ts'
import { keptOf } from './open-session.ts'

export interface Started {
  acpSessionId: string
  method: StartMethod
  /** Names of the MCP servers it was given, and of those it cannot reach. */
  mcp_servers: string[]
  mcp_skipped: string[]
}

/**
 * Which conversation the session has: a new one, that of this ACP session, a copy of that one, or a new one with a recap of the old.
 * `deletes`: none, the agent is started for nothing else.
 */
export type Conversation = 'new' | 'recap' | { acpSessionId: string } | { forks: string } | { deletes: string }

export async function startAgent(
  context: AghContext,
  session: LiveSession,
  handlers: WireHandlers,
  conversation: Exclude<Conversation, { deletes: string }>,
): Promise<Started> {
  const { agentCapabilities } = await reachAgent(context, session, handlers)
  const mcp = planMcpServers(session.mcpServers, agentCapabilities?.mcpCapabilities ?? {})
  const way: Way = {
    capabilities: agentCapabilities,
    params: {
      cwd: session.farWorkspace ?? session.meta.workspace_path,
      mcpServers: mcp.servers,
      ...directoriesFor(session, agentCapabilities),
      ...systemPromptFor(session),
    },
  }
  const started = await begin(context, session, way, conversation)
  await applySettings(context, session, started.acpSessionId)
  return { ...started, mcp_servers: mcp.servers.map(({ name }) => name), mcp_skipped: mcp.skipped }
}

/** Its program runs, and has said what it can do. */
async function reachAgent(
  context: AghContext,
  session: LiveSession,
  handlers: WireHandlers,
): Promise<InitializeResponse> {
  await launch(context, session, handlers)
  return attempt(context, session, 'initialize', () => initialize(session.connection!.agent, session))
}

/** Starts the agent only to have one of its conversations deleted. */
export async function deleteThere(
  context: AghContext,
  session: LiveSession,
  handlers: WireHandlers,
  sessionId: string,
): Promise<void> {
  await reachAgent(context, session, handlers)
  requireAdvertised(session, 'delete')
  await attempt(context, session, 'request', () => session.connection!.agent.request('session/delete', { sessionId }))
}

type Begun = Pick<Started, 'acpSessionId' | 'method'>

async function begin(
  context: AghContext,
  session: LiveSession,
  way: Way,
  conversation: Exclude<Conversation, { deletes: string }>,
): Promise<Begun> {
  if (typeof conversation === 'object') {
    return 'forks' in conversation
      ? forkThere(context, session, way, conversation.forks)
      : goOn(context, session, way, conversation.acpSessionId)
  }
  const method = conversation === 'new' ? 'new' : 'new_with_recap'
  return { acpSessionId: await newSession(context, session, way), method }
}

/** What the agent sends before it answers is the old conversation, which the event log of the other session has. */
async function forkThere(context: AghContext, session: LiveSession, way: Way, parent: string): Promise<Begun> {
  requireAdvertised(session, 'fork')
  note(session, { type: 'replay', isOn: true })
  try {
    const answer = await attempt(context, session, 'fork_session', async () => {
      const params = { sessionId: parent, ...way.params }
      const made = await session.connection!.agent.request<Partial<NewSessionResponse>>('session/fork', params)
      return { ...made, sessionId: newConversation(made, parent, await conversationOwners(context)) }
    })
    failpoint('agh-forked')
    note(session, { type: 'offers_known', offers: readOffers(answer) })
    return { acpSessionId: answer.sessionId, method: 'fork' }
  } finally {
    note(session, { type: 'replay', isOn: false })
  }
}

function newConversation(answer: unknown, parent: string, owners: ReadonlyMap<string, string>): string {
  try {
    return readForkAnswer(answer, parent, owners)
  } catch (error) {
    throw new AgentStartError('load_session_failure', errorText(error), error)
  }
}

function requireAdvertised({ meta, state: { abilities } }: LiveSession, method: ConversationMethod): void {
  try {
    requireConversationMethod(meta, abilities.conversations ?? [], method)
  } catch (error) {
    const kind = method === 'fork' ? 'load_session_failure' : 'protocol_failure'
    throw new AgentStartError(kind, errorText(error), error)
  }
}

interface Way {
  capabilities: InitializeResponse['agentCapabilities']
  params: { cwd: string; mcpServers: AcpMcpServer[]; additionalDirectories?: string[]; systemPrompt?: object }
}

/** An agent that does not support them is not given them; it can still open the files in them. */
function directoriesFor(session: LiveSession, capabilities: Way['capabilities']): { additionalDirectories?: string[] } {
  // A directory that no longer exists would be refused.
  const directories = (session.meta.additional_directories ?? []).filter((path) => existsSync(path))
  const isKnown = Boolean(capabilities?.sessionCapabilities?.additionalDirectories)
  return isKnown && directories.length > 0 ? { additionalDirectories: directories } : {}
}

/** Only for an agent that accepts one: the others get it before their first prompt. */
function systemPromptFor({ state: { abilities }, instructions }: LiveSession): { systemPrompt?: object } {
  if (!abilities.systemPrompt || instructions === '') return {}
  return { systemPrompt: { mode: 'append', content: [{ type: 'text', text: instructions }] } }
}

async function launch(context: AghContext, session: LiveSession, handlers: WireHandlers): Promise<void> {
  const record = session.meta.process!
  const sdk = await import('@agentclientprotocol/sdk')
  const env = {
    ...(session.environment ?? context.env),
    AGH_SESSION_ID: session.meta.id,
    AGH_AGENT: session.meta.agent_name,
    AGH_SESSION_TOKEN: session.token,
  }
  failpoint('agh-before-launch')
  const directory = agentHostDirectory(context.paths, { id: session.meta.id, process: record })
  const process = await attempt(context, session, 'launch', () =>
    record.host_directory === undefined
      ? launchAgent({
          directory,
          command: record.command,
          cwd: session.meta.workspace_path,
          env,
          host: context.hosts.take(),
          spawnId: record.spawn_id,
          keep: keptOf(session),
        })
      : attachStarted(directory),
  )
  takeProcess(session, process)
  failpoint('agh-after-launch')
  saveMeta(context, session, { process: { ...record, identity: process.identity && formatIdentity(process.identity) } })
  // Requests of the agent before this one will never be answered.
  session.store.recordRequest({ remove: null })
  takeConnection(session, connectAgent(createClientApp(sdk, context, session), process, handlers, WIRE_START))
  keepBookmark(session)
  process.resume()
}

async function initialize(agent: ClientContext, { clientTools }: LiveSession): Promise<InitializeResponse> {
  const answer = await agent.request('initialize', {
    protocolVersion: 1,
    clientInfo: { name: 'agh', version: AO_VERSION ?? 'source' },
    clientCapabilities: {
      fs: { readTextFile: clientTools.read, writeTextFile: clientTools.write },
      terminal: clientTools.terminal,
    },
  })
  if (answer.protocolVersion !== 1) throw new Error(`the agent speaks version ${answer.protocolVersion} of ACP, not 1`)
  return answer
}

async function newSession(context: AghContext, session: LiveSession, { params }: Way): Promise<string> {
  const agent = session.connection!.agent
  const made = await attempt<NewSessionResponse>(context, session, 'new_session', () =>
    agent.request('session/new', params),
  )
  note(session, { type: 'offers_known', offers: readOffers(made) })
  return made.sessionId
}

/** The least disruptive way the agent supports; a lost session is replaced by a new one with a recap. */
async function goOn(context: AghContext, session: LiveSession, way: Way, previous: string): Promise<Begun> {
  const agent = session.connection!.agent
  const params = { sessionId: previous, ...way.params }
  const ways: Array<{ method: StartMethod; go: () => Promise<Parameters<typeof readOffers>[0]> }> = []
  if (way.capabilities?.sessionCapabilities?.resume) {
    ways.push({ method: 'resume', go: () => agent.request('session/resume', params) })
  }
  if (way.capabilities?.loadSession) {
    ways.push({ method: 'load', go: () => agent.request('session/load', params) })
  }
  for (const { method, go } of ways) {
    note(session, { type: 'replay', isOn: true })
    try {
      const offers = readOffers(await attempt(context, session, 'load_session', go))
      note(session, { type: 'offers_known', offers })
      return { acpSessionId: previous, method }
    } catch (error) {
      if (!isLost(error)) throw error
    } finally {
      note(session, { type: 'replay', isOn: false })
    }
  }
  return { acpSessionId: await newSession(context, session, way), method: 'new_with_recap' }
}

/** Only the agent's own response proves it. */
function isLost(error: unknown): boolean {
  const cause = (error as { cause?: unknown }).cause as RpcError | undefined
  return typeof cause?.code === 'number' && isLostConversation(cause, true)
}
