// `gh pr comment`, also `--edit-last`.

import type { Io } from '../../cli/io.ts'
import { commentOnPull, editComment } from '../../forge/pulls/change-pull.ts'
import { localAuthor } from '../../inside/local-author.ts'
import { GhError } from '../gh-error.ts'
import { NO_EDITOR, NO_WEB, parseFlags } from '../gh-flags.ts'
import { numericId } from '../ids.ts'
import { openGh, textOf, wantedPull } from '../open-gh.ts'

const FLAGS = {
  ...NO_WEB,
  ...NO_EDITOR,
  body: { short: 'b', value: true },
  'body-file': { short: 'F', value: true },
  'edit-last': {},
  'create-if-none': {},
} as const

export async function prComment(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, FLAGS)
  const body = await textOf(args, io)
  if (args.has('create-if-none') && !args.has('edit-last'))
    throw new GhError('`--create-if-none` can only be used with `--edit-last`')
  if (body === undefined || body.trim() === '') {
    throw new GhError('flags required when not running interactively: `--body`, `--body-file`, `--editor`, or `--web`')
  }
  const gh = await openGh(io, args)
  const { number, url, comments } = await wantedPull(gh, args.positionals[0], io)
  const me = localAuthor(io.env)
  const last = comments.findLast(({ author, path }) => author === me && path === undefined)
  if (args.has('edit-last') && !last && !args.has('create-if-none'))
    throw new GhError('no comments found for current user')
  if (args.has('edit-last') && last) {
    await editComment(gh.forge, number, { commentId: last.id, body })
    io.print(`${url}#issuecomment-${numericId(last.id)}`)
    return 0
  }
  const pull = await commentOnPull(gh.forge, number, { body })
  io.print(`${url}#issuecomment-${numericId(pull.comments.at(-1)!.id)}`)
  return 0
}
