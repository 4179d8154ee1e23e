// What a record says of the account once its agent was started with it.
import type { AgentAccount } from '../../contract/account.ts'
import type { RecordChange, SessionRecord } from '../../contract/record.ts'
import type { Spent } from '../../core/status/spent.ts'

/** `change` null: it was restored as it was. `usedBefore`: what its agent counts already, from an earlier time with it. */
export function accountKeys(
  record: SessionRecord,
  change: { to: AgentAccount } | null,
  usedBefore: Spent | null = null,
): RecordChange {
  if (!change) return { switchTo: null }
  const { usageTokens = 0, usageCostUsd } = record
  return {
    agent: change.to.agent,
    account: change.to.account,
    firstAgent: record.firstAgent ?? record.agent,
    switchTo: null,
    // Not of this agent.
    model: null,
    earlierTokens: Math.max(0, usageTokens - (usedBefore?.tokens ?? 0)) || null,
    earlierCostUsd: usageCostUsd === undefined ? null : Math.max(0, usageCostUsd - (usedBefore?.costUsd ?? 0)) || null,
  }
}
