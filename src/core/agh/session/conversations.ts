// The conversations that an agent keeps by itself, over ACP's session/fork, list, close and delete: whether it can, and how much of
// its answers is believed.
import { isPrintable } from '../../../contract/agh/api.ts'
import type { ConversationMethod, SessionMeta } from '../../../contract/agh/session-meta.ts'
import { AoError } from '../../../contract/errors.ts'
import { isObject } from '../../text/json-fields.ts'

const INSTEAD: Readonly<Record<ConversationMethod, string>> = {
  fork: 'Begin a session with a conversation of its own: agh session new',
  list: 'The sessions of agh are in: agh session list --all',
  close: 'End it with: agh session stop <session>',
  delete: 'Its conversation stays with the agent; delete it with the program of the agent itself',
}

type Asked = Pick<SessionMeta, 'id' | 'agent_name'>

/** `can`: what the agent advertised; undefined: it has not been asked yet, and will say. */
export function requireConversationMethod(
  { id, agent_name }: Asked,
  can: readonly ConversationMethod[] | undefined,
  method: ConversationMethod,
): void {
  if (can === undefined || can.includes(method)) return
  throw new AoError('STATE_REFUSED', `The agent ${agent_name} of session ${id} does not offer session/${method}`, {
    hint: INSTEAD[method].replace('<session>', id),
    details: { sessionId: id, method: `session/${method}`, offers: can },
  })
}

/** Why nothing can be done with its conversation; null: it has one. */
export function lacksConversation({ acp_session_id, conversation }: SessionMeta): string | null {
  if (conversation === 'deleted') return 'its conversation was deleted'
  return acp_session_id === null ? 'its conversation has not begun' : null
}

const MAX_ID = 500

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_ID && isPrintable(value)
}

/**
 * The id of the new conversation. Two sessions in one conversation would write over each other, so an id that somebody has is
 * refused, whatever the agent meant by it. `owners`: sessions by the conversations that they have.
 */
export function readForkAnswer(answer: unknown, parent: string, owners: ReadonlyMap<string, string>): string {
  const id = isObject(answer) ? answer.sessionId : undefined
  if (!isId(id)) throw new Error('the agent answered session/fork without an id for the new conversation')
  if (id === parent) throw new Error('the agent answered session/fork with the conversation that was to be forked')
  const owner = owners.get(id)
  if (owner !== undefined) throw new Error(`the agent answered session/fork with the conversation of session ${owner}`)
  return id
}

export interface AgentConversation {
  id: string
  cwd: string | null
  title: string | null
  updated_at: string | null
}

/** Of one list, however many pages the agent makes of it. */
export const MAX_CONVERSATIONS = 1_000
const MAX_TITLE = 200
const MAX_PATH = 4_096

/** One answer to session/list. Entries without an id are left out; `next` is null after the last page. */
export function readConversationPage(answer: unknown): { conversations: AgentConversation[]; next: string | null } {
  const { sessions, nextCursor } = isObject(answer) ? answer : {}
  if (!Array.isArray(sessions)) throw new Error('the agent answered session/list without a list')
  const conversations = sessions.slice(0, MAX_CONVERSATIONS + 1).flatMap((one: unknown) => {
    if (!isObject(one) || !isId(one.sessionId)) return []
    const { sessionId: id, cwd, title, updatedAt } = one
    return [{ id, cwd: textOf(cwd, MAX_PATH), title: textOf(title, MAX_TITLE), updated_at: textOf(updatedAt, 100) }]
  })
  return { conversations, next: typeof nextCursor === 'string' && nextCursor !== '' ? nextCursor : null }
}

function textOf(value: unknown, max: number): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, max) : null
}
