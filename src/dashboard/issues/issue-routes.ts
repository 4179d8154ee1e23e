// Issue routes: whatever the project's tracker, with the same functions as `ao issue …`.
import type { ProjectConfig } from '../../contract/config.ts'
import { issueAnswer, issueDetail, issuesAnswer } from '../../contract/dashboard/issues.ts'
import { issueChangeBody, newIssueBody } from '../../contract/dashboard/requests.ts'
import { AoError } from '../../contract/errors.ts'
import { requireProject, trackerOf } from '../../manager/context.ts'
import { changeTrackerIssue, orIssueNotFound, requireAbility } from '../../manager/tracker-issues.ts'
import type { Tracker } from '../../slots/tracker.ts'
import type { DashboardContext } from '../server/context.ts'
import { route } from '../server/dashboard-route.ts'
import { agentsFor } from './issue-agents.ts'
import { forgetIssues, type IssueState, listIssues, toRow } from './issue-list.ts'

const ALL = '/api/projects/:project/issues'
const STATES: readonly IssueState[] = ['open', 'closed', 'all']

export const ISSUE_ROUTES = [
  route({
    method: 'GET',
    path: ALL,
    summary: "The issues of a project's tracker, newest first",
    query: { state: 'open (default), closed or all' },
    answer: issuesAnswer,
    handle: async ({ context, params, query }) => {
      const { project, tracker } = await open(context, params.project)
      const state = STATES.find((one) => one === (query.get('state') ?? 'open'))
      if (!state) throw new AoError('USAGE', `state is one of ${STATES.join(', ')}`)
      const [issues, agents] = await Promise.all([
        listIssues(context, { project, tracker, state }),
        agentsFor(context, project),
      ])
      const can = { canCreate: tracker.createIssue !== undefined, canChange: tracker.updateIssue !== undefined }
      return { issues, tracker: tracker.name, ...can, ...agents }
    },
  }),
  route({
    method: 'GET',
    path: `${ALL}/:id`,
    summary: 'One issue with its comments',
    answer: issueDetail,
    handle: async ({ context, params }) => {
      const { project, tracker } = await open(context, params.project)
      const issue = await orIssueNotFound(params.id, () => tracker.getIssue(params.id, project))
      await context.board.fresh()
      return {
        issue: toRow(context, project, issue),
        comments: issue.comments ?? null,
        tracker: tracker.name,
        canChange: tracker.updateIssue !== undefined,
      }
    },
  }),
  route({
    method: 'POST',
    path: ALL,
    summary: 'Write an issue',
    body: newIssueBody,
    status: 201,
    answer: issueAnswer,
    handle: async ({ context, params, body }) => {
      const { project, tracker } = await open(context, params.project)
      const { title, description, labels } = body
      const wanted = { title, description, labels }
      const issue = await requireAbility(tracker, 'createIssue')(wanted, project)
      publishIssues(context, project)
      return { issue: toRow(context, project, issue) }
    },
  }),
  route({
    method: 'PATCH',
    path: `${ALL}/:id`,
    summary: 'Change the title, text, labels or state of an issue, or comment on it',
    body: issueChangeBody,
    answer: issueAnswer,
    handle: async ({ context, params, body }) => {
      const { project, tracker } = await open(context, params.project)
      const change = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
      const issue = await changeTrackerIssue(tracker, project, { id: params.id, change })
      publishIssues(context, project)
      return { issue: toRow(context, project, issue) }
    },
  }),
]

async function open(
  context: DashboardContext,
  projectId: string,
): Promise<{ project: ProjectConfig; tracker: Tracker }> {
  const project = requireProject(context, projectId)
  const tracker = await trackerOf(context, project)
  if (tracker !== null) return { project, tracker }
  throw new AoError('TRACKER_FAILED', `Project ${project.id} has no tracker`, {
    hint: `Choose one with projects.${project.id}.tracker in ${context.config.configPath}, for example: local`,
  })
}

function publishIssues(context: DashboardContext, project: ProjectConfig): void {
  forgetIssues(context, project.id)
  context.board.publishStale({ what: 'issues', projectId: project.id })
}
