// `ao pr comment`: a comment on a pull request or on a line of it.
import { AoError } from '../../../contract/errors.ts'
import { IN_A_SESSION } from '../../../core/boundary/rights.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import { BODY_OPTIONS, bodyOf } from '../issue/issue-text.ts'
import { openPull, PULL_ARGUMENT } from './find-pull.ts'
import { commentJson } from './pr-json.ts'
import { requireOwn, writerOf } from './writer.ts'

export const prCommentCommand = defineCommand({
  name: 'pr comment',
  inside: IN_A_SESSION,
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
    const position = parsePosition(options.line)
    const opened = await openPull(io, args.pr, options.project)
    const { number } = opened.pull.pr
    await requireOwn(io, opened)
    const { commentOnPull } = await import('../../../manager/pulls/change-pull.ts')
    const comment = await commentOnPull(opened, { body, ...position, writer: writerOf(io) })
    if (options.json) return void io.json({ number, comment: commentJson(comment) })
    io.print(`commented on ${io.style.bold(`#${number}`)} (${comment.id})`)
  },
})

function parsePosition(text: string | undefined): { path?: string; line?: number } {
  if (text === undefined) return {}
  const [, path, line] = /^(.+):([1-9][0-9]*)$/.exec(text) ?? []
  if (path !== undefined) return { path, line: Number(line) }
  throw new AoError('USAGE', `${JSON.stringify(text)} is not file:line`)
}
