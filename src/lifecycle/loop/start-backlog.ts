// Issues with a label become sessions while fewer than the project's limit are active. Off unless configured.

import { isWaiting } from '../../contract/blocker.ts'
import { hasBudget } from '../../contract/budget.ts'
import type { ProjectConfig } from '../../contract/config.ts'
import { errorText } from '../../contract/errors.ts'
import { isOrchestrator } from '../../contract/ids.ts'
import { recordOf } from '../../contract/record.ts'
import { isTerminalSession } from '../../contract/status.ts'
import { storedSessions } from '../../manager/active.ts'
import { trackerOf } from '../../manager/context.ts'
import { countSpending, overBudgetOf } from '../spending/count-spending.ts'
import { mayAddReviews } from '../spending/review-capacity.ts'
import type { LoopContext } from './loop-context.ts'

export async function startBacklog(loop: LoopContext, project: ProjectConfig): Promise<void> {
  const { backlog } = project
  if (!backlog) return
  const sessions = storedSessions(loop.context, project.id).filter(
    (one) => !isOrchestrator(one.id, recordOf(one).role ?? ''),
  )
  const running = sessions.filter(
    (one) => !isTerminalSession({ status: one.status, activity: null }) && !isWaiting(recordOf(one)),
  )
  const room = backlog.maxSessions - running.length
  if (!mayAddReviews(loop, project) || room <= 0 || !maySpend(loop, project)) return
  const tracker = await trackerOf(loop.context, project)
  if (!tracker?.listIssues) return
  const issues = await tracker.listIssues({ state: 'open', labels: [backlog.label], limit: 50 }, project)
  // One attempt per issue: a session that ended without finishing it is for a person to judge.
  const store = loop.context.store(project.id)
  const taken = new Set([
    ...sessions.flatMap(({ issueId }) => issueId ?? []),
    ...store.readAllArchived().flatMap(({ record: { issue } }) => issue ?? []),
  ])
  const now = loop.context.clock.now().getTime()
  const refused = loop.refusedIssues
  const isFree = ({ id }: { id: string }) => !taken.has(id) && now >= (refused.get(keyOf(project, id)) ?? 0)
  const free = issues.filter(isFree)
  loop.seen?.push({ kind: 'backlog', project: project.id, free: free.map(({ id }) => id), room })
  for (const { id } of free.slice(0, room)) {
    // Each one that was started is one more to review.
    if (!mayAddReviews(loop, project)) return
    try {
      const onNotice = (line: string) => loop.say(`${project.id}: issue ${id} of the backlog: ${line}`)
      const session = await loop.manager.spawn({ projectId: project.id, issueId: id }, { onNotice })
      const how = isWaiting(recordOf(session)) ? 'waits until it can start' : 'started'
      loop.say(`${session.id}: ${how} for issue ${id} of the backlog`)
    } catch (error) {
      loop.say(`${project.id}: issue ${id} of the backlog could not be started: ${errorText(error)}`)
      refused.set(keyOf(project, id), now + REFUSED_MS)
      // The next one would most likely fail in the same way; it has its turn in the next tick.
      return
    }
  }
}

/** A budget of the day that only notifies stops nothing. */
export function maySpend(loop: LoopContext, project: ProjectConfig): boolean {
  const all = storedSessions(loop.context, project.id)
  if (!hasBudget(loop.context.config, project, all)) return true
  const over = overBudgetOf(loop, project, null, countSpending(loop, project, { all, observed: [] }))
  return over === null || over.action === 'notify'
}

/** An issue that cannot be started must not block the others forever. */
const REFUSED_MS = 10 * 60_000

function keyOf(project: ProjectConfig, issueId: string): string {
  return `${project.id} ${issueId}`
}
