// What a report may contain and how much. Shared by the store and by the tools that agents call.
import * as z from 'zod/mini'
import { AoError } from '../../contract/errors.ts'
import { isSafeName } from '../../contract/ids.ts'

export const FEEDBACK_TOOLS = ['bug_report', 'improvement_suggestion'] as const
export type FeedbackTool = (typeof FEEDBACK_TOOLS)[number]

const isFilled = (text: string) => text.trim() !== ''
const bounded = (max: number) => z.string().check(z.maxLength(max), z.refine(isFilled, 'must not be empty'))
const sessionId = z.string().check(z.refine((name: string) => isSafeName(name), 'must be a session id'))

/** The fields that an agent fills in, with descriptions for it. */
export const toolShape = {
  title: bounded(200).check(z.describe('Short title, one line')),
  body: bounded(20_000).check(z.describe('Full description: what happened, what was expected, how to see it again')),
  source: bounded(500).check(z.describe('Where it came up in the session: a command, a message, a file')),
  confidence: z.number().check(z.minimum(0), z.maximum(1), z.describe('How sure you are, from 0 to 1')),
  evidence: z
    ._default(z.array(bounded(4_000)).check(z.maxLength(20)), [])
    .check(z.describe('Supporting evidence, one item each: an error text, an output, a path')),
  session: z.optional(sessionId).check(z.describe('Session where it was observed; this one when left out')),
}

export const reportShape = { ...toolShape, session: sessionId, tool: z.enum(FEEDBACK_TOOLS) }

const inputSchema = z.strictObject(reportShape)
export type FeedbackInput = z.infer<typeof inputSchema>

export function parseFeedbackInput(input: unknown): FeedbackInput {
  const parsed = inputSchema.safeParse(input)
  if (parsed.success) return parsed.data
  throw new AoError('USAGE', `The report is not valid: ${problemsOf(parsed.error)}`, {
    hint: 'Correct these fields and report again',
  })
}

export function problemsOf(error: z.core.$ZodError): string {
  return error.issues.map((issue) => `${issue.path.join('.') || 'the report'}: ${issue.message}`).join('; ')
}
