// What the page asks of the server: bodies of requests, checked, and the answers.
import * as z from 'zod/mini'
import type { SessionEvent } from '../events.ts'
import { PERMISSION_DECISIONS } from '../permission.ts'
import type { SendReceipt } from '../session.ts'
import type { PullCard, SessionCard } from './cards.ts'

const text = (most: number) => z.string().check(z.minLength(1), z.maxLength(most))
const name = text(200)

/** POST /api/sessions: one session per issue, or one with only a prompt. Answer: SpawnAnswer */
export const spawnBody = z.strictObject({
  projectId: name,
  issueIds: z.optional(z.array(name).check(z.maxLength(50))),
  prompt: z.optional(text(100_000)),
  agent: z.optional(name),
  branch: z.optional(name),
})
export interface SpawnAnswer {
  spawned: Array<{ issueId: string | null; sessionId: string }>
  failed: Array<{ issueId: string | null; message: string; hint: string | null }>
}

/** POST /api/sessions/:id/send. Answer: { receipt: SendReceipt } */
export const sendBody = z.strictObject({ message: text(100_000) })
export interface SendAnswer {
  receipt: SendReceipt
}

/** POST /api/sessions/:id/permission, as PermissionAnswer says. Answer: { ok: true } */
export const permissionBody = z.strictObject({
  requestId: name,
  decision: z.optional(z.enum(PERMISSION_DECISIONS)),
  optionId: z.optional(name),
})

/** POST /api/sessions/:id/kill. `purge` also removes the worktree (rescued first) and archives. */
export const killBody = z.strictObject({ purge: z.optional(z.boolean()) })
/** POST /api/sessions/:id/restore: also out of the archive. */
export const restoreBody = z.strictObject({})
/** POST /api/sessions/:id/merge and POST /api/projects/:project/pulls/:number/merge: exactly this head. */
export const mergeBody = z.strictObject({ sha: z.string().check(z.regex(/^[0-9a-f]{7,64}$/)) })
/** POST /api/sessions/:id/ticket. Answer: { ticket }, good once, for seconds. */
export const ticketBody = z.strictObject({ mode: z.enum(['read', 'write']) })

/** GET /api/sessions/:id, archived ones too. */
export interface SessionDetail {
  card: SessionCard
  archivedAt: string | null
  workspacePath: string | null
  /** The words of `ao why`. */
  why: { facts: string[]; reactions: string[]; lastReaction: string | null }
  metadata: Record<string, string>
  history: Array<SessionEvent & { words: string }>
}

/** GET /api/sessions/:id/diff and GET /api/projects/:project/pulls/:number/diff */
export interface DiffAnswer {
  base: string
  head: string
  /** Unified, as git writes it, with what is not committed yet when the session has a worktree. */
  diff: string
  /** It was longer than what is sent. */
  truncated: boolean
}

export interface PullCheck {
  id: string
  name: string
  status: 'pending' | 'running' | 'passed' | 'failed' | 'skipped'
  url: string | null
  /** Asked for at …/pulls/:number/checks/:check/log. Answer: { log } */
  hasLog: boolean
  /** The commit it started from fails it too: not this work's doing. */
  failsOnBase: boolean
}

export interface PullRow extends PullCard {
  projectId: string
  number: number
  /** Kept by ao itself: reviewed here. Others have a page of their own at `url`. */
  isLocal: boolean
  isDraft: boolean
  branch: string | null
  baseBranch: string | null
  author: string | null
  sessionId: string | null
  createdAt: string | null
  updatedAt: string | null
  checks: PullCheck[]
  /** The forge could not be asked just now: the rest is as of the last reading. */
  staleReason: string | null
}
/** GET /api/pulls[?state=open|all] */
export interface PullsAnswer {
  pulls: PullRow[]
  /** Projects whose forge could not be asked just now, and why. */
  problems: Array<{ projectId: string; message: string }>
}

export interface PullRemark {
  id: string
  reviewId: string | null
  author: string
  isBot: boolean
  body: string
  path: string | null
  line: number | null
  isResolved: boolean
  createdAt: string
  /** The line was changed since: `line` is where it was. Otherwise `line` is where it is now. */
  isOutdated: boolean
}
export interface PullReview {
  id: string
  author: string
  state: 'approved' | 'changes_requested' | 'commented' | 'dismissed'
  body: string
  commit: string | null
  submittedAt: string
}
/** GET /api/projects/:project/pulls/:number */
export interface PullDetail {
  pull: PullRow
  body: string
  reviews: PullReview[]
  remarks: PullRemark[]
  /** It can be reviewed and merged here; other forges have their own page. */
  isLocal: boolean
  /** Why it cannot be merged now; null: it can. */
  mergeProblem: string | null
}

/** POST …/pulls/:number/review: one review, with all its comments. */
export const reviewBody = z.strictObject({
  verdict: z.enum(['approve', 'request_changes', 'comment']),
  body: z.string().check(z.maxLength(50_000)),
  /** The head that was looked at; refused when it has moved. */
  sha: z.string().check(z.regex(/^[0-9a-f]{7,64}$/)),
  comments: z
    .array(z.strictObject({ path: text(4_096), line: z.int().check(z.positive()), body: text(20_000) }))
    .check(z.maxLength(200)),
})
/** POST …/pulls/:number/close, …/pulls/:number/resolve */
export const resolveBody = z.strictObject({ commentId: name, resolved: z.boolean() })

export interface IssueRow {
  projectId: string
  id: string
  title: string
  description: string
  url: string | null
  state: 'open' | 'in_progress' | 'closed' | 'cancelled'
  labels: string[]
  author: string | null
  createdAt: string | null
  /** Sessions that work on it, ended ones too. */
  sessionIds: string[]
}
/** GET /api/projects/:project/issues[?state=open|closed|all] */
export interface IssuesAnswer {
  issues: IssueRow[]
  /** The plugin's name. */
  tracker: string
  canCreate: boolean
  canChange: boolean
  agents: string[]
  defaultAgent: string
}
/** POST /api/projects/:project/issues. Answer: { issue: IssueRow } */
export const newIssueBody = z.strictObject({
  title: text(500),
  description: z.string().check(z.maxLength(100_000)),
  labels: z.optional(z.array(text(100)).check(z.maxLength(20))),
})
/** PATCH /api/projects/:project/issues/:id. Answer: { issue: IssueRow } */
export const issueChangeBody = z.strictObject({
  title: z.optional(text(500)),
  description: z.optional(z.string().check(z.maxLength(100_000))),
  state: z.optional(z.enum(['open', 'in_progress', 'closed'])),
})
