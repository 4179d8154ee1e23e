// What every session has used, running, ended or archived.
import { recordOf, type SessionRecord } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import type { CostEntry } from '../../core/budget/cost-report.ts'
import { type Spent, spentOf } from '../../core/status/spent.ts'
import type { ManagerContext } from '../context.ts'
import { list } from './enrich.ts'

export async function costs(context: ManagerContext, projectId?: string): Promise<CostEntry[]> {
  return costEntries(context, await list(context, projectId), projectId)
}

/** `sessions`: those that are not archived, as they are now. */
export function costEntries(context: ManagerContext, sessions: readonly Session[], projectId?: string): CostEntry[] {
  const live = sessions.map((session) => {
    const record = recordOf(session)
    const model = session.agentInfo?.model ?? record.usageModel ?? null
    return toEntry({ id: session.id, projectId: session.projectId, record, model, spent: spentOf(session) })
  })
  const ids = new Set(sessions.map(({ id }) => id))
  const projects = Object.keys(context.config.projects).filter((id) => projectId === undefined || id === projectId)
  const archived = projects.flatMap((id) => {
    const ended = context.store(id).readAllArchived()
    return ended
      .filter((one) => !ids.has(one.id))
      .map(({ id: sessionId, record }) => {
        const spent = recordedSpent(record)
        return toEntry({ id: sessionId, projectId: id, record, model: record.usageModel ?? null, spent })
      })
  })
  return [...live, ...archived]
}

function recordedSpent({ usageTokens, usageCostUsd }: SessionRecord): Spent | null {
  return usageTokens === undefined ? null : { tokens: usageTokens, costUsd: usageCostUsd ?? null }
}

interface CostSource {
  id: string
  projectId: string
  record: SessionRecord
  model: string | null
  spent: Spent | null
}

function toEntry({ id, projectId, record, model, spent }: CostSource): CostEntry {
  const isMerged = record.status === 'merged' || record.prState === 'merged'
  return {
    session: id,
    project: projectId,
    agent: record.agent ?? 'unknown',
    model,
    issue: record.issue ?? null,
    mergedPull: isMerged ? (record.pr ?? null) : null,
    createdAt: (record.createdAt ?? new Date(0)).toISOString(),
    spent,
  }
}
