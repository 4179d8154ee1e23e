// What some agents report outside the protocol, or in their own way: tokens of single answers or of all turns together, and
// that a turn failed. Pure.
import type { AcpUpdate } from '../../../contract/agh/events.ts'
import { isObject } from '../transcript/read-content.ts'

export interface BesideProtocol {
  /** Qwen Code: the sum of what its answers used; the response to the prompt itself does not say. */
  usage: Readonly<Record<string, number>> | null
  /** codex-acp: the turn failed, though it is reported as ended. */
  trouble: string | null
  /** Copilot CLI says in its last words that the turn failed, and reports it as ended. Absent in older bookmarks. */
  lastWords?: string | null
}

export const NOTHING_BESIDE: BesideProtocol = { usage: null, trouble: null }

export function besideAfter(before: BesideProtocol, update: AcpUpdate): BesideProtocol {
  const after = withLastText(before, update)
  const meta = isObject(update._meta) ? update._meta : null
  if (!meta) return after
  const usage = isObject(meta.usage) ? addCounts(before.usage, meta.usage) : before.usage
  const codex = isObject(meta.codex) ? meta.codex : null
  return { ...after, usage, trouble: codex ? troubleAfter(before.trouble, codex) : before.trouble }
}

const ERROR_TEXT = /^Error: \S/
/** Anything else that the agent does shows that it continued. */
const SAYS_NOTHING = ['usage_update', 'session_info_update', 'available_commands_update', 'config_option_update']

function withLastText(before: BesideProtocol, update: AcpUpdate): BesideProtocol {
  const kind = String(update.sessionUpdate)
  if (SAYS_NOTHING.includes(kind)) return before
  const content = kind === 'agent_message_chunk' && isObject(update.content) ? update.content : {}
  const text = typeof content.text === 'string' && ERROR_TEXT.test(content.text) ? content.text : null
  return text === (before.lastWords ?? null) ? before : { ...before, lastWords: text }
}

const COPILOT = 'Copilot'

/** Why the turn failed though it is reported as ended; null: it did not. */
export function troubleOf({ trouble, lastWords }: BesideProtocol, agentName: string | null | undefined): string | null {
  if (trouble !== null) return trouble
  return agentName === COPILOT ? (lastWords?.replace(/^Error: /, '') ?? null) : null
}

/** The words are in what it said last. */
export const TROUBLE = 'the agent reports an error'

function troubleAfter(before: string | null, { threadStatus, error }: Record<string, unknown>): string | null {
  if (isObject(threadStatus)) {
    if (threadStatus.type === 'systemError') return before ?? TROUBLE
    if (threadStatus.type === 'active') return null
  }
  const message = isObject(error) && typeof error.message === 'string' ? error.message : null
  // It retries on its own; only the status shows that it gave up.
  return before === TROUBLE && message !== null ? message : before
}

function addCounts(before: BesideProtocol['usage'], more: Record<string, unknown>): Record<string, number> {
  const sum: Record<string, number> = { ...before }
  for (const [key, value] of Object.entries(more)) {
    if (typeof value === 'number' && Number.isFinite(value)) sum[key] = (sum[key] ?? 0) + value
  }
  return sum
}

/** From the response to a prompt; Gemini CLI puts it elsewhere than the protocol says. */
export function usageOfResult(result: unknown): object | null {
  if (!isObject(result)) return null
  if (isObject(result.usage)) return result.usage
  const quota = isObject(result._meta) && isObject(result._meta.quota) ? result._meta.quota : null
  return quota && isObject(quota.token_count) ? quota.token_count : null
}

interface Counting {
  agentName: string | null | undefined
  /** What it had counted at the end of the turn before, in the same process. */
  counted: object | null | undefined
}

/**
 * The protocol leaves open whether the tokens of a response are those of the turn or of all turns so far. Copilot CLI counts
 * all of its process.
 */
export function usageOfTurn(
  result: unknown,
  { agentName, counted }: Counting,
): { usage: object | null; counted: object | null } {
  const usage = usageOfResult(result)
  if (usage === null || agentName !== COPILOT) return { usage, counted: counted ?? null }
  const before = (counted ?? {}) as Record<string, unknown>
  const own = Object.entries(usage).map(([name, value]) => {
    const existing = before[name]
    return [name, typeof value === 'number' && typeof existing === 'number' ? Math.max(0, value - existing) : value]
  })
  return { usage: Object.fromEntries(own), counted: usage }
}
