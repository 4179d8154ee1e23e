// Converts a report to KEY=VALUE pairs and back. Pure.
import * as z from 'zod/mini'
import { parsePairs } from '../../core/text/key-value.ts'
import { problemsOf, reportShape } from './feedback-schema.ts'

const reportSchema = z.object({
  ...reportShape,
  version: z.literal('1'),
  /** The file's name without `.kv`. */
  id: z.string(),
  /** ISO 8601 */
  createdAt: z.string(),
  /** Equal keys mean equal content. */
  dedupeKey: z.string().check(z.regex(/^[0-9a-f]{16}$/)),
})
export type FeedbackReport = z.infer<typeof reportSchema>

export function reportPairs(report: FeedbackReport): Record<string, string> {
  const { version, id, tool, createdAt, dedupeKey, title, body, session, source, confidence, evidence } = report
  const items = evidence.map((item, index) => [`evidence.${index}`, item] as const)
  return {
    version,
    id,
    tool,
    createdAt,
    dedupeKey,
    title,
    body,
    session,
    source,
    confidence: String(confidence),
    ...Object.fromEntries(items),
  }
}

/** The report, or why it is invalid. */
export function readReport(id: string, text: string): FeedbackReport | string {
  const { pairs, problems } = parsePairs(text)
  if (problems.length > 0) return problems.join('; ')
  const confidence = pairs.confidence?.trim() ? Number(pairs.confidence) : undefined
  const parsed = reportSchema.safeParse({ ...pairs, confidence, evidence: evidenceOf(pairs) })
  if (!parsed.success) return problemsOf(parsed.error)
  return parsed.data.id === id ? parsed.data : `its id is ${parsed.data.id}, which is not its name`
}

function evidenceOf(pairs: Record<string, string>): string[] {
  return Object.entries(pairs)
    .flatMap(([key, item]) => {
      const index = /^evidence\.(\d+)$/.exec(key)?.[1]
      return index === undefined ? [] : [{ index: Number(index), item }]
    })
    .sort((a, b) => a.index - b.index)
    .map(({ item }) => item)
}
