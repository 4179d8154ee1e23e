// The one way the issue commands change an issue, and what they say afterwards.
import type { IssueChange } from '../../slots/tracker.ts'
import type { Io } from '../io.ts'
import { toOneLine } from '../print/plain-text.ts'
import { orIssueNotFound } from './issue-not-found.ts'
import { openTracker, requireAbility } from './pr-forge.ts'

export interface IssueChangeRequest {
  id: string
  change: IssueChange
  /** What was done, in one word. */
  done: string
  project?: string | undefined
  json: boolean
}

export async function changeIssue(io: Io, request: IssueChangeRequest): Promise<void> {
  const { id, change, done } = request
  const { tracker, project } = await openTracker(io, request.project)
  const issue = await orIssueNotFound(id, async () => {
    await requireAbility(tracker, 'updateIssue')(id, change, project)
    return tracker.getIssue(id, project)
  })
  if (request.json) return io.json({ issue })
  io.print(`${done} ${io.style.bold(`#${issue.id}`)} ${toOneLine(issue.title)}`)
}
