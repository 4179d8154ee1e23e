// `ao feedback show`: one report in full.
import { AoError } from '../../../contract/errors.ts'
import { ORCHESTRATOR } from '../../../core/boundary/rights.ts'
import type { FeedbackReport } from '../../../store/feedback/feedback-report.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import type { Io } from '../../print/io.ts'
import { toOneLine, toSafeLines } from '../../print/plain-text.ts'
import { feedbackOf } from './feedback-of.ts'

export const feedbackShowCommand = defineCommand({
  name: 'feedback show',
  inside: ORCHESTRATOR,
  about: 'Show one report of an agent',
  args: { report: { about: 'Id of the report, or the end of it', required: true } },
  options: { json: JSON_OPTION },
  json: '{ report: { projectId, id, tool, title, body, … } }',
  async run({ args, options }, io) {
    const found = await findReport(args.report, io)
    if (options.json) return void io.json({ report: found })
    io.print(io.style.bold(toOneLine(found.title)))
    io.print(
      `${found.tool} from ${found.session} (${found.projectId}), ${found.createdAt}, confidence ${found.confidence}`,
    )
    io.print(`source: ${toOneLine(found.source)}`)
    io.print()
    io.print(toSafeLines(found.body))
    for (const [index, item] of found.evidence.entries()) io.print(`\nevidence ${index + 1}: ${toSafeLines(item)}`)
  },
})

async function findReport(id: string, io: Io): Promise<FeedbackReport & { projectId: string }> {
  const projects = await feedbackOf(undefined, io)
  for (const { projectId, store } of projects) {
    const report = store.get(id)
    if (report) return { projectId, ...report }
  }
  const byEnd = projects.flatMap(({ projectId, store }) =>
    store
      .list()
      .reports.filter((report) => report.id.endsWith(id))
      .map((report) => ({ projectId, ...report })),
  )
  if (byEnd.length === 1) return byEnd[0]!
  throw new AoError('USAGE', byEnd.length > 1 ? `${byEnd.length} reports end in ${id}` : `There is no report ${id}`, {
    hint: 'List them with: ao feedback ls',
  })
}
