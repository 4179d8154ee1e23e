// `ao pr review`: approve, request changes, or comment, also on lines.
import { AoError } from '../../../contract/errors.ts'
import type { LineComment } from '../../../forge/pulls/change-pull.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import { BODY_OPTIONS, bodyOf } from '../issue/issue-text.ts'
import { openForge } from './open-forge.ts'
import { PULL_ARGUMENT } from './view.ts'

export const prReviewCommand = defineCommand({
  name: 'pr review',
  about: 'Approve a pull request, ask for changes, or comment',
  details: 'The review counts for the commit that is the head now; after a new push it has to be given again.',
  args: { pr: PULL_ARGUMENT },
  options: {
    approve: { short: 'a', about: 'Approve it' },
    'request-changes': { short: 'r', about: 'Ask for changes' },
    comment: { short: 'c', about: 'Only comment' },
    ...BODY_OPTIONS,
    line: {
      value: 'file:line:text',
      about: 'A comment on a line, or on several: file:3-7:text; may be given several times',
      repeatable: true,
    },
    project: PROJECT_OPTION,
    json: JSON_OPTION,
  },
  examples: [
    { line: 'ao pr review 1 --approve', about: 'Approve' },
    {
      line: 'ao pr review 1 -r -b "Almost" --line "src/a.ts:3:Say why"',
      about: 'Ask for changes, with a word on a line',
    },
  ],
  json: '{ number, review: { id, author, state, body, commit, submittedAt } }',
  async run({ args, options }, io) {
    const state = chooseState(options)
    const comments = options.line.map(parseLine)
    const body = (await bodyOf(options, io)) ?? ''
    const { forge } = await openForge(io, options.project)
    const [{ requirePull }, { reviewPull }] = await Promise.all([
      import('../../../forge/pulls/find-pull.ts'),
      import('../../../forge/pulls/change-pull.ts'),
    ])
    const { number } = requirePull(forge, args.pr)
    const pull = await reviewPull(forge, number, { state, body, comments })
    if (options.json) return void io.json({ number, review: pull.reviews.at(-1) })
    io.print(`${state.replace('_', ' ')}: ${io.style.bold(`#${number}`)} at ${pull.headSha.slice(0, 10)}`)
  },
})

function chooseState(options: { approve: boolean; 'request-changes': boolean; comment: boolean }) {
  const chosen = [
    ...(options.approve ? (['approved'] as const) : []),
    ...(options['request-changes'] ? (['changes_requested'] as const) : []),
    ...(options.comment ? (['commented'] as const) : []),
  ]
  if (chosen.length === 1) return chosen[0]!
  throw new AoError('USAGE', 'Say one of --approve, --request-changes and --comment')
}

function parseLine(text: string): LineComment {
  const [, path, first, last, body] = /^(.+?):([1-9][0-9]*)(?:-([1-9][0-9]*))?:\s*([\s\S]*\S)\s*$/.exec(text) ?? []
  if (path !== undefined && body !== undefined) {
    if (last === undefined || last === first) return { path, line: Number(first), body }
    return { path, startLine: Number(first), line: Number(last), body }
  }
  throw new AoError('USAGE', `${JSON.stringify(text)} is not file:line:text`)
}
