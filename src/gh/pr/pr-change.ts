// `gh pr review|edit|ready|close|reopen`.

import type { Io } from '../../cli/io.ts'
import { closePull, commentOnPull, editPull, reopenPull, reviewPull } from '../../forge/pulls/change-pull.ts'
import { GhError } from '../gh-error.ts'
import { NO_EDIT_PLANNING, parseFlags } from '../gh-flags.ts'
import { nameChange, noteKeptBranch, openGh, requireOwnPull, textOf, wantedPull } from '../open-gh.ts'

const BODY = { body: { short: 'b', value: true }, 'body-file': { short: 'F', value: true } } as const

export async function prReview(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, {
    ...BODY,
    approve: { short: 'a' },
    'request-changes': { short: 'r' },
    comment: { short: 'c' },
  })
  const states = [
    ...(args.has('approve') ? (['approved'] as const) : []),
    ...(args.has('request-changes') ? (['changes_requested'] as const) : []),
    ...(args.has('comment') ? (['commented'] as const) : []),
  ]
  if (states.length !== 1) throw new GhError('need exactly one of `--approve`, `--request-changes`, or `--comment`')
  const body = (await textOf(args, io)) ?? ''
  if (states[0] !== 'approved' && body.trim() === '') throw new GhError('body cannot be blank for this review')
  const gh = await openGh(io, args)
  const pull = await wantedPull(gh, args.positionals[0], io)
  const { number } = pull
  if (states[0] !== 'commented') requireOwnPull(io, pull, 'review')
  await reviewPull(gh.forge, number, { state: states[0]!, body, comments: [] })
  return 0
}

const NAME_FLAGS = {
  'add-assignee': { value: true },
  'add-label': { value: true },
  'add-reviewer': { value: true },
  'remove-assignee': { value: true },
  'remove-label': { value: true },
  'remove-reviewer': { value: true },
} as const
const EDIT_FLAGS = {
  ...BODY,
  ...NAME_FLAGS,
  ...NO_EDIT_PLANNING,
  title: { short: 't', value: true },
  base: { short: 'B', value: true },
} as const

export async function prEdit(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, EDIT_FLAGS)
  const [title, base, body] = [args.value('title'), args.value('base'), await textOf(args, io)]
  const change = {
    title,
    base,
    body,
    labels: nameChange(args, 'label', io),
    assignees: nameChange(args, 'assignee', io),
    reviewers: nameChange(args, 'reviewer', io),
  }
  if (Object.values(change).every((value) => value === undefined))
    throw new GhError('specify at least one field to edit, such as `--title`, `--body`, `--base` or `--add-label`')
  const gh = await openGh(io, args)
  const pull = await wantedPull(gh, args.positionals[0], io)
  requireOwnPull(io, pull, 'edit')
  await editPull(gh.forge, pull.number, change)
  io.print(pull.url)
  return 0
}

export async function prReady(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, { undo: {} })
  const gh = await openGh(io, args)
  const pull = await wantedPull(gh, args.positionals[0], io)
  const { number } = pull
  requireOwnPull(io, pull, 'edit')
  await editPull(gh.forge, number, { draft: args.has('undo') })
  io.note(`✓ Pull request ${gh.repo}#${number} is marked as "${args.has('undo') ? 'draft' : 'ready for review'}"`)
  return 0
}

export async function prClose(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, { comment: { short: 'c', value: true }, 'delete-branch': { short: 'd' } })
  const gh = await openGh(io, args)
  const pull = await wantedPull(gh, args.positionals[0], io)
  const { number, title, state } = pull
  requireOwnPull(io, pull, 'close')
  if (state === 'closed') {
    io.note(`! Pull request ${gh.repo}#${number} (${title}) is already closed`)
    return 0
  }
  const comment = args.value('comment')
  if (comment !== undefined) await commentOnPull(gh.forge, number, { body: comment })
  await closePull(gh.forge, number)
  io.note(`✓ Closed pull request ${gh.repo}#${number} (${title})`)
  if (args.has('delete-branch')) noteKeptBranch(pull, io)
  return 0
}

export async function prReopen(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, { comment: { short: 'c', value: true } })
  const gh = await openGh(io, args)
  const pull = await wantedPull(gh, args.positionals[0], io)
  const { number, title } = pull
  requireOwnPull(io, pull, 'reopen')
  await reopenPull(gh.forge, number)
  const comment = args.value('comment')
  if (comment !== undefined) await commentOnPull(gh.forge, number, { body: comment })
  io.note(`✓ Reopened pull request ${gh.repo}#${number} (${title})`)
  return 0
}
