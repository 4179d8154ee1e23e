// What people do with issues, shared by commands and the dashboard: for any tracker, with known errors.
import type { ProjectConfig } from '../contract/config.ts'
import { AoError } from '../contract/errors.ts'
import { type Issue, type IssueChange, isIssueNotFoundError, type Tracker } from '../slots/tracker.ts'

/** The issue as it is afterwards. */
export function changeTrackerIssue(
  tracker: Tracker,
  project: ProjectConfig,
  { id, change }: { id: string; change: IssueChange },
): Promise<Issue> {
  return orIssueNotFound(id, async () => {
    await requireAbility(tracker, 'updateIssue')(id, change, project)
    return tracker.getIssue(id, project)
  })
}

/** For optional tracker features. */
export function requireAbility<K extends 'listIssues' | 'createIssue' | 'updateIssue'>(
  tracker: Tracker,
  ability: K,
): NonNullable<Tracker[K]> {
  const method = tracker[ability]
  if (method) return method.bind(tracker) as NonNullable<Tracker[K]>
  throw new AoError('TRACKER_FAILED', `The tracker ${tracker.name} cannot do this`)
}

/** "There is no such issue" as the error that people and programs know. */
export async function orIssueNotFound<T>(id: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isIssueNotFoundError(error)) throw error
    throw new AoError('ISSUE_NOT_FOUND', `There is no issue ${id}`, { details: { issueId: id } })
  }
}
