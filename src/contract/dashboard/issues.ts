// The server's responses about issues.
import * as z from 'zod/mini'

const text = z.nullable(z.string())

const issueRow = z.object({
  projectId: z.string(),
  id: z.string(),
  title: z.string(),
  description: z.string(),
  url: text,
  state: z.enum(['open', 'in_progress', 'closed', 'cancelled']),
  labels: z.array(z.string()),
  assignees: z.array(z.string()),
  author: text,
  createdAt: text,
  /** Sessions that work on it, including ended ones. */
  sessionIds: z.array(z.string()),
})
export type IssueRow = z.infer<typeof issueRow>
/** POST and PATCH of an issue */
export const issueAnswer = z.object({ issue: issueRow })

/** GET /api/projects/:project/issues/:id */
export const issueDetail = z.object({
  issue: issueRow,
  /** Oldest first; null: its tracker does not say. */
  comments: z.nullable(z.array(z.object({ author: z.string(), body: z.string(), createdAt: z.string() }))),
  tracker: z.string(),
  canChange: z.boolean(),
})
export type IssueDetail = z.infer<typeof issueDetail>

/** GET /api/projects/:project/issues[?state=open|closed|all] */
export const issuesAnswer = z.object({
  issues: z.array(issueRow),
  /** The plugin's name. */
  tracker: z.string(),
  canCreate: z.boolean(),
  canChange: z.boolean(),
  agents: z.array(z.string()),
  defaultAgent: z.string(),
})
export type IssuesAnswer = z.infer<typeof issuesAnswer>
