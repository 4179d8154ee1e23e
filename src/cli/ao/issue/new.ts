// `ao issue new`: an issue in the project's tracker.

import { ORCHESTRATOR } from '../../../core/boundary/rights.ts'
import { requireAbility } from '../../../manager/tracker-issues.ts'
import { ACTS } from '../../../mcp/command-tool.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import { openTracker } from '../pr/open-forge.ts'
import { BODY_OPTIONS, bodyOf, listOf } from './issue-text.ts'

export const issueNewCommand = defineCommand({
  name: 'issue new',
  inside: ORCHESTRATOR,
  about: 'Write an issue',
  args: { title: { about: 'Its title', required: true, variadic: true } },
  options: {
    ...BODY_OPTIONS,
    label: { short: 'l', value: 'label', about: 'A label; may be repeated', repeatable: true },
    assignee: { short: 'a', value: 'login', about: 'Assign it to this person' },
    project: PROJECT_OPTION,
    json: JSON_OPTION,
  },
  examples: [
    { line: 'ao issue new "Log in with a key" --body "As a user …" -l ui', about: 'A title, a text, a label' },
  ],
  json: '{ issue: { id, title, description, url, state, labels, … } }',
  tool: {
    name: 'create_issue',
    title: 'Create an issue',
    description: 'A new issue in the local tracker.',
    hints: { ...ACTS, openWorldHint: false },
    input: { title: { about: 'One line' }, body: { stdin: 'body-file', about: 'Description, Markdown' }, project: {} },
    output: { issue: 'object' },
  },
  async run({ args, options }, io) {
    const { tracker, project, claim } = await openTracker(io, options.project)
    claim()
    const issue = await requireAbility(tracker, 'createIssue')(
      {
        title: args.title.join(' '),
        description: (await bodyOf(options, io)) ?? '',
        labels: listOf(options.label),
        assignee: options.assignee,
      },
      project,
    )
    if (options.json) return void io.json({ issue })
    io.print(`${io.style.bold(`#${issue.id}`)} ${issue.title}`)
    io.note(`Start work on it with: ao spawn ${issue.id}`)
  },
})
