// From a command to a ready ACP session: launch, handshake, new or earlier session, and its settings.
import { existsSync } from 'node:fs'
import type { ClientContext, InitializeResponse, NewSessionResponse } from '@agentclientprotocol/sdk'
import type { StartMethod } from '../../../contract/agh/session-meta.ts'
import { readOffers } from '../../../core/agh/session/agent-settings.ts'
import { isLostConversation, type RpcError } from '../../../core/agh/session/lost-conversation.ts'
import { type AcpMcpServer, planMcpServers } from '../../../core/agh/session/mcp-servers.ts'
import { failpoint } from '../../../lib/failpoint.ts'
import { formatIdentity } from '../../../lib/process/process-identity.ts'
import { AO_VERSION } from '../../../lib/version.ts'
import { launchAgent } from '../../acp/agent-process.ts'
import { connectAgent } from '../../acp/connection.ts'
import { WIRE_START, type WireHandlers } from '../../acp/wire.ts'
import { sessionDirectory } from '../../paths.ts'
import { keepBookmark } from '../adopt/keep-bookmark.ts'
import { createClientApp } from '../client-app.ts'
import type { AghContext } from '../context.ts'
import type { LiveSession } from '../live-session.ts'
import { note, saveMeta, takeConnection, takeProcess } from '../publish.ts'
import { applySettings } from './apply-settings.ts'
import { attempt } from './attempt.ts'
import { keptOf } from './open-session.ts'

export interface Started {
  acpSessionId: string
  method: StartMethod
  /** Names of the MCP servers it was given, and of those it cannot reach. */
  mcp_servers: string[]
  mcp_skipped: string[]
}

/** Which conversation the session has: a new one, that of this ACP session, or a new one with a recap of the old. */
export type Conversation = 'new' | 'recap' | { acpSessionId: string }

export async function startAgent(
  context: AghContext,
  session: LiveSession,
  handlers: WireHandlers,
  conversation: Conversation,
): Promise<Started> {
  await launch(context, session, handlers)
  const agent = session.connection!.agent
  const { agentCapabilities } = await attempt(context, session, 'initialize', () => initialize(agent, session))
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
  const started: Pick<Started, 'acpSessionId' | 'method'> =
    typeof conversation === 'object'
      ? await goOn(context, session, way, conversation.acpSessionId)
      : {
          acpSessionId: await newSession(context, session, way),
          method: conversation === 'new' ? 'new' : 'new_with_recap',
        }
  await applySettings(context, session, started.acpSessionId)
  return { ...started, mcp_servers: mcp.servers.map(({ name }) => name), mcp_skipped: mcp.skipped }
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
  const process = await attempt(context, session, 'launch', () =>
    launchAgent({
      directory: sessionDirectory(context.paths, session.meta.id),
      command: record.command,
      cwd: session.meta.workspace_path,
      env,
      host: context.hosts.take(),
      spawnId: record.spawn_id,
      keep: keptOf(session),
    }),
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
async function goOn(
  context: AghContext,
  session: LiveSession,
  way: Way,
  previous: string,
): Promise<Pick<Started, 'acpSessionId' | 'method'>> {
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
