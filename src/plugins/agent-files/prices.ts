// What models cost: one dated table of list prices in US dollars per million tokens, from the public price pages of
// Anthropic, OpenAI and Google. Only verified prices are listed. A missing model has no price (null), never the price of 0.
// Users can add or replace rows: `plugins.agent.config.prices` in agent-orchestrator.yaml. Surcharges for very long
// prompts, priority tiers and regions are not included: the result is an estimate.
import type { AgentCost } from '../../contract/session.ts'

export const PRICES_AS_OF = '2026-11-15'

export interface ModelPrice {
  input: number
  output: number
  cacheRead: number
  cacheWrite: number
  /** Anthropic's one-hour cache; the price of `cacheWrite` where a vendor has only one. */
  cacheWriteLong?: number | undefined
}

export interface TokenUsage {
  /** Without cached tokens. */
  inputTokens: number
  outputTokens: number
  cacheReadTokens: number
  cacheWriteTokens: number
  /** The part of `cacheWriteTokens` that is kept for an hour. */
  cacheWriteLongTokens: number
}

export type PriceTable = Readonly<Record<string, ModelPrice>>

const price = (
  input: number,
  output: number,
  cacheRead: number,
  cacheWrite: number,
  cacheWriteLong?: number,
): ModelPrice => ({
  input,
  output,
  cacheRead,
  cacheWrite,
  cacheWriteLong,
})

const OPUS_5 = price(5, 25, 0.5, 6.25, 10)
const OPUS_4 = price(15, 75, 1.5, 18.75, 30)
const SONNET_5 = price(2, 10, 0.2, 2.5, 4)
const SONNET_4 = price(3, 15, 0.3, 3.75, 6)
const GPT_5 = price(1.25, 10, 0.125, 1.25)
const GPT_5_MINI = price(0.25, 2, 0.025, 0.25)
const GPT_5_2 = price(1.75, 14, 0.175, 1.75)

/** Where a vendor does not charge for cache writes, those tokens cost as much as other input. */
export const PRICES: PriceTable = {
  'claude-fable-5-1': price(10, 50, 0.25, 12.5, 20),
  'claude-fable-5': price(10, 50, 1, 12.5, 20),
  'claude-opus-5-5': price(4, 20, 0.2, 5, 8),
  'claude-opus-5': OPUS_5,
  'claude-opus-4-8': OPUS_5,
  'claude-opus-4-7': OPUS_5,
  'claude-opus-4-6': OPUS_5,
  'claude-opus-4-5': OPUS_5,
  'claude-opus-4-1': OPUS_4,
  'claude-opus-4': OPUS_4,
  'claude-opus-4-0': OPUS_4,
  'claude-sonnet-5-5': SONNET_5,
  'claude-sonnet-5': SONNET_5,
  'claude-sonnet-4-6': SONNET_4,
  'claude-sonnet-4-5': SONNET_4,
  'claude-sonnet-4': SONNET_4,
  'claude-sonnet-4-0': SONNET_4,
  'claude-3-7-sonnet': SONNET_4,
  'claude-3-5-sonnet': SONNET_4,
  'claude-haiku-4-5': price(1, 5, 0.1, 1.25, 2),
  'claude-3-5-haiku': price(0.8, 4, 0.08, 1, 1.6),
  'gpt-6.1-terra': price(1, 5, 0.05, 1.25, 2.5),
  'gpt-6-sol': price(2, 10, 0.2, 2.5),
  'gpt-6-luna': price(0.1, 0.5, 0.01, 0.125),
  'gpt-5.6-sol': price(5, 30, 0.5, 5),
  'gpt-5.6-terra': price(2, 12, 0.2, 2),
  'gpt-5.6-luna': price(0.2, 1.2, 0.02, 0.2),
  'gpt-5.4': price(2.5, 15, 0.25, 2.5),
  'gpt-5.3-codex': GPT_5_2,
  'gpt-5.2-codex': GPT_5_2,
  'gpt-5.2': GPT_5_2,
  'gpt-5.1-codex-max': GPT_5,
  'gpt-5.1-codex-mini': GPT_5_MINI,
  'gpt-5.1-codex': GPT_5,
  'gpt-5.1': GPT_5,
  'gpt-5-codex': GPT_5,
  'gpt-5-mini': GPT_5_MINI,
  'gpt-5': GPT_5,
  'gpt-4.1': price(2, 8, 0.5, 2),
  'gpt-4.1-mini': price(0.4, 1.6, 0.1, 0.4),
  o3: price(2, 8, 0.5, 2),
  'o4-mini': price(1.1, 4.4, 0.275, 1.1),
  'gemini-2.5-pro': price(1.25, 10, 0.125, 1.25),
  'gemini-2.5-flash': price(0.3, 2.5, 0.03, 0.3),
  'gemini-2.5-flash-lite': price(0.1, 0.4, 0.01, 0.1),
}

/** What may follow a model's name without making it a different model: a date, `latest`, a context size in brackets. */
const SAME_MODEL = /^(?:[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest|\d{3}))?(?:\[[^\]]*\])?$/

/** null: the table has no price for this model. Names with a provider prefix (`openai/gpt-5`) are understood. */
export function priceOf(model: string, own: PriceTable = {}): ModelPrice | null {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  for (const table of [own, PRICES]) {
    if (Object.hasOwn(table, model)) return table[model]!
    const listed = Object.keys(table).find((key) => name.startsWith(key) && SAME_MODEL.test(name.slice(key.length)))
    if (listed) return table[listed]!
  }
  return null
}

export function costOf(usage: TokenUsage, price: ModelPrice): number {
  const short = Math.max(0, usage.cacheWriteTokens - usage.cacheWriteLongTokens)
  const dollars =
    usage.inputTokens * price.input +
    usage.outputTokens * price.output +
    usage.cacheReadTokens * price.cacheRead +
    short * price.cacheWrite +
    usage.cacheWriteLongTokens * (price.cacheWriteLong ?? price.cacheWrite)
  return dollars / 1_000_000
}

export function emptyUsage(): TokenUsage {
  return { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, cacheWriteLongTokens: 0 }
}

/** Adds `more` to `total` in place. */
export function addUsage(total: TokenUsage, more: TokenUsage): void {
  for (const key of Object.keys(total) as Array<keyof TokenUsage>) total[key] += more[key]
}

/** Tokens and cost of several models together; the cost is null as soon as one of them has no known price. */
export function totalCost(
  byModel: ReadonlyArray<{ model: string; usage: TokenUsage; reportedCostUsd?: number | undefined }>,
  own: PriceTable = {},
): AgentCost {
  const total = emptyUsage()
  let dollars: number | null = 0
  for (const { model, usage, reportedCostUsd } of byModel) {
    addUsage(total, usage)
    const modelPrice = priceOf(model, own)
    const cost = modelPrice ? costOf(usage, modelPrice) : isUnused(usage) ? 0 : (reportedCostUsd ?? null)
    dollars = dollars === null || cost === null ? null : dollars + cost
  }
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = total
  return { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, estimatedCostUsd: dollars }
}

function isUnused(usage: TokenUsage): boolean {
  return Object.values(usage).every((count) => count === 0)
}
