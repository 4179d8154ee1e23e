// What a search over all sessions found, and what a person keeps at hand.
import * as z from 'zod/mini'

const searchHit = z.object({
  sessionId: z.string(),
  projectId: z.string(),
  agent: z.string(),
  status: z.string(),
  title: z.string(),
  /** Where: what it began with, what was sent to it, its terminal, its conversation, what its branch changes. */
  kind: z.enum(['prompt', 'message', 'terminal', 'conversation', 'diff']),
  /** null: unknown. */
  at: z.nullable(z.string()),
  /** Of the message in its conversation; null elsewhere. */
  sequence: z.nullable(z.int()),
  /** One line of it. */
  excerpt: z.string(),
})
export type SearchHit = z.infer<typeof searchHit>

/** A session that a person keeps at hand. */
export const pin = z.object({ session: z.string(), folder: z.nullable(z.string()) })
export type Pin = z.infer<typeof pin>

/** GET /api/saved */
export const savedAnswer = z.object({
  /** The oldest first. */
  pins: z.array(pin),
  queries: z.array(z.object({ name: z.string(), query: z.string() })),
  /** Why the file that keeps them cannot be read; null: it can. */
  problem: z.nullable(z.string()),
})

export const searchAnswer = z.object({
  hits: z.array(searchHit),
  /** Why nothing can be found; null: it was searched for. */
  problem: z.nullable(z.string()),
  /** false: not everything is in the index yet. */
  isWhole: z.boolean(),
})
export type SearchAnswer = z.infer<typeof searchAnswer>
