// Tasks of several sessions, as the page and `ao compare` show them.
import * as z from 'zod/mini'
import { SESSION_STATUSES } from '../status.ts'

const text = z.nullable(z.string())
const size = { files: z.int(), added: z.int(), removed: z.int(), isCut: z.boolean() }

const comparedSession = z.object({
  index: z.int(),
  id: z.string(),
  projectId: z.string(),
  agent: z.string(),
  model: text,
  status: z.enum(SESSION_STATUSES),
  /** It has not started yet: `waits for room to start`. */
  waits: text,
  isArchived: z.boolean(),
  branch: text,
  pull: z.nullable(z.object({ url: z.string(), number: z.int() })),
  ci: z.enum(['passing', 'failing', 'pending', 'none', 'unknown']),
  review: z.enum(['approved', 'changes_requested', 'pending', 'none', 'unknown']),
  /** Of its pull request, gates included. */
  checks: z.array(
    z.object({ name: z.string(), status: z.enum(['pending', 'running', 'passed', 'failed', 'skipped']) }),
  ),
  /** null: it has no branch here. */
  size: z.nullable(z.object(size)),
  costUsd: z.nullable(z.number()),
  tokens: z.nullable(z.number()),
  /** From its start to its end, or until now. */
  minutes: z.nullable(z.int()),
})
export type ComparedSession = z.infer<typeof comparedSession>

/** How far the committed work of two is apart. */
const comparedPair = z.object({ a: z.string(), b: z.string(), ...size })
export type ComparedPair = z.infer<typeof comparedPair>

/** GET /api/tasks/:id */
export const comparisonAnswer = z.object({
  id: z.string(),
  kind: z.enum(['best', 'group']),
  project: z.string(),
  title: z.string(),
  createdAt: z.string(),
  /** The session that was chosen. */
  chosen: text,
  /** Why the rest of a group does not land. */
  stopped: text,
  /** How many of its sessions have no record. */
  missing: z.int(),
  sessions: z.array(comparedSession),
  pairs: z.array(comparedPair),
})
export type Comparison = z.infer<typeof comparisonAnswer>

/** POST /api/tasks/:id/choose: `ending` are the tries whose end the person agreed to. */
export const chooseBody = z.strictObject({ session: z.string(), ending: z.array(z.string()) })
export const choiceAnswer = z.object({
  task: z.string(),
  chosen: z.string(),
  ended: z.array(z.string()),
  closed: z.array(z.string()),
  failed: z.array(z.object({ session: z.string(), why: z.string() })),
})

/** GET /api/stack */
export const stackAnswer = z.object({
  nodes: z.array(
    z.object({
      name: z.string(),
      session: z.nullable(
        z.object({
          id: z.string(),
          projectId: z.string(),
          status: z.enum(SESSION_STATUSES),
          title: z.string(),
          pr: z.nullable(z.int()),
        }),
      ),
      waitsSince: z.nullable(z.string()),
      heldBack: z.nullable(z.string()),
      needs: z.array(z.string()),
      base: z.nullable(z.string()),
      next: z.nullable(z.array(z.string())),
    }),
  ),
})

/** GET /api/plans/:id: a proposal of how to split work, and what became of it. */
export const planAnswer = z.object({
  id: z.string(),
  project: z.string(),
  issueId: text,
  by: z.string(),
  createdAt: z.string(),
  state: z.enum(['proposed', 'accepted', 'done', 'discarded']),
  /** Of its parts: it is accepted by this. */
  digest: z.string(),
  children: z.array(
    z.object({
      key: z.string(),
      title: z.string(),
      body: z.string(),
      project: z.string(),
      needs: z.array(z.string()),
      issue: z.optional(z.string()),
      session: z.optional(z.string()),
    }),
  ),
})
/** GET /api/plans: newest first. */
export const plansAnswer = z.object({ plans: z.array(planAnswer) })
export type PlanAnswer = z.infer<typeof planAnswer>

/** POST /api/plans/:id/edit: the parts as JSON. */
export const planBody = z.strictObject({ text: z.string() })
/** POST /api/plans/:id/accept: what the person has read. */
export const acceptBody = z.strictObject({ digest: z.string() })
