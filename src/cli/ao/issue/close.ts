// `ao issue close` and `ao issue reopen`.
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import { runIssueChange } from './change.ts'

const ISSUE = { issue: { about: 'Number or #number', required: true } } as const
const COMMENT = { short: 'c', value: 'text', about: 'Also comment' } as const

export const issueCloseCommand = defineCommand({
  name: 'issue close',
  about: 'Close an issue',
  args: ISSUE,
  options: { comment: COMMENT, project: PROJECT_OPTION, json: JSON_OPTION },
  json: '{ issue: { id, state, … } }',
  async run({ args, options }, io) {
    const comment = options.comment === undefined ? {} : { comment: options.comment }
    await runIssueChange(io, { ...options, id: args.issue, change: { state: 'closed', ...comment }, done: 'closed' })
  },
})

export const issueReopenCommand = defineCommand({
  name: 'issue reopen',
  about: 'Reopen an issue',
  args: ISSUE,
  options: { comment: COMMENT, project: PROJECT_OPTION, json: JSON_OPTION },
  json: '{ issue: { id, state, … } }',
  async run({ args, options }, io) {
    const comment = options.comment === undefined ? {} : { comment: options.comment }
    await runIssueChange(io, { ...options, id: args.issue, change: { state: 'open', ...comment }, done: 'opened' })
  },
})
