// What an agent can do with the conversations that it keeps: fork one into a session of its own, list them, close or delete one.
// Each is refused where the agent does not advertise it. What is about to be done is on the disk before the agent hears of it.
import { resolve } from 'node:path'
import type { ConversationList } from '../../contract/agh/answers.ts'
import type { ForkRequest } from '../../contract/agh/api.ts'
import type { ConversationMethod, SessionMeta } from '../../contract/agh/session-meta.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import {
  type AgentConversation,
  lacksConversation,
  MAX_CONVERSATIONS,
  readConversationPage,
  requireConversationMethod,
} from '../../core/agh/session/conversations.ts'
import { resolveWorkspace } from '../setup/workspaces.ts'
import type { AghContext } from './context.ts'
import { stopLive } from './finish.ts'
import { conversationOwners } from './list-sessions.ts'
import type { LiveSession } from './live-session.ts'
import { readRepaired, repairSession } from './repair-session.ts'
import { attempt } from './start/attempt.ts'
import { freshMeta } from './start/create-session.ts'
import { drivenByAnother, ownLaunch, startingAgain } from './start/resume-session.ts'
import { freshProcess, startSession } from './start/start-session.ts'

/** A session of its own whose conversation begins as a copy. If it cannot, that session is there, stopped, with the reason. */
export async function forkSession(context: AghContext, sourceId: string, request: ForkRequest): Promise<LiveSession> {
  const source = await repairSession(context, sourceId)
  const forked_from = forkOf(source)
  const path = request.workspace_path
  const workspace =
    path === undefined
      ? { id: source.workspace_id, path: source.workspace_path }
      : resolveWorkspace(context.paths, { workspace_path: resolve(path) })
  const { command, spawnId, ...launch } = await ownLaunch(context, source, request.environment)
  const { settings, additional_directories, preface } = source
  const meta = freshMeta(context, {
    name: request.name ?? null,
    agent_name: source.agent_name,
    type: 'user',
    workspace_id: workspace.id,
    workspace_path: workspace.path,
    permissions: source.permissions,
    process: freshProcess(context, { command, spawnId }),
    ...(settings && { settings }),
    ...(additional_directories && { additional_directories }),
  })
  // What the other session was to send with its next prompt, this one has to send as well.
  const begins = { ...meta, forked_from, ...(preface && { preface }) }
  return startSession(context, { ...launch, meta: begins, conversation: { forks: forked_from.acp_session_id } })
}

/** Whom it copies, for a session that is about to be made. Throws when that is impossible. */
export function forkOf(source: SessionMeta, driver?: string): NonNullable<SessionMeta['forked_from']> {
  if (source.driver && source.driver.name !== driver) throw drivenByAnother(source)
  const why = lacksConversation(source)
  if (why !== null) throw refused(source, 'fork', why)
  requireConversationMethod(source, source.agent_can, 'fork')
  return { session_id: source.id, acp_session_id: source.acp_session_id!, last_sequence: source.last_sequence }
}

/** Only of a stopped session: its agent is started for nothing else. The history here stays. */
export async function deleteConversation(
  context: AghContext,
  sessionId: string,
  environment: Record<string, string> | undefined,
): Promise<SessionMeta> {
  const meta = await readRepaired(context, sessionId)
  if (meta.driver) throw drivenByAnother(meta)
  const why = meta.state === 'stopped' ? lacksConversation(meta) : `it is ${meta.state}`
  if (why !== null)
    throw refused(meta, 'delete', why, meta.state === 'stopped' ? undefined : `agh session stop ${sessionId}`)
  requireConversationMethod(meta, meta.agent_can, 'delete')
  const { command, spawnId, ...launch } = await ownLaunch(context, meta, environment)
  if (context.live.has(sessionId) || context.starting.has(sessionId)) throw refused(meta, 'delete', 'it is starting')
  const again = startingAgain(context, meta, freshProcess(context, { command, spawnId }))
  const { meta: ended } = await startSession(context, {
    ...{ ...launch, mcpServers: [] },
    meta: { ...again, conversation: 'deleting' },
    conversation: { deletes: meta.acp_session_id! },
  })
  return ended
}

/** Ends it like a stop, after its agent had the time to close the conversation by itself. */
export async function closeSession(context: AghContext, session: LiveSession): Promise<SessionMeta> {
  requireLiveMethod(session, 'close')
  return stopLive(context, session, { kind: 'user', detail: null, how: { force: false, closes: true } })
}

const MAX_PAGES = 50

/** `cwd`: only those of this directory. */
export async function listConversations(
  context: AghContext,
  session: LiveSession,
  cwd: string | null,
): Promise<ConversationList> {
  requireLiveMethod(session, 'list')
  const found: AgentConversation[] = []
  const cursors = new Set<string>()
  let cursor: string | null = null
  do {
    const params: Record<string, string> = { ...(cwd !== null && { cwd }), ...(cursor !== null && { cursor }) }
    const page: ReturnType<typeof readConversationPage> = await askForPage(context, session, params)
    found.push(...page.conversations)
    cursor = page.next
    // An agent that names a page twice would be asked for ever.
    if (cursor !== null && cursors.has(cursor)) break
    if (cursor !== null) cursors.add(cursor)
  } while (cursor !== null && found.length <= MAX_CONVERSATIONS && cursors.size < MAX_PAGES)
  const owners = await conversationOwners(context)
  const conversations = found.slice(0, MAX_CONVERSATIONS)
  return {
    session_id: session.meta.id,
    conversations: conversations.map((one) => ({ ...one, session_id: owners.get(one.id) ?? null })),
    truncated: cursor !== null || found.length > MAX_CONVERSATIONS,
  }
}

async function askForPage(context: AghContext, session: LiveSession, params: Record<string, string>) {
  try {
    const ask = () => session.connection!.agent.request<unknown>('session/list', params)
    return readConversationPage(await attempt(context, session, 'request', ask))
  } catch (error) {
    throw new AoError('AGENT_FAILED', `The agent did not list its conversations: ${errorText(error)}`, { cause: error })
  }
}

function requireLiveMethod({ meta, state: { abilities } }: LiveSession, method: ConversationMethod): void {
  requireConversationMethod(meta, abilities.conversations ?? [], method)
}

function refused({ id }: SessionMeta, method: 'fork' | 'delete', why: string, command?: string): AoError {
  const what = method === 'fork' ? 'forked' : 'deleted'
  return new AoError('STATE_REFUSED', `The conversation of session ${id} cannot be ${what}: ${why}`, {
    ...(command && { hint: `First: ${command}` }),
    details: { sessionId: id, method: `session/${method}` },
  })
}
