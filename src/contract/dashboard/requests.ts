// What the page sends to the server: the bodies of its requests, validated.
import * as z from 'zod/mini'
import { sentFilesSchema } from '../agh/api.ts'
import { MERGE_METHODS } from '../forges.ts'
import { PERMISSION_DECISIONS } from '../permission.ts'
import { NEED_KINDS } from './needs.ts'

const text = (most: number) => z.string().check(z.minLength(1), z.maxLength(most))
const name = text(200)

/** POST /api/sessions: one session per issue, or one with only a prompt. */
export const spawnBody = z.strictObject({
  projectId: name,
  issueIds: z.optional(z.array(name).check(z.maxLength(50))),
  prompt: z.optional(text(100_000)),
  /** What goes along with the prompt. */
  files: z.optional(sentFilesSchema),
  agent: z.optional(name),
  branch: z.optional(name),
})

/** POST /api/sessions/:id/send. `interrupt` ends the running turn first, where the runtime has turns. Empty only with files. */
export const sendBody = z.strictObject({
  message: z.string().check(z.maxLength(100_000)),
  files: z.optional(sentFilesSchema),
  interrupt: z.optional(z.boolean()),
})

/** POST /api/sessions/:id/permission, as in PermissionAnswer. */
export const permissionBody = z.strictObject({
  requestId: name,
  askedAt: z.optional(name),
  decision: z.optional(z.enum(PERMISSION_DECISIONS)),
  optionId: z.optional(name),
})

/** POST /api/sessions/:id/messages/:message/edit */
export const editMessageBody = z.strictObject({ message: text(100_000) })

/** POST /api/sessions/:id/retry. `turnId`: only if this is the newest turn. */
export const retryBody = z.strictObject({ turnId: z.optional(name) })

/** POST /api/sessions/:id/budget: what it may cost in all, in US dollars. */
export const budgetBody = z.strictObject({ usd: z.number().check(z.positive(), z.maximum(1_000_000)) })

/** POST /api/sessions/:id/kill. `purge` also removes the worktree (rescued first) and archives. */
export const killBody = z.strictObject({ purge: z.optional(z.boolean()) })
/** POST …/done and …/hand-in of a session: the address says it all. */
export const emptyBody = z.strictObject({})
/** POST /api/sessions/:id/restore: also from the archive. */
export const restoreBody = z.strictObject({})
const sha = z.string().check(z.regex(/^[0-9a-f]{7,64}$/))
/** POST /api/sessions/:id/merge: exactly this head. */
export const mergeBody = z.strictObject({ sha })
/** POST /api/projects/:project/pulls/:number/merge: exactly this head, in the configured way unless another is given. */
export const pullMergeBody = z.strictObject({ sha, method: z.optional(z.enum(MERGE_METHODS)) })
/** POST /api/sessions/:id/ticket */
export const ticketBody = z.strictObject({ mode: z.enum(['read', 'write']) })

/** POST …/pulls/:number/review: one review, with all its comments. */
export const reviewBody = z.strictObject({
  verdict: z.enum(['approve', 'request_changes', 'comment']),
  body: z.string().check(z.maxLength(50_000)),
  /** The head that was reviewed; refused when it has moved. */
  sha,
  comments: z
    .array(
      z.strictObject({
        path: text(4_096),
        /** The first of several lines. */
        startLine: z.optional(z.int().check(z.positive())),
        line: z.int().check(z.positive()),
        body: text(20_000),
      }),
    )
    .check(z.maxLength(200)),
})
/** POST …/pulls/:number/resolve */
export const resolveBody = z.strictObject({ commentId: name, resolved: z.boolean() })
/** POST …/pulls/:number/suggestions */
export const suggestionsBody = z.strictObject({
  /** The head that was seen; refused when it has moved. */
  sha,
  /** Remarks with a suggestion, all of them or none. */
  remarks: z.array(name).check(z.minLength(1), z.maxLength(50)),
})
const line = z.int().check(z.minimum(0), z.maximum(10_000_000))
/** POST …/pulls/:number/take-back */
export const takeBackBody = z.strictObject({
  /** The head and the start of the change that were seen; refused when one has moved. */
  sha,
  base: sha,
  path: text(4_096),
  oldPath: z.optional(text(4_096)),
  /** As in the diff; absent: the whole file. */
  hunk: z.optional(z.strictObject({ oldStart: line, oldLines: line, newStart: line, newLines: line })),
  /** Ask the agent instead of making a commit. */
  asMessage: z.optional(z.boolean()),
})
/** POST …/pulls/:number/reply */
export const replyBody = z.strictObject({ thread: name, body: text(20_000) })

/** POST /api/sessions/:id/snooze; without minutes it counts again from now on. */
export const snoozeBody = z.strictObject({
  need: z.enum(NEED_KINDS),
  minutes: z.nullable(z.int().check(z.positive(), z.maximum(30 * 24 * 60))),
})
/** POST /api/sessions/:id/fork: one of its turns. */
export const turnBody = z.strictObject({ turn: z.int().check(z.positive()) })
/** POST /api/sessions/:id/rewind */
export const rewindBody = z.extend(turnBody, { filesOnly: z.optional(z.boolean()) })
/** POST /api/sessions/:id/rename; null: it is called after its task again. */
export const renameBody = z.strictObject({ title: z.nullable(text(200)) })

/** POST /api/sessions/:id/pin */
export const pinBody = z.strictObject({ pinned: z.boolean(), folder: z.optional(z.nullable(text(60))) })
/** POST /api/searches/:name; null: it is forgotten. */
export const saveQueryBody = z.strictObject({ query: z.nullable(text(1_000)) })

/** POST /api/projects/:project/issues */
const labels = z.array(text(100)).check(z.maxLength(20))
export const newIssueBody = z.strictObject({
  title: text(500),
  description: z.string().check(z.maxLength(100_000)),
  labels: z.optional(labels),
})
/** PATCH /api/projects/:project/issues/:id */
export const issueChangeBody = z.strictObject({
  title: z.optional(text(500)),
  description: z.optional(z.string().check(z.maxLength(100_000))),
  state: z.optional(z.enum(['open', 'in_progress', 'closed'])),
  /** To add. */
  labels: z.optional(labels),
  removeLabels: z.optional(labels),
  comment: z.optional(text(50_000)),
})
