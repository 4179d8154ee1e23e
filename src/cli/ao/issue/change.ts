// The one way the issue commands change an issue, and what they print afterwards.
import { signComment } from '../../../core/forge/comment-signature.ts'
import { changeTrackerIssue } from '../../../manager/tracker-issues.ts'
import type { IssueChange, Tracker } from '../../../slots/tracker.ts'
import type { Io } from '../../print/io.ts'
import { toOneLine } from '../../print/plain-text.ts'
import { openTracker } from '../pr/open-forge.ts'
import { writerOf } from '../pr/writer.ts'

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
  const issue = await changeTrackerIssue(tracker, project, { id, change: signedChange(change, tracker, io) })
  if (request.json) return io.json({ issue })
  io.print(`${done} ${io.style.bold(`#${issue.id}`)} ${toOneLine(issue.title)}`)
}

/** Where the user and the agents share an account, a comment says that an agent wrote it. */
export function signedChange(change: IssueChange, tracker: Tracker, io: Io): IssueChange {
  const writer = writerOf(io)
  if (change.comment === undefined || writer.kind !== 'agent' || tracker.recordsWriter) return change
  return { ...change, comment: signComment(change.comment, writer) }
}
