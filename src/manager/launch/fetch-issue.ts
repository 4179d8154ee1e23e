// Step 2 of spawn: query the tracker for the issue before anything is created.
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import { isIssueReference } from '../../core/session/name-branch.ts'
import { type Issue, isIssueNotFoundError, type Tracker } from '../../slots/tracker.ts'
import { trackerOf } from '../chosen-plugin.ts'
import type { ManagerContext } from '../context.ts'
import type { SpawnOptions } from '../types.ts'

export interface FetchedIssue {
  tracker: Tracker
  issue: Issue
}

/** null: no tracker, or the tracker reports no such issue; then the id is free text. */
export async function fetchIssue(
  context: ManagerContext,
  project: ProjectConfig,
  issueId: string | undefined,
  options: Pick<SpawnOptions, 'requireIssue'> = {},
): Promise<FetchedIssue | null> {
  if (issueId === undefined) return null
  const tracker = await trackerOf(context, project)
  if (!tracker) return null
  try {
    return { tracker, issue: await tracker.getIssue(issueId, project) }
  } catch (error) {
    if (isIssueNotFoundError(error)) {
      if (options.requireIssue && isIssueReference(issueId)) throw unknownIssue(tracker, project, issueId)
      return null
    }
    throw new AoError('TRACKER_FAILED', `Failed to fetch issue: ${errorText(error)}`, {
      hint: `Nothing was created. Check the access to ${tracker.name}, or start without the issue: ao spawn --prompt "…"`,
      details: { issueId, tracker: tracker.name },
      cause: error,
    })
  }
}

function unknownIssue(tracker: Tracker, project: ProjectConfig, issueId: string): AoError {
  return new AoError('ISSUE_NOT_FOUND', `The tracker ${tracker.name} has no issue ${issueId} in ${project.id}`, {
    hint: `Nothing was started. List the issues with: ao issue ls --project ${project.id}; without an issue: ao spawn --prompt "…"`,
    details: { issueId, tracker: tracker.name },
  })
}
