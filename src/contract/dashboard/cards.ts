// The dashboard's view of sessions, each shape once, as a schema. The server computes all of it; the page decides nothing
// about a session, and imports only the types.
import * as z from 'zod/mini'
import { permissionInputSchema } from '../agh/permission-input.ts'
import { PERMISSION_DECISIONS } from '../permission.ts'
import { ACTIVITY_STATES, SESSION_STATUSES } from '../status.ts'
import { BOARD_COLUMNS } from './columns.ts'
import { ERROR_CAUSES, NEED_ACTS, NEED_KINDS } from './needs.ts'
import { pin } from './search.ts'

/** On the card of its session, and the beginning of a row in the list of pull requests. */
export const pullCard = z.object({
  url: z.string(),
  number: z.nullable(z.int()),
  title: z.nullable(z.string()),
  state: z.enum(['open', 'merged', 'closed']),
  ci: z.enum(['passing', 'failing', 'pending', 'none', 'unknown']),
  review: z.enum(['approved', 'changes_requested', 'pending', 'none', 'unknown']),
  /** null: unknown. */
  hasConflicts: z.nullable(z.boolean()),
  /** The head that was last read; a merge names it. */
  headSha: z.nullable(z.string()),
})

const text = z.nullable(z.string())

/** The actions available to the person now. The server checks again when one is taken. */
const abilities = z.object({
  send: z.boolean(),
  /** End the agent; its workspace stays. */
  kill: z.boolean(),
  /** It has ended: move it from the board into the archive (a kill with `purge`). */
  remove: z.boolean(),
  restore: z.boolean(),
  /** It waits for other work, and can be started all the same. */
  start: z.boolean(),
  merge: z.boolean(),
  /** How it can be watched live. */
  view: z.nullable(z.enum(['terminal', 'transcript'])),
})

const cost = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadTokens: z.number(),
  cacheWriteTokens: z.number(),
  /** null: the model's price is unknown. */
  estimatedCostUsd: z.nullable(z.number()),
})

const spent = z.object({ tokens: z.number(), costUsd: z.nullable(z.number()) })

/** As `PermissionRequest` in permission.ts. */
const permission = z.object({
  requestId: z.string(),
  title: z.string(),
  kind: z.string(),
  options: z.array(
    z.object({ optionId: z.string(), name: z.string(), decision: z.nullable(z.enum(PERMISSION_DECISIONS)) }),
  ),
  askedAt: z.string(),
  expiresAt: text,
  input: z.optional(permissionInputSchema),
  isCut: z.optional(z.boolean()),
  diffs: z.optional(z.array(z.object({ path: z.string(), old_text: text, new_text: z.string() }))),
  diffsOmitted: z.optional(z.boolean()),
})

/** What it needs from a person now (`core/queue/find-need.ts`). */
const need = z.object({
  kind: z.enum(NEED_KINDS),
  /** The matter itself: the question, the error's own words, what the agent says it did. */
  matter: z.string(),
  cause: z.nullable(z.enum(ERROR_CAUSES)),
  since: z.string(),
  /** What nobody answers by then is denied. */
  deadline: text,
  /** What can be done about it; the likely one first. */
  acts: z.array(z.enum(NEED_ACTS)),
  /** The request of the agent that it is about. */
  requestId: text,
})

/** GET /api/queue: what waits for a person, in the order in which it should be dealt with. */
export const queueAnswer = z.object({
  items: z.array(
    z.extend(need, {
      why: z.optional(z.string()),
      key: z.string(),
      sessions: z.array(z.object({ id: z.string(), title: z.string() })),
    }),
  ),
})
export type QueueAnswer = z.infer<typeof queueAnswer>

/** How much a change can break (`core/review/judge-risk.ts`): a sum of terms, each with its reason. */
export const riskAnswer = z.object({
  score: z.int(),
  terms: z.array(
    z.object({ points: z.int(), most: z.int(), text: z.string(), isUnknown: z.optional(z.literal(true)) }),
  ),
  /** That reading it probably takes. */
  minutes: z.int(),
})

export const foundText = z.object({ verdict: z.string(), text: z.string() })

/** Times are ISO 8601. Texts of agents, issues and forges are untrusted: shown as text, never as markup. */
export const sessionCard = z.object({
  id: z.string(),
  projectId: z.string(),
  role: z.enum(['worker', 'orchestrator', 'reviewer']),
  /** The name that a person gave it, else the title of its issue, else the first line of its prompt, else the id. */
  title: z.string(),
  status: z.enum(SESSION_STATUSES),
  /** It has not started yet: `waits for app-3, #12`. */
  waits: text,
  activity: z.nullable(z.enum(ACTIVITY_STATES)),
  /** Stopped where it is (`ao pause`, a budget); `resumes`: what lets it go on. */
  paused: z.nullable(z.object({ since: z.string(), why: z.string(), resumes: z.string() })),
  /** Why its activity is unknown, of an agent in a place that cannot be reached. */
  unknown: z.nullable(z.object({ place: z.string(), why: z.string(), since: text, unreachable: z.boolean() })),
  column: z.enum(BOARD_COLUMNS),
  need: z.nullable(need),
  /** A person put its need off until then. */
  snoozedUntil: text,
  /** Since when it has had this status: newest need first. */
  statusSince: z.string(),
  /** Why it has this status, in words. */
  evidence: z.array(z.string()),
  agent: z.string(),
  /** Which of its accounts the agent uses; null: the one that it is signed in to by itself. */
  account: text,
  runtime: z.string(),
  /** Where its agent runs; null: on the machine of ao. */
  place: text,
  model: text,
  branch: text,
  issue: z.nullable(z.object({ id: z.string(), url: text, title: text })),
  /** Of several, the one that its status is about. */
  pr: z.nullable(pullCard),
  otherPulls: z.array(pullCard),
  /** Its part in a task of several sessions, in a word: `try 2/3`. */
  task: z.nullable(z.object({ id: z.string(), kind: z.enum(['best', 'group', 'split']), word: z.string() })),
  createdAt: z.string(),
  lastActivityAt: z.string(),
  /** A spawn, kill, restore or cleanup in progress. */
  operation: text,
  /** As the agent reports it now, in detail. */
  cost: z.nullable(cost),
  /** All of it, also when the agent is gone. `costUsd` null: no price is known. */
  spent: z.nullable(spent),
  /** What it may cost, and the limit that it has reached, in words. */
  budget: z.object({ limitUsd: z.nullable(z.number()), over: text }),
  /** A limit of its account stops it, and is reset then. */
  limitResetsAt: text,
  lastMessage: text,
  permissions: z.array(permission),
  /** Other live branches that change the same files, the worst first. */
  meets: z.array(
    z.object({
      with: z.string(),
      path: z.string(),
      files: z.int(),
      conflict: z.boolean(),
      /** The test or check that fails with both and passes with each; null: none is known. */
      fails: z.nullable(z.string()),
    }),
  ),
  /** Tests, CI configuration and files of gates that its pull request changes. */
  changedChecks: z.array(z.string()),
  /** What checks found out about the change: whether its tests prove it, which of its lines never ran. */
  findings: z.array(foundText),
  /** Of its open pull request. */
  risk: z.optional(riskAnswer),
  /** What it waits for or stands on, as records write it: `session:app-3`. */
  blockers: z.optional(z.array(z.string())),
  can: abilities,
})
export type SessionCard = z.infer<typeof sessionCard>

/** A problem that is not about one session: a configuration that is not in effect, an unresponsive forge. */
const notice = z.object({
  id: z.string(),
  level: z.enum(['warn', 'error']),
  text: z.string(),
  /** The page where it can be put right. */
  fix: z.optional(z.string()),
})
export type Notice = z.infer<typeof notice>
/** Everything is stopped (`ao pause`). */
export const PAUSED_NOTICE = 'paused'

/** Ended sessions that nobody has to do anything about. */
const ended = z.object({
  /** How many there are; the board begins with the newest of them. */
  total: z.int(),
  /** What all of them have used. */
  spent,
  /** `after` of the page that follows; null: all of them are here. */
  next: text,
})

/** GET /api/sessions: everything that has not ended or needs somebody, and the newest of the others. */
export const boardAnswer = z.object({
  sessions: z.array(sessionCard),
  ended,
  projects: z.array(z.object({ id: z.string(), name: z.string() })),
  notices: z.array(notice),
  /** Sessions that a person keeps at hand, the oldest pin first; some may be archived. */
  pins: z.array(pin),
  /** The loop watches the sessions; false: statuses are as of each reading. */
  loopRunning: z.boolean(),
  version: z.string(),
})
export type Board = z.infer<typeof boardAnswer>

/** Only the differences. `sessions` contains whole cards of those that changed or are new. */
export interface BoardChange {
  sessions: SessionCard[]
  removed: string[]
  notices?: Notice[]
  projects?: Board['projects']
  pins?: Board['pins']
  loopRunning?: boolean
  ended?: Omit<Board['ended'], 'next'>
}

/** GET /api/ended: one page, the newest end first. */
export const endedAnswer = z.object({
  sessions: z.array(sessionCard),
  /** How many match. */
  total: z.int(),
  /** `after` of the next page; null: this is the last one. */
  next: text,
  /** The cards are at least as new as the stream was there: its later changes win. */
  epoch: z.string(),
  change: z.int(),
})
export type EndedAnswer = z.infer<typeof endedAnswer>
