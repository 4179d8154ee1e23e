// `ao issue show`: one issue with its text and comments.

import { EVERYONE } from '../../../core/boundary/rights.ts'
import { orIssueNotFound } from '../../../manager/tracker-issues.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import { toOneLine, toSafeLines } from '../../print/plain-text.ts'
import { openTracker } from '../pr/open-forge.ts'

export const issueShowCommand = defineCommand({
  name: 'issue show',
  inside: EVERYONE,
  about: 'Show an issue with its text and comments',
  args: { issue: { about: 'Number or #number', required: true } },
  options: { project: PROJECT_OPTION, json: JSON_OPTION },
  json: '{ issue: { id, title, description, url, state, labels, comments?: [{ author, body, createdAt }], … } }',
  async run({ args, options }, io) {
    const { tracker, project } = await openTracker(io, options.project)
    const issue = await orIssueNotFound(args.issue, () => tracker.getIssue(args.issue, project))
    if (options.json) return void io.json({ issue })
    io.print(io.style.bold(`#${issue.id} ${toOneLine(issue.title)}`))
    const facts = [
      issue.state,
      ...(issue.author ? [`by ${issue.author}`] : []),
      ...(issue.assignee ? [`for ${(issue.assignees ?? [issue.assignee]).join(', ')}`] : []),
      ...(issue.labels.length > 0 ? [issue.labels.join(', ')] : []),
    ]
    io.print(io.style.dim(toOneLine(facts.join(' · '))))
    if (issue.description.trim() !== '') io.print(`\n${toSafeLines(issue.description)}`)
    for (const { author, body, createdAt } of issue.comments ?? []) {
      io.print(`\n${io.style.dim(toOneLine(`${author}, ${createdAt}`))}\n${toSafeLines(body)}`)
    }
  },
})
