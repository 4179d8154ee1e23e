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

/** null: there is no such issue, and the id may be free text (`requireIssue` refuses what looks like an id). */
export async function fetchIssue(
  context: ManagerContext,
  project: ProjectConfig,
  issueId: string | undefined,
  options: Pick<SpawnOptions, 'requireIssue'> = {},
): Promise<FetchedIssue | null> {
  if (issueId === undefined) return null
  const mustBeKnown = options.requireIssue === true && isIssueReference(issueId)
  const tracker = await trackerOf(context, project)
  if (!tracker) {
    if (mustBeKnown) throw noTracker(project, issueId)
    return null
  }
  try {
    return { tracker, issue: await tracker.getIssue(issueId, project) }
  } catch (error) {
    if (isIssueNotFoundError(error)) {
      if (mustBeKnown) throw unknownIssue(tracker, project, issueId)
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

/** Without a tracker an id says nothing about the work, so an agent could only guess. */
function noTracker(project: ProjectConfig, issueId: string): AoError {
  return new AoError('ISSUE_NOT_FOUND', `Project ${project.id} has no tracker that could know the issue ${issueId}`, {
    hint: `Nothing was started. Describe the work: ao spawn ${/^[\w-]+$/.test(issueId) ? `${issueId} ` : ''}--prompt "…"; or configure a tracker (docs/forges.md; tracker: local needs no server)`,
    details: { issueId, tracker: null },
  })
}
