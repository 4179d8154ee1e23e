// The server's responses about sessions and pull requests: each shape once, as a schema; the types come from it.
import * as z from 'zod/mini'
import type { SessionEvent } from '../events.ts'
import { MERGE_METHODS } from '../forges.ts'
import { SEVERITIES } from '../pull.ts'
import { foundText, pullCard, riskAnswer, sessionCard } from './cards.ts'
import { DEVICE_RIGHTS } from './devices.ts'
import { waitingMessage } from './messages.ts'

const text = z.nullable(z.string())

/** It was done; there is nothing more to say. */
export const doneAnswer = z.object({ ok: z.literal(true) })

/** POST /api/pause and /api/resume: agents for which it could not be done, in words. */
export const pauseAnswer = z.object({ problems: z.array(z.string()) })

/** GET /api/access */
export const accessAnswer = z.object({
  signedIn: z.literal(true),
  as: z.enum(['token', 'browser', 'device']),
  right: z.enum(DEVICE_RIGHTS),
  /** The paired device that asks. */
  device: z.nullable(z.object({ id: z.string(), name: z.string() })),
  version: z.string(),
})

/** POST /api/sessions */
export const spawnAnswer = z.object({
  spawned: z.array(z.object({ issueId: text, sessionId: z.string() })),
  failed: z.array(z.object({ issueId: text, message: z.string(), hint: text })),
})
export type SpawnAnswer = z.infer<typeof spawnAnswer>

/** POST /api/sessions/:id/send, as `SendReceipt` in session.ts. */
const receipt = z.object({
  messageId: z.string(),
  level: z.enum(['seen', 'handed_over', 'held', 'undelivered']),
  /** Why it is not `seen`. */
  why: z.optional(z.string()),
  note: z.optional(z.string()),
})
export const sendAnswer = z.object({ receipt })
export type SendAnswer = z.infer<typeof sendAnswer>

/** GET /api/sessions/:id/messages: what has not reached the agent yet, in the order of its delivery. */
export const waitingAnswer = z.object({ waiting: z.array(waitingMessage) })

/** POST /api/sessions/:id/rewind. `saved`: the turn that keeps what was there before. */
export const rewindAnswer = z.object({
  sessionId: z.string(),
  turn: z.int(),
  saved: z.int(),
  notice: z.nullable(z.string()),
  conversation: z.enum(['back', 'next-start', 'kept']),
  /** Why its agent still remembers what came later; null: it does not. */
  keptBecause: z.nullable(z.string()),
})

/** POST /api/sessions/:id/retry */
export const retryAnswer = z.object({
  /** null: the agent has a terminal, and was asked to try again with a message. */
  turn: z.nullable(z.object({ turnId: z.string(), retries: z.string() })),
  receipt: z.nullable(receipt),
})

/** POST /api/sessions/:id/permission */
export const permissionAnswer = z.object({ ok: z.literal(true), requestId: z.string(), decision: z.string() })

/** POST /api/sessions/:id/restore */
export const restoreAnswer = z.object({ sessionId: z.string() })

/** POST /api/sessions/:id/ticket: valid once, for seconds. */
export const ticketAnswer = z.object({ ticket: z.string() })

/** GET /api/sessions/:id/recording: the end of what its terminal drew. */
export const recordingAnswer = z.object({
  size: z.object({ cols: z.int(), rows: z.int() }),
  from: z.string(),
  to: z.string(),
  /** How the agent ended, in words; null: it runs, or nobody was left to write it down. */
  ended: text,
  /** There was more before. */
  isCut: z.boolean(),
  /** What it drew (o), a new size as 120x40 (r), or a remark (m), in order, with its time in milliseconds after `from`. */
  events: z.array(z.tuple([z.enum(['o', 'r', 'm']), z.string(), z.number()])),
})
export type RecordingAnswer = z.infer<typeof recordingAnswer>

/** The description covers what all events have; what each type contains is in events.ts. */
const event = z.looseObject({
  seq: z.int(),
  at: z.string(),
  sessionId: z.string(),
  type: z.string(),
  words: z.string(),
}) as unknown as z.ZodMiniType<SessionEvent & { words: string }>

/** GET /api/sessions/:id, including archived ones. */
export const sessionDetail = z.object({
  card: sessionCard,
  archivedAt: text,
  workspacePath: text,
  /** Its terminal was recorded, at least in part. */
  isRecorded: z.boolean(),
  /** The text of `ao why`. */
  why: z.object({ facts: z.array(z.string()), reactions: z.array(z.string()), lastReaction: text }),
  metadata: z.record(z.string(), z.string()),
  history: z.array(event),
})
export type SessionDetail = z.infer<typeof sessionDetail>

/** GET /api/sessions/:id/diff and GET /api/projects/:project/pulls/:number/diff */
export const diffAnswer = z.object({
  base: z.string(),
  head: z.string(),
  /** Unified, as git writes it, including uncommitted changes when the session has a worktree. */
  diff: z.string(),
  /** It was longer than what is sent. */
  truncated: z.boolean(),
  /** The base branch was brought in between the two commits: its changes are included. */
  includesBase: z.optional(z.boolean()),
})
export type DiffAnswer = z.infer<typeof diffAnswer>

const commitRow = z.object({ sha: z.string(), subject: z.string(), author: z.string(), at: z.string() })
export type CommitRow = z.infer<typeof commitRow>
/** GET /api/sessions/:id/commits and GET /api/projects/:project/pulls/:number/commits: oldest first. */
export const commitsAnswer = z.object({ commits: z.array(commitRow) })

const pullCheck = z.object({
  id: z.string(),
  name: z.string(),
  status: z.enum(['pending', 'running', 'passed', 'failed', 'skipped']),
  url: text,
  /** Available at …/pulls/:number/checks/:check/log. */
  hasLog: z.boolean(),
  /** The commit it started from fails it too: not caused by this work. */
  failsOnBase: z.boolean(),
  /** How long it took, where that is known. */
  ranMs: z.optional(z.number()),
  /** Where it ran, or why it cannot run now. */
  note: z.optional(z.string()),
  finding: z.optional(foundText),
})
export type PullCheck = z.infer<typeof pullCheck>

/** GET …/pulls/:number/checks/:check/log */
export const logAnswer = z.object({ log: z.string() })

const pullRow = z.extend(pullCard, {
  projectId: z.string(),
  number: z.int(),
  /** Failed checks can run again from here. */
  canRerun: z.boolean(),
  /** It has a page of its own at `url`, on its forge. */
  hasPage: z.boolean(),
  /** A review given here is a review on its forge; else it goes to the agent. */
  canReview: z.boolean(),
  isDraft: z.boolean(),
  branch: text,
  baseBranch: text,
  author: text,
  sessionId: text,
  createdAt: text,
  updatedAt: text,
  labels: z.array(z.string()),
  assignees: z.array(z.string()),
  /** Whose review is requested and has not been given yet. */
  reviewers: z.array(z.string()),
  checks: z.array(pullCheck),
  /** The forge could not be queried just now: the rest is from the last reading. */
  staleReason: text,
  /** How much it can break; absent: not open, or nobody has measured it. */
  risk: z.optional(riskAnswer),
})
export type PullRow = z.infer<typeof pullRow>

/** GET /api/pulls[?state=open|all] */
export const pullsAnswer = z.object({
  pulls: z.array(pullRow),
  /** Projects whose forge could not be queried just now, and why. */
  problems: z.array(z.object({ projectId: z.string(), message: z.string() })),
})
export type PullsAnswer = z.infer<typeof pullsAnswer>

const pullRemark = z.object({
  id: z.string(),
  reviewId: text,
  author: z.string(),
  isBot: z.boolean(),
  /** An agent wrote it with ao. */
  isAgent: z.boolean(),
  /** The thread it belongs to; null: it stands alone. */
  thread: text,
  /** It answers an earlier remark of its thread. */
  isReply: z.boolean(),
  body: z.string(),
  path: text,
  /** The first of several lines; null: only one. */
  startLine: z.nullable(z.int()),
  line: z.nullable(z.int()),
  isResolved: z.boolean(),
  createdAt: z.string(),
  /** The line has changed since: `line` is where it was. Otherwise `line` is where it is now. */
  isOutdated: z.boolean(),
})
export type PullRemark = z.infer<typeof pullRemark>

const pullReview = z.object({
  id: z.string(),
  author: z.string(),
  state: z.enum(['approved', 'changes_requested', 'commented', 'dismissed']),
  body: z.string(),
  commit: text,
  submittedAt: z.string(),
})
export type PullReview = z.infer<typeof pullReview>
/** POST …/pulls/:number/review */
export const reviewAnswer = z.object({ review: pullReview })

/** POST …/pulls/:number/suggestions */
export const suggestionsAnswer = z.object({
  /** null: nothing was committed, the agent was asked to do it. */
  commit: text,
  /** The session whose agent heard of it; null: nobody's. */
  sentTo: text,
  /** How far the message got. */
  receipt: z.nullable(z.string()),
  /** Why the agent was asked instead. */
  why: text,
  warnings: z.array(z.string()),
})
export type SuggestionsAnswer = z.infer<typeof suggestionsAnswer>

/** By another agent: what it found in exactly one commit. */
const commitReview = z.object({
  reviewer: z.string(),
  agent: z.string(),
  head: z.string(),
  round: z.number(),
  startedAt: z.string(),
  endedAt: text,
  /** Why it came to nothing. */
  failed: text,
  summary: text,
  findings: z.array(
    z.object({ file: text, line: z.nullable(z.number()), severity: z.enum(SEVERITIES), text: z.string() }),
  ),
})
export type CommitReviewAnswer = z.infer<typeof commitReview>

/** GET /api/projects/:project/pulls/:number */
export const pullDetail = z.object({
  pull: pullRow,
  body: z.string(),
  reviews: z.array(pullReview),
  /** Oldest first. */
  commitReviews: z.array(commitReview),
  remarks: z.array(pullRemark),
  /** Threads can be answered and settled from here. */
  hasThreads: z.boolean(),
  /** null: the forge has none. */
  labels: z.nullable(z.array(z.string())),
  assignees: z.nullable(z.array(z.string())),
  /** Review requested but not given yet. */
  reviewers: z.nullable(z.array(z.string())),
  /** Why it cannot be merged now; null: it can. */
  mergeProblem: text,
  /** How it can be merged, the configured way first. Empty: only that way, which the forge knows. */
  mergeMethods: z.array(z.enum(MERGE_METHODS)),
  /** Who reviews from this page; null: the forge knows. */
  viewer: text,
  /** Merging puts it aboard the train. */
  boards: z.boolean(),
  /** Tests, CI configuration and files of gates that it changes. */
  changedChecks: z.array(z.string()),
  /** Lines that a check found something out about. `to`: of a range; `isOld`: as they were before the change. */
  marks: z.array(
    z.object({
      verdict: z.string(),
      path: z.string(),
      line: z.int(),
      to: z.optional(z.int()),
      isOld: z.optional(z.literal(true)),
      text: z.string(),
    }),
  ),
})
export type PullDetail = z.infer<typeof pullDetail>

/** POST /api/sessions/:id/rename */
export const renameAnswer = z.object({ title: text })

/** POST /api/sessions/:id/merge */
/** `boarded`: it lands with the train when its turn comes. */
export const mergeAnswer = z.object({ commit: text, boarded: z.boolean() })
/** POST …/pulls/:number/merge */
export const pullMergeAnswer = z.extend(mergeAnswer, { warnings: z.array(z.string()) })
