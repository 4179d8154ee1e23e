// What sessions have used, in tokens and money. The only module where it is counted: cards, plots, `ao status` and the loop
// show the same numbers, including turns that are running or failed.
import { type RecordChange, recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'

export interface Spent {
  tokens: number
  /** null: no price is known. */
  costUsd: number | null
}

/** What the agent reports now, or what was last recorded of it. null: it never reported anything. */
export function spentOf(session: Pick<Session, 'agentInfo' | 'metadata'>): Spent | null {
  const cost = session.agentInfo?.cost
  const { usageTokens, usageCostUsd, earlierTokens = 0, earlierCostUsd = 0 } = recordOf(session)
  if (!cost) return usageTokens === undefined ? null : { tokens: usageTokens, costUsd: usageCostUsd ?? null }
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, estimatedCostUsd } = cost
  const tokens = inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens
  return {
    // Over ACP the tokens of a turn are known only at its end: what was recorded before must not shrink.
    tokens: Math.max(tokens + earlierTokens, usageTokens ?? 0),
    costUsd: estimatedCostUsd === null ? (usageCostUsd ?? null) : estimatedCostUsd + earlierCostUsd,
  }
}

/** For its record; the history follows from it. */
export function usageChange({ tokens, costUsd }: Spent, now: Date): RecordChange {
  return { usageTokens: tokens, usageCostUsd: costUsd ?? undefined, usageAt: now }
}

export function sumSpent(all: ReadonlyArray<Spent | null>): Spent {
  let sum: Spent = { tokens: 0, costUsd: null }
  for (const one of all) {
    if (one === null) continue
    const costUsd = one.costUsd === null ? sum.costUsd : (sum.costUsd ?? 0) + one.costUsd
    sum = { tokens: sum.tokens + one.tokens, costUsd }
  }
  return sum
}
