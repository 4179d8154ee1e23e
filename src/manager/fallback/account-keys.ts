// What a change of account means for a record, and what the agent counted before it.
import type { AgentAccount } from '../../contract/account.ts'
import type { RecordChange, SessionRecord } from '../../contract/record.ts'
import { storedSession } from '../../contract/stored-session.ts'
import { type Spent, spentOf } from '../../core/status/spent.ts'
import type { ManagerContext } from '../context.ts'
import type { LaunchRun } from '../launch/launch-run.ts'
import { readOptions } from '../observe/observe-sessions.ts'

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

/** null: nothing, or it keeps its counts elsewhere. */
export async function countUsed(
  context: ManagerContext,
  { plan, parts, project, path }: LaunchRun,
): Promise<Spent | null> {
  if (parts.runtime.elsewhere || parts.runtime.drivesAcpAgents) return null
  const session = { ...storedSession({ id: plan.session, pairs: {} }, project.id), workspacePath: path }
  try {
    const agentInfo = await parts.agent.getSessionInfo(session, readOptions(context, session))
    return spentOf({ ...session, agentInfo })
  } catch (error) {
    context.log.debug(`could not read what ${parts.agent.name} has used before: ${String(error)}`)
    return null
  }
}
