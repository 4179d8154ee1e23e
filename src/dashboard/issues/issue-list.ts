// The issues of a project as the page shows them, fetched once for everyone who asks within a moment.
import type { ProjectConfig } from '../../contract/config.ts'
import type { IssueRow } from '../../contract/dashboard/issues.ts'
import { issueKey } from '../../core/session/name-branch.ts'
import { requireAbility } from '../../manager/tracker-issues.ts'
import type { PluginRegistry } from '../../slots/registry.ts'
import type { Issue, Tracker } from '../../slots/tracker.ts'
import type { DashboardContext } from '../server/context.ts'

export type IssueState = 'open' | 'closed' | 'all'

const MOST = 500
const KEEP_MS = 3_000

interface Remembered {
  until: number
  issues: Promise<Issue[]>
}

const memories = new WeakMap<PluginRegistry, Map<string, Remembered>>()

export async function listIssues(
  context: DashboardContext,
  { project, tracker, state }: { project: ProjectConfig; tracker: Tracker; state: IssueState },
): Promise<IssueRow[]> {
  await context.board.fresh()
  const memory = memoryOf(context.registry)
  const key = `${project.id}\0${state}`
  const now = context.clock.now().getTime()
  const cached = memory.get(key)
  if (cached && now < cached.until) return toRows(context, project, await cached.issues)
  const issues = requireAbility(tracker, 'listIssues')({ state, limit: MOST }, project)
  memory.set(key, { until: now + KEEP_MS, issues })
  // A failure is not cached.
  issues.catch(() => {
    if (memory.get(key)?.issues === issues) memory.delete(key)
  })
  return toRows(context, project, await issues)
}

/** Something was changed just now: the next request is answered afresh. */
export function forgetIssues({ registry }: { registry: PluginRegistry }, projectId: string): void {
  const memory = memoryOf(registry)
  for (const key of [...memory.keys()]) if (key.startsWith(`${projectId}\0`)) memory.delete(key)
}

export function toRow(context: DashboardContext, project: ProjectConfig, issue: Issue): IssueRow {
  return toRows(context, project, [issue])[0]!
}

function toRows(context: DashboardContext, project: ProjectConfig, issues: readonly Issue[]): IssueRow[] {
  const workers = sessionsByIssue(context, project.id)
  return issues.map(({ id, title, description, url, state, labels, assignee, assignees, author, createdAt }) => ({
    projectId: project.id,
    id,
    title,
    description,
    url: url || null,
    state,
    labels,
    assignees: assignees ?? (assignee === undefined ? [] : [assignee]),
    author: author ?? null,
    createdAt: createdAt ?? null,
    sessionIds: workers.get(issueKey(id)) ?? [],
  }))
}

/** Running and ended ones; archived ones are on their own page. */
function sessionsByIssue({ board }: DashboardContext, projectId: string): Map<string, string[]> {
  const sessions = [
    ...board.read().sessions.map((card) => ({ ...card, issueId: card.issue?.id ?? null })),
    ...board.older(),
  ].filter((session) => session.projectId === projectId && session.issueId !== null)
  const byIssue = Map.groupBy(sessions, ({ issueId }) => issueKey(issueId!))
  return new Map([...byIssue].map(([key, group]) => [key, group.map(({ id }) => id)]))
}

function memoryOf(registry: PluginRegistry): Map<string, Remembered> {
  const memory = memories.get(registry) ?? new Map<string, Remembered>()
  memories.set(registry, memory)
  return memory
}
