// `ao pr comment`: comments on a pull request of the local forge.
import { AoError } from '../../../contract/errors.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import { BODY_OPTIONS, bodyOf } from '../issue/issue-text.ts'
import { openForge } from './open-forge.ts'
import { PULL_ARGUMENT } from './view.ts'

export const prCommentCommand = defineCommand({
  name: 'pr comment',
  about: 'Comment on a pull request or on a line of it',
  args: { pr: PULL_ARGUMENT },
  options: {
    ...BODY_OPTIONS,
    line: { value: 'file:line', about: 'The line it is about' },
    project: PROJECT_OPTION,
    json: JSON_OPTION,
  },
  json: '{ number, comment: { id, author, body, path?, line?, isResolved, createdAt } }',
  async run({ args, options }, io) {
    const body = (await bodyOf(options, io)) ?? ''
    const place = parsePlace(options.line)
    const { forge } = await openForge(io, options.project)
    const [{ requirePull }, { commentOnPull }] = await Promise.all([
      import('../../../forge/pulls/find-pull.ts'),
      import('../../../forge/pulls/change-pull.ts'),
    ])
    const { number } = requirePull(forge, args.pr)
    const pull = await commentOnPull(forge, number, { body, ...place })
    const comment = pull.comments.at(-1)!
    if (options.json) return void io.json({ number, comment })
    io.print(`commented on ${io.style.bold(`#${number}`)} (${comment.id})`)
  },
})

function parsePlace(text: string | undefined): { path?: string; line?: number } {
  if (text === undefined) return {}
  const [, path, line] = /^(.+):([1-9][0-9]*)$/.exec(text) ?? []
  if (path !== undefined) return { path, line: Number(line) }
  throw new AoError('USAGE', `${JSON.stringify(text)} is not file:line`)
}
