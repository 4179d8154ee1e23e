// What an agent's records of a session add up to, in the slot's terms.
import type { AgentSessionInfo } from '../../contract/session.ts'
import type { Fold, FoldCache } from './fold-cache.ts'
import { addUsage, emptyUsage, type PriceTable, type TokenUsage, totalCost } from './prices.ts'

/** Folded from all records; plain JSON. */
export interface Counted {
  model: string | null
  usage: Record<string, TokenUsage>
  firstPrompt: string | null
  lastMessage: string | null
}

/** One answer of a model, as far as it counts. */
export interface RecordedAnswer {
  model: string | null
  usage: TokenUsage | null
  text: string
}

export const NOTHING_COUNTED = { model: null, firstPrompt: null, lastMessage: null } as const

const MAX_MESSAGE_CHARS = 4_000
/** A reading stops here and continues the next time: a list of sessions must not wait for one huge file. */
const MAX_BYTES_PER_READING = 32 * 1024 * 1024

export function countAnswer(state: Counted, { model, usage, text }: RecordedAnswer): void {
  state.model = model ?? state.model
  noteMessage(state, text)
  if (usage) addUsage(usageOfModel(state, model), usage)
}

export function noteMessage(state: Counted, text: string): void {
  if (text.trim() !== '') state.lastMessage = text.trim().slice(0, MAX_MESSAGE_CHARS)
}

export function usageOfModel(state: Counted, model: string | null): TokenUsage {
  const name = model ?? 'unknown'
  state.usage[name] ??= emptyUsage()
  return state.usage[name]
}

/** null: there is no such file. */
export async function readFolded<S extends Counted>(
  { cache, prices }: { cache: FoldCache; prices: PriceTable },
  { path, fold, sessionId }: { path: string; fold: Fold<S>; sessionId: string | null },
  titleOf: (state: S) => string | null = () => null,
): Promise<AgentSessionInfo | null> {
  const folded = await cache.fold(path, fold, { maxBytes: MAX_BYTES_PER_READING })
  await cache.save()
  if (!folded) return null
  const { firstPrompt, model, usage, lastMessage } = folded.state
  const title = titleOf(folded.state)
  const rows = Object.entries(usage).map(([ofModel, tokens]) => ({ model: ofModel, usage: tokens }))
  return {
    summary: title ?? firstPrompt,
    summaryIsFallback: (title === null && firstPrompt !== null) || undefined,
    agentSessionId: sessionId,
    model: model ?? undefined,
    cost: folded.complete ? totalCost(rows, prices) : undefined,
    lastMessage: lastMessage ?? undefined,
  }
}
