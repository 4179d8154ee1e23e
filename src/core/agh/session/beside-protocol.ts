// What some agents report outside the protocol, in `_meta`: tokens of single answers, and that a turn failed. Pure.
import type { AcpUpdate } from '../../../contract/agh/events.ts'
import { isObject } from '../transcript/read-content.ts'

export interface BesideProtocol {
  /** Qwen Code: the sum of what its answers used; the response to the prompt itself does not say. */
  usage: Readonly<Record<string, number>> | null
  /** codex-acp: the turn failed, though it is reported as ended. */
  trouble: string | null
}

export const NOTHING_BESIDE: BesideProtocol = { usage: null, trouble: null }

export function besideAfter(before: BesideProtocol, update: AcpUpdate): BesideProtocol {
  const meta = isObject(update._meta) ? update._meta : null
  if (!meta) return before
  const usage = isObject(meta.usage) ? addCounts(before.usage, meta.usage) : before.usage
  const codex = isObject(meta.codex) ? meta.codex : null
  return { usage, trouble: codex ? troubleAfter(before.trouble, codex) : before.trouble }
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
