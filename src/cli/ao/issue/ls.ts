// `ao issue ls`: the issues of a project, newest first.

import { AoError } from '../../../contract/errors.ts'
import { EVERYONE } from '../../../core/boundary/rights.ts'
import { formatAge } from '../../../core/text/format-age.ts'
import { requireAbility } from '../../../manager/tracker-issues.ts'
import { READS } from '../../../mcp/command-tool.ts'
import type { Issue } from '../../../slots/tracker.ts'
import { wholeNumber } from '../../arguments/whole-number.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import { renderTable } from '../../print/table.ts'
import { openTracker } from '../pr/open-forge.ts'
import { listOf } from './issue-text.ts'

const STATES = ['open', 'closed', 'all'] as const

export const issueLsCommand = defineCommand({
  name: 'issue ls',
  inside: EVERYONE,
  about: 'List issues, newest first',
  options: {
    state: { short: 's', value: 'state', about: 'open (default), closed or all', completes: STATES },
    label: { short: 'l', value: 'label', about: 'Only with this label; may be repeated', repeatable: true },
    assignee: { short: 'a', value: 'login', about: 'Only assigned to this person' },
    limit: { value: 'count', about: 'Maximum number (default 100)' },
    project: PROJECT_OPTION,
    quiet: { short: 'q', about: 'Print only ids, one per line' },
    json: JSON_OPTION,
  },
  json: '{ issues: [{ id, title, description, url, state, labels, assignee?, author?, createdAt? }] }',
  tool: {
    name: 'list_issues',
    title: 'List issues',
    description: "The open issues of a project's tracker.",
    hints: { ...READS, openWorldHint: true },
    input: { project: {} },
    output: { issues: 'list' },
  },
  async run({ options }, io) {
    const state = STATES.find((one) => one === (options.state ?? 'open'))
    const limit = wholeNumber('--limit', options.limit, { least: 1 }) ?? 100
    if (!state) throw new AoError('USAGE', `--state is one of ${STATES.join(', ')}`)
    const { tracker, project } = await openTracker(io, options.project)
    const { assignee } = options
    const filter = { state, limit, labels: listOf(options.label), assignee }
    const issues = await requireAbility(tracker, 'listIssues')(filter, project)
    if (options.json) return void io.json({ issues })
    if (options.quiet) return void io.printLines(issues.map(({ id }) => id))
    if (issues.length === 0) return void io.note('No such issue. Create one with: ao issue new <title>')
    const now = io.clock.now()
    const lines = renderTable<Issue>(
      [
        { title: 'ISSUE', text: ({ id }) => `#${id}` },
        { title: 'STATE', text: (issue) => issue.state },
        {
          title: 'AGE',
          text: ({ createdAt }) => (createdAt ? formatAge(new Date(createdAt), now) : ''),
          align: 'right',
        },
        { title: 'LABELS', text: ({ labels }) => labels.join(', '), min: 8, drop: 1 },
        { title: 'TITLE', text: ({ title }) => title, min: 16 },
      ],
      issues,
      { width: io.width(), paintTitle: io.style.dim },
    )
    for (const line of lines) io.print(line)
  },
})
