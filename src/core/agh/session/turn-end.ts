// How a turn ends: with the agent's response, as a failure that the agent reports outside the protocol, or refused. And what it
// cost, which agents report in their own ways.
import type { EventContents } from '../../../contract/agh/events.ts'
import type { SessionFailure } from '../../../contract/agh/session-meta.ts'
import { isObject } from '../../text/json-fields.ts'
import { classifyFailure } from './classify-failure.ts'
import type { BesideProtocol, Turn, TurnEnd } from './turn.ts'

export function answeredTurn(turn: Turn, answer: { stopReason: string | null; usage: object | null }): TurnEnd {
  const { stopReason, usage } = answer
  return {
    event: { type: 'done', content: { stop_reason: stopReason, usage, canceled_by: turn.cancel?.why ?? null } },
    interrupted: stopReason === 'cancelled',
    failure: null,
  }
}

/** `more` is added to its event beside the failure. */
export function failedTurn(failure: SessionFailure, more: Partial<EventContents['error']> = {}): TurnEnd {
  const content = { error: failure.summary, ...more, failure }
  return { event: { type: 'error', content }, interrupted: true, failure }
}

/** For a prompt that the agent refused. Only a requested cancellation counts as one. */
export function classifyRefusal(turn: Turn, rpcCode: number | undefined) {
  const why = turn.cancel?.why
  if (why === 'inactivity') return 'timeout'
  return classifyFailure({ phase: 'prompt', rpcCode, canceled: why !== undefined })
}

const COPILOT = 'Copilot'

/** Why the turn failed though it is reported as ended; null: it did not. */
export function troubleOf({ trouble, lastWords }: BesideProtocol, agentName: string | null | undefined): string | null {
  if (trouble !== null) return trouble
  return agentName === COPILOT ? (lastWords?.replace(/^Error: /, '') ?? null) : null
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
 * The protocol leaves open whether the tokens of a response are those of the turn or of all turns so far, and whether cached
 * ones are among the input. Copilot CLI counts all of its process, and cached ones twice.
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
  return { usage: withoutCached(Object.fromEntries(own)), counted: usage }
}

function withoutCached(usage: Record<string, unknown>): object {
  const { inputTokens, cachedReadTokens } = usage
  if (typeof inputTokens !== 'number' || typeof cachedReadTokens !== 'number') return usage
  return { ...usage, inputTokens: Math.max(0, inputTokens - cachedReadTokens) }
}
