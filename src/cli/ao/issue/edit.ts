// `ao issue edit`: title, text, labels, assignee and state of an issue.
import { AoError } from '../../../contract/errors.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import { runIssueChange } from './change.ts'
import { BODY_OPTIONS, bodyOf, listOf } from './issue-text.ts'

const STATES = ['open', 'in_progress', 'closed'] as const

export const issueEditCommand = defineCommand({
  name: 'issue edit',
  about: 'Change the title, text, labels, assignee or state of an issue',
  args: { issue: { about: 'Number or #number', required: true } },
  options: {
    title: { short: 't', value: 'text', about: 'New title' },
    ...BODY_OPTIONS,
    'add-label': { value: 'label', about: 'Add a label; may be repeated', repeatable: true },
    'remove-label': { value: 'label', about: 'Remove a label; may be repeated', repeatable: true },
    assignee: { short: 'a', value: 'login', about: 'Assign it to this person' },
    state: { short: 's', value: 'state', about: 'open, in_progress or closed', completes: STATES },
    project: PROJECT_OPTION,
    json: JSON_OPTION,
  },
  json: '{ issue: { id, title, description, url, state, labels, … } }',
  async run({ args, options }, io) {
    const { title, assignee } = options
    const state = options.state === undefined ? undefined : STATES.find((one) => one === options.state)
    if (options.state !== undefined && state === undefined)
      throw new AoError('USAGE', `--state is one of ${STATES.join(', ')}`)
    const description = await bodyOf(options, io)
    const change = {
      labels: listOf(options['add-label']),
      removeLabels: listOf(options['remove-label']),
      title,
      assignee,
      state,
      description,
    }
    await runIssueChange(io, { ...options, id: args.issue, change, done: 'changed' })
  },
})
