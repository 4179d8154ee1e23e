// The one way the issue commands change an issue, and what they print afterwards.
import { changeTrackerIssue } from '../../../manager/tracker-issues.ts'
import type { IssueChange } from '../../../slots/tracker.ts'
import type { Io } from '../../io.ts'
import { toOneLine } from '../../print/plain-text.ts'
import { openTracker } from '../pr/open-forge.ts'

export interface IssueChangeRequest {
  id: string
  change: IssueChange
  /** What was done, in one word. */
  done: string
  project?: string | undefined
  json: boolean
}

export async function runIssueChange(io: Io, request: IssueChangeRequest): Promise<void> {
  const { id, change, done } = request
  const { tracker, project } = await openTracker(io, request.project)
  const issue = await changeTrackerIssue(tracker, project, { id, change })
  if (request.json) return io.json({ issue })
  io.print(`${done} ${io.style.bold(`#${issue.id}`)} ${toOneLine(issue.title)}`)
}
