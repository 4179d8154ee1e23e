// What agh has, in the words of the Agent Client Protocol: events as updates, offers as modes and options, and back.
import type {
  ContentBlock,
  LoadSessionResponse,
  RequestPermissionRequest,
  SessionConfigOption,
  SessionInfo,
  SessionUpdate,
  StopReason,
} from '@agentclientprotocol/sdk'
import type { SessionView } from '../../../contract/agh/answers.ts'
import type { SentFile } from '../../../contract/agh/attachment.ts'
import type { PermissionContent, SessionEvent } from '../../../contract/agh/events.ts'
import type { AgentOffers, OfferedOption } from '../../../contract/agh/session-meta.ts'
import { fenceUntrusted, oneLine } from '../../../core/prompt/fence-untrusted.ts'
import { isObject } from '../../../core/text/json-fields.ts'

/** Updates of the agent that an editor understands. What the agent echoes of a prompt is in the log already. */
const SHOWN: readonly unknown[] = [
  'agent_message_chunk',
  'agent_thought_chunk',
  'tool_call',
  'tool_call_update',
  'plan',
  'available_commands_update',
  'current_mode_update',
  'config_option_update',
  'session_info_update',
  'usage_update',
]

/** null: nothing that an editor shows. */
export function updateOf({ type, content }: SessionEvent): SessionUpdate | null {
  if (type === 'user_message') return textChunk('user_message_chunk', content.text)
  if (type === 'error') return textChunk('agent_message_chunk', `\n\nThe turn failed: ${content.error}\n\n`)
  const update: Record<string, unknown> = { ...content }
  if (!SHOWN.includes(update.sessionUpdate)) return null
  // Terminals are the daemon's: an editor that is asked to show one does not find it.
  const parts = update.content
  const shown = Array.isArray(parts) ? { ...update, content: parts.filter((part) => !isTerminal(part)) } : update
  return shown as unknown as SessionUpdate
}

function textChunk(sessionUpdate: 'user_message_chunk' | 'agent_message_chunk', text: string): SessionUpdate {
  return { sessionUpdate, content: { type: 'text', text } }
}

function isTerminal(part: unknown): boolean {
  return isObject(part) && part.type === 'terminal'
}

const STOP_REASONS: readonly StopReason[] = ['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled']

export function stopReasonOf({ stop_reason, canceled_by }: SessionEvent<'done'>['content']): StopReason {
  if (canceled_by !== null) return 'cancelled'
  return STOP_REASONS.find((reason) => reason === stop_reason) ?? 'end_turn'
}

/** The question as the agent put it, under the title by which agh shows it everywhere. */
export function requestOf(sessionId: string, requestId: string, question: PermissionContent): RequestPermissionRequest {
  const call = isObject(question.tool_call) ? question.tool_call : {}
  const toolCallId = typeof call.toolCallId === 'string' ? call.toolCallId : requestId
  const options = (question.options ?? []).map(({ option_id, name, decision }) => ({
    optionId: option_id,
    name,
    kind: decision.replace('-', '_'),
  }))
  const toolCall = { ...call, toolCallId, title: question.title }
  return { sessionId, toolCall, options } as RequestPermissionRequest
}

/** Empty while the agent is not running: what it offers is unknown then. */
export function settingsOf(offers: AgentOffers | null): Pick<LoadSessionResponse, 'modes' | 'configOptions'> {
  if (offers === null) return {}
  const { current_mode, modes, options } = offers
  return {
    ...(current_mode !== null && modes.length > 0 && { modes: { currentModeId: current_mode, availableModes: modes } }),
    ...(options.length > 0 && { configOptions: options.map(optionOf) }),
  }
}

function optionOf({ id, name, category, type, current, values }: OfferedOption): SessionConfigOption {
  const head = { id, name, category }
  if (type === 'boolean') return { ...head, type, currentValue: current === 'true' }
  return { ...head, type, currentValue: current, options: values.map((one) => ({ value: one.id, name: one.name })) }
}

const MAX_TITLE = 80

export function infoOf(session: SessionView): SessionInfo {
  const { id, name, digest, workspace_path, additional_directories, updated_at } = session
  const title = name ?? digest?.first_prompt?.split('\n', 1)[0]?.slice(0, MAX_TITLE)
  return {
    sessionId: id,
    cwd: workspace_path,
    updatedAt: updated_at,
    ...(title !== undefined && { title }),
    ...(additional_directories !== undefined && { additionalDirectories: additional_directories }),
  }
}

/** What an editor attaches is named, and quoted where it is text; pictures and other bytes go along. null: something is neither. */
export function promptText(blocks: readonly ContentBlock[]): string | null {
  const texts = blocks.map((block) => (fileOf(block) === null ? blockText(block) : ''))
  const text = texts.includes(null) ? null : texts.join('')
  return text?.trim() === '' && promptFiles(blocks).length > 0 ? 'See what goes along with this message.' : text
}

export function promptFiles(blocks: readonly ContentBlock[]): SentFile[] {
  return blocks.flatMap((block) => fileOf(block) ?? [])
}

function fileOf(block: ContentBlock): SentFile | null {
  if (block.type === 'image') return { name: block.uri ?? 'picture', data: block.data }
  if (block.type !== 'resource' || !('blob' in block.resource)) return null
  return { name: block.resource.uri, data: block.resource.blob }
}

function blockText(block: ContentBlock): string | null {
  if (block.type === 'text') return block.text
  if (block.type === 'resource_link') return `[${oneLine(block.name)}](${oneLine(block.uri)})`
  if (block.type !== 'resource' || !('text' in block.resource)) return null
  // A person chose it, and others wrote it.
  return `\n${fenceUntrusted(block.resource.text, block.resource.uri)}\n`
}
