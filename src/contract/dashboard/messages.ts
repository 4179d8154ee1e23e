// Messages to an agent that have not reached it yet, and that a person can still change.
import * as z from 'zod/mini'
import type { TranscriptMessage } from '../agh/transcript.ts'

/**
 * queued: it is on its way. held: the agent asks for an answer, or somebody's text is in its input line. behind_turn: it is
 * sent when the turn that is running ends.
 */
const WAITING_STATES = ['queued', 'held', 'behind_turn'] as const

export const waitingMessage = z.object({
  messageId: z.string(),
  text: z.string(),
  /** `user`, a reaction, or another session. */
  source: z.string(),
  /** ISO 8601 */
  since: z.string(),
  state: z.enum(WAITING_STATES),
  /** What it waits for, in words. */
  why: z.nullable(z.string()),
  /** false: it can be neither edited nor withdrawn now. */
  changeable: z.boolean(),
})
export type WaitingMessage = z.infer<typeof waitingMessage>

/** GET /api/sessions/:id/transcript */
export const transcriptPartAnswer = z.object({
  messages: z.array(z.custom<TranscriptMessage>()),
  /** Messages with a smaller sequence are in none of the parts so far; null: there are none. */
  older: z.nullable(z.int()),
})

/** GET /api/sessions/:id/transcript/found */
export const transcriptFoundAnswer = z.object({ sequences: z.array(z.int()) })
