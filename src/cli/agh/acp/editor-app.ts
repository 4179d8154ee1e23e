// What an editor can ask of agh over the Agent Client Protocol.
import { realpathSync } from 'node:fs'
import type { AgentApp, AgentContext, RequestError } from '@agentclientprotocol/sdk'
import type { Call } from '../../../agh/client.ts'
import type { PermissionMode } from '../../../contract/agh/session-terms.ts'
import { hintFor } from '../../../contract/errors.ts'
import { explainError } from '../../../contract/explain-error.ts'
import { AO_VERSION } from '../../../lib/version.ts'
import type { Io } from '../../print/io.ts'
import { openAgh } from '../agh-command.ts'
import { callersEnvironment } from '../session-new.ts'
import { type EditorSession, openEditorSession } from './editor-session.ts'
import { infoOf, promptFiles, promptText, settingsOf } from './to-editor.ts'

interface NewSession {
  agent_name: string | undefined
  permissions: PermissionMode | undefined
}

type Sdk = typeof import('@agentclientprotocol/sdk')

/** Sessions per page of the editor's list. */
const PAGE = 100

export function createEditorApp(sdk: Sdk, io: Io, chosen: NewSession): AgentApp {
  const environment = callersEnvironment(io)
  const sessions = new Map<string, EditorSession>()
  const call: Call = (name, ...ask) => openAgh(io).call(name, ...ask)
  const sessionOf = (id: string, client: AgentContext) => {
    const session =
      sessions.get(id) ?? openEditorSession({ id, client, open: () => openAgh(io), environment, note: io.note })
    sessions.set(id, session)
    return session
  }
  /** One that this editor has opened. */
  const requireOpen = (id: string) => {
    const session = sessions.get(id)
    if (session) return session
    throw sdk.RequestError.sessionNotFound(id)
  }
  const explained = async <T>(act: () => Promise<T>): Promise<T> => {
    try {
      return await act()
    } catch (error) {
      throw error instanceof sdk.RequestError ? error : refusalOf(sdk, error)
    }
  }
  return sdk
    .agent({ name: 'agh' })
    .onRequest('initialize', () => ({
      protocolVersion: sdk.PROTOCOL_VERSION,
      agentInfo: { name: 'agh', version: AO_VERSION ?? '0.0.0' },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, embeddedContext: true },
        sessionCapabilities: { list: {}, additionalDirectories: {} },
      },
    }))
    .onRequest('session/new', ({ params, client }) =>
      explained(async () => {
        const { cwd, mcpServers, additionalDirectories: directories = [] } = params
        noteUnused(io, mcpServers)
        const body = {
          ...chosen,
          environment,
          workspace_path: cwd,
          additional_directories: directories.length === 0 ? undefined : directories,
        }
        const { session } = await call('POST /api/sessions', { body })
        afterAnswer(sessionOf(session.id, client).follow)
        return { sessionId: session.id, ...settingsOf(session.offers) }
      }),
    )
    .onRequest('session/load', ({ params, client }) =>
      explained(async () => {
        noteUnused(io, params.mcpServers)
        const { session } = await call('GET /api/sessions/:id', { params: { id: params.sessionId } })
        const opened = sessionOf(session.id, client)
        await opened.replay()
        afterAnswer(opened.follow)
        return settingsOf(session.offers)
      }),
    )
    .onRequest('session/list', ({ params }) =>
      explained(async () => {
        const where = params.cwd == null ? null : realPathOf(params.cwd)
        const all = (await call('GET /api/sessions')).sessions
          .filter(({ type, workspace_path }) => type === 'user' && (where ?? workspace_path) === workspace_path)
          .toReversed()
        const from = Number(params.cursor ?? 0) || 0
        const nextCursor = from + PAGE < all.length ? { nextCursor: String(from + PAGE) } : {}
        return { sessions: all.slice(from, from + PAGE).map(infoOf), ...nextCursor }
      }),
    )
    .onRequest('session/prompt', ({ params }) =>
      explained(async () => {
        const text = promptText(params.prompt)
        if (text === null || text.trim() === '')
          throw sdk.RequestError.invalidParams(undefined, 'agh takes text, pictures and files')
        return { stopReason: await requireOpen(params.sessionId).prompt(text, promptFiles(params.prompt)) }
      }),
    )
    .onNotification('session/cancel', ({ params }) =>
      requireOpen(params.sessionId)
        .cancel()
        .catch((error) => io.note(`The turn was not cancelled: ${explainError(error, 'agh').message}`)),
    )
    .onRequest('session/set_mode', ({ params }) =>
      explained(async () => {
        requireOpen(params.sessionId)
        await call('PATCH /api/sessions/:id', { params: { id: params.sessionId }, body: { mode: params.modeId } })
        return {}
      }),
    )
    .onRequest('session/set_config_option', ({ params }) =>
      explained(async () => {
        requireOpen(params.sessionId)
        const body = { options: { [params.configId]: String(params.value) } }
        const { session } = await call('PATCH /api/sessions/:id', { params: { id: params.sessionId }, body })
        return { configOptions: settingsOf(session.offers).configOptions ?? [] }
      }),
    )
}

/** An editor knows a session, and what was loaded of it, once it has the answer. */
function afterAnswer(act: () => void): void {
  setImmediate(act)
}

/** Sessions have the real paths of their directories. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // Gone, but its sessions are still listed.
    return path
  }
}

function noteUnused(io: Io, servers: readonly unknown[]): void {
  if (servers.length > 0)
    io.note('MCP servers of the editor are not passed on: an agent of agh has those of its AGENT.md')
}

const INTERNAL_ERROR = -32_603
const INVALID_PARAMS = -32_602

function refusalOf(sdk: Sdk, error: unknown): RequestError {
  const explained = explainError(error, 'agh')
  const { code, message, details } = explained
  if (code === 'SESSION_NOT_FOUND') return sdk.RequestError.sessionNotFound(String(details.sessionId ?? ''))
  const hint = hintFor(explained, 'agh')
  const text = hint === undefined ? message : `${message}. ${hint}`
  return new sdk.RequestError(code === 'USAGE' ? INVALID_PARAMS : INTERNAL_ERROR, text)
}
