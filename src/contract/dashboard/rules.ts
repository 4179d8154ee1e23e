// What an agent may do without asking because somebody answered "always": who keeps it, and whether it can be revoked.
import * as z from 'zod/mini'

export const standingRule = z.object({
  /** For `ao session rules --revoke`; null: ao cannot revoke it. */
  id: z.nullable(z.string()),
  effect: z.enum(['allow', 'deny', 'ask']),
  rule: z.string(),
  /** Who applies it. */
  keptBy: z.enum(['agh', 'agent']),
  /** A file of the agent; null: the process of its keeper. */
  file: z.nullable(z.string()),
  /** ISO 8601; null: unknown. */
  since: z.nullable(z.string()),
  /** How to revoke it. */
  how: z.string(),
})
export type StandingRule = z.infer<typeof standingRule>

/** GET /api/sessions/:id/rules */
export const rulesAnswer = z.object({
  rules: z.array(standingRule),
  /** Anything that could not be read: there may be more rules. */
  problems: z.array(z.string()),
})
export type StandingRules = z.infer<typeof rulesAnswer>
