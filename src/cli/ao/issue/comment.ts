// `ao issue comment`: a comment on an issue.
import { AoError } from '../../../contract/errors.ts'
import { IN_A_SESSION } from '../../../core/boundary/rights.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import { runIssueChange } from './change.ts'
import { BODY_OPTIONS, bodyOf } from './issue-text.ts'

export const issueCommentCommand = defineCommand({
  name: 'issue comment',
  inside: IN_A_SESSION,
  about: 'Comment on an issue',
  args: { issue: { about: 'Number or #number', required: true } },
  options: { ...BODY_OPTIONS, project: PROJECT_OPTION, json: JSON_OPTION },
  json: '{ issue: { id, comments, … } }',
  async run({ args, options }, io) {
    const comment = (await bodyOf(options, io))?.trim()
    if (!comment)
      throw new AoError('USAGE', 'A comment needs a text', { hint: `ao issue comment ${args.issue} --body "…"` })
    await runIssueChange(io, { ...options, id: args.issue, change: { comment }, done: 'commented on' })
  },
})
