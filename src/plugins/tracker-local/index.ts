// Tracker plugin `local`: issues as Markdown files in ao's own data directory. Works with nothing installed.
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import { editIssue, type IssueEdit, oneLine } from '../../forge/issues/edit-issue.ts'
import { createLocalIssues, type LocalIssue, type LocalIssueStore, namesOf } from '../../forge/issues/issue-store.ts'
import { hasName } from '../../forge/pulls/name-list.ts'
import type { LocalTracker } from '../../forge/types.ts'
import { localAuthor } from '../../inside/local-author.ts'
import { systemClock } from '../../lib/clock.ts'
import { projectDirectory } from '../../lib/process/own-home.ts'
import { projectPage } from '../../slots/page-address.ts'
import { definePlugin, NO_OPTIONS, type PluginContext } from '../../slots/plugin.ts'
import {
  type Issue,
  type IssueChange,
  type IssueFilter,
  IssueNotFoundError,
  type NewIssue,
} from '../../slots/tracker.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'tracker',
    name: 'local',
    description: "Issues as Markdown files in ao's data directory",
  },
  options: NO_OPTIONS,
  create: (_options, context) => createLocalTracker(context),
  detect: async () => ({ ok: true, detail: 'always there' }),
})

const DEFAULT_LIMIT = 1_000

function createLocalTracker(context: PluginContext): LocalTracker {
  const storeOf = (project: ProjectConfig) =>
    createLocalIssues({ projectDir: projectDirectory(context, project.id), clock: systemClock })
  const urlOf = (number: number, project: ProjectConfig) => projectPage(context, project.id, `issues/${number}`)
  const toIssue = (issue: LocalIssue, project: ProjectConfig) => describeIssue(issue, urlOf(issue.number, project))
  return {
    name: 'local',
    recordsWriter: true,
    issues: storeOf,
    getIssue: async (id, project) => toIssue(await requireIssue(storeOf(project), id), project),
    isCompleted: async (id, project) => isOver(await requireIssue(storeOf(project), id)),
    issueUrl: (id, project) => urlOf(issueNumber(id) ?? 0, project),
    branchName: (id) => branchNameOf(issueNumber(id) ?? 0),
    // Written into the file by hand: `blockedBy: [12, 13]`.
    blockersOf: async (id, project) => namesOf((await requireIssue(storeOf(project), id)).others.blockedBy),
    generatePrompt,
    async listIssues(filter, project) {
      const { issues, damaged } = await storeOf(project).list()
      for (const { file, why } of damaged) context.log.warn(`${file} is not an issue: ${why}`)
      return select(issues, filter).map((issue) => toIssue(issue, project))
    },
    async recentComments(since, project) {
      const { issues } = await storeOf(project).list()
      const all = issues.flatMap(({ number, state, comments }) =>
        state === 'open'
          ? comments.map((one) => ({ ...one, id: `${number} ${one.createdAt}`, issueId: String(number) }))
          : [],
      )
      return all.filter(({ createdAt }) => createdAt > since).sort((a, b) => a.createdAt.localeCompare(b.createdAt))
    },
    createIssue: async (issue, project) => toIssue(await create(storeOf(project), issue, context.env), project),
    updateIssue: (id, change, project) => update(storeOf(project), id, change, context.env),
  }
}

/** `7`, `#7`, and the URL of issue 7. null: free text. */
function issueNumber(id: string): number | null {
  const digits = /^(?:#|https?:\/\/\S+\/issues\/)?([1-9][0-9]{0,8})\/?$/.exec(id.trim())?.[1]
  return digits === undefined ? null : Number(digits)
}

async function requireIssue(store: LocalIssueStore, id: string): Promise<LocalIssue> {
  const number = issueNumber(id)
  const issue = number === null ? null : await store.read(number)
  if (issue === null) throw new IssueNotFoundError(id)
  return issue
}

/** Without the title, which may change: the same issue always gets the same branch. */
function branchNameOf(number: number): string {
  return `feat/issue-${number}`
}

function describeIssue(issue: LocalIssue, url: string): Issue {
  const { number, title, body, state, labels, assignees, author, priority, createdAt, closedAt, comments } = issue
  const [assignee] = assignees
  return {
    id: String(number),
    title,
    description: body,
    url,
    state,
    labels,
    branchName: branchNameOf(number),
    assignee,
    assignees: assignees.length > 1 ? assignees : undefined,
    author,
    priority,
    createdAt,
    closedAt,
    comments,
  }
}

function generatePrompt(issue: Issue): string {
  const labels = issue.labels.length > 0 ? [`Labels: ${issue.labels.join(', ')}`] : []
  const comments = (issue.comments ?? []).map(({ author, body }) => `Comment by ${author}:\n${body}`)
  return [`${issue.title}\n\n${issue.url}`, ...labels, issue.description, ...comments]
    .filter((part) => part.trim() !== '')
    .join('\n\n')
}

function isOver({ state }: LocalIssue): boolean {
  return state === 'closed' || state === 'cancelled'
}

function select(issues: LocalIssue[], filter: IssueFilter): LocalIssue[] {
  const { state = 'open', labels = [], assignee, limit = DEFAULT_LIMIT } = filter
  return issues
    .filter((issue) => state === 'all' || isOver(issue) === (state === 'closed'))
    .filter((issue) => labels.every((label) => issue.labels.includes(label)))
    .filter((issue) => assignee === undefined || hasName(issue.assignees, assignee))
    .reverse()
    .slice(0, limit)
}

function create(store: LocalIssueStore, issue: NewIssue, env: NodeJS.ProcessEnv): Promise<LocalIssue> {
  const title = oneLine(issue.title)
  if (title === '') throw new AoError('USAGE', 'An issue needs a title')
  return store.create({
    title,
    body: issue.description,
    labels: [...new Set(issue.labels ?? [])],
    author: localAuthor(env),
    assignees: issue.assignee === undefined ? [] : [issue.assignee],
  })
}

async function update(store: LocalIssueStore, id: string, change: IssueChange, env: NodeJS.ProcessEnv): Promise<void> {
  const number = issueNumber(id)
  const changed = number === null ? null : await store.update(number, (issue) => applyChange(issue, change, env))
  if (changed === null) throw new IssueNotFoundError(id)
}

function applyChange(issue: LocalIssue, change: IssueChange, env: NodeJS.ProcessEnv): LocalIssue {
  const { title, state, comment, labels, removeLabels, description: body, assignee } = change
  // One person replaces whoever it was; the file allows more, from gh and by hand.
  const others = issue.assignees.filter((one) => one !== assignee)
  const edit: IssueEdit = {
    title,
    body,
    state,
    comment,
    labels: { add: labels, remove: removeLabels },
    assignees: assignee === undefined ? undefined : { add: [assignee], remove: others },
  }
  return editIssue(issue, edit, { by: localAuthor(env), now: systemClock.now().toISOString() })
}
