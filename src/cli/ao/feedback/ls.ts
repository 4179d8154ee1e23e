// `ao feedback ls`: what agents reported about ao itself.

import { ORCHESTRATOR } from '../../../core/boundary/rights.ts'
import { formatAge } from '../../../core/text/format-age.ts'
import type { FeedbackReport } from '../../../store/feedback/feedback-report.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import { renderTable } from '../../print/table.ts'
import { feedbackOf } from './feedback-of.ts'

export const feedbackLsCommand = defineCommand({
  name: 'feedback ls',
  inside: ORCHESTRATOR,
  about: 'List bug reports and suggestions by agents about ao, newest first',
  options: { project: PROJECT_OPTION, json: JSON_OPTION },
  json: '{ reports: [{ projectId, id, tool, title, body, session, source, confidence, evidence: [text], createdAt, dedupeKey }], damaged: [{ file, why }] }',
  async run({ options }, io) {
    const projects = await feedbackOf(options.project, io)
    const lists = projects.map(({ projectId, store }) => ({ projectId, ...store.list() }))
    const reports = lists
      .flatMap(({ projectId, reports }) => reports.map((report) => ({ projectId, ...report })))
      .sort((a, b) => b.createdAt.localeCompare(a.createdAt))
    const damaged = lists.flatMap((list) => list.damaged)
    if (options.json) return void io.json({ reports, damaged })
    for (const { file, why } of damaged) io.note(`${io.noteStyle.yellow('warning:')} ${file}: ${why}`)
    if (reports.length === 0) return void io.note('No agent has reported anything.')
    const now = io.clock.now()
    const lines = renderTable<FeedbackReport & { projectId: string }>(
      [
        { title: 'REPORT', text: ({ id }) => id },
        { title: 'KIND', text: ({ tool }) => (tool === 'bug_report' ? 'bug' : 'idea') },
        { title: 'AGE', text: ({ createdAt }) => formatAge(new Date(createdAt), now), align: 'right' },
        { title: 'SESSION', text: ({ session }) => session, drop: 1 },
        { title: 'TITLE', text: ({ title }) => title, min: 16 },
      ],
      reports,
      { width: io.width(), paintTitle: io.style.dim },
    )
    io.printLines(lines)
  },
})
