// `gh pr review|edit|ready|close|reopen|comment|merge`.

import type { Io } from '../../cli/print/io.ts'
import { commentOnPull, editComment } from '../../forge/pulls/change-pull.ts'
import { localAuthor } from '../../inside/local-author.ts'
import { GhError } from '../gh-error.ts'
import { NO_EDIT_PLANNING, NO_EDITOR, NO_WEB, parseFlags } from '../gh-flags.ts'
import { numericId } from '../ids.ts'
import { nameChange, noteKeptBranch, openGh, requireOwnPull, textOf, wantedPull } from '../open-gh.ts'
import { changeOwnPull, mergeOwnPull, reviewOwnPull } from './own-pull.ts'

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
  await reviewOwnPull(gh, pull, { state: states[0]!, body, comments: [] }, io)
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
  await changeOwnPull(gh, pull, change, io)
  io.print(pull.pr.url)
  return 0
}

export async function prReady(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, { undo: {} })
  const gh = await openGh(io, args)
  const pull = await wantedPull(gh, args.positionals[0], io)
  await changeOwnPull(gh, pull, { draft: args.has('undo') }, io)
  io.note(
    `✓ Pull request ${gh.repo}#${pull.pr.number} is marked as "${args.has('undo') ? 'draft' : 'ready for review'}"`,
  )
  return 0
}

export async function prClose(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, { comment: { short: 'c', value: true }, 'delete-branch': { short: 'd' } })
  const gh = await openGh(io, args)
  const pull = await wantedPull(gh, args.positionals[0], io)
  const { number, title } = pull.pr
  requireOwnPull(io, pull, 'close')
  if (pull.state === 'closed') {
    io.note(`! Pull request ${gh.repo}#${number} (${title}) is already closed`)
    return 0
  }
  const comment = args.value('comment')
  if (comment !== undefined) await commentOnPull(gh.forge, number, { body: comment })
  await changeOwnPull(gh, pull, { state: 'closed' }, io)
  io.note(`✓ Closed pull request ${gh.repo}#${number} (${title})`)
  if (args.has('delete-branch')) noteKeptBranch(pull, io)
  return 0
}

export async function prReopen(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, { comment: { short: 'c', value: true } })
  const gh = await openGh(io, args)
  const pull = await wantedPull(gh, args.positionals[0], io)
  const { number, title } = pull.pr
  await changeOwnPull(gh, pull, { state: 'open' }, io)
  const comment = args.value('comment')
  if (comment !== undefined) await commentOnPull(gh.forge, number, { body: comment })
  io.note(`✓ Reopened pull request ${gh.repo}#${number} (${title})`)
  return 0
}

const COMMENT_FLAGS = {
  ...NO_WEB,
  ...NO_EDITOR,
  ...BODY,
  'edit-last': {},
  'create-if-none': {},
} as const

export async function prComment(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, COMMENT_FLAGS)
  const body = await textOf(args, io)
  if (args.has('create-if-none') && !args.has('edit-last'))
    throw new GhError('`--create-if-none` can only be used with `--edit-last`')
  if (body === undefined || body.trim() === '') {
    throw new GhError('flags required when not running interactively: `--body`, `--body-file`, `--editor`, or `--web`')
  }
  const gh = await openGh(io, args)
  const { pr, comments } = await wantedPull(gh, args.positionals[0], io)
  const me = localAuthor(io.env)
  const last = comments.findLast(({ author, path }) => author.login === me && path === undefined)
  if (args.has('edit-last') && !last && !args.has('create-if-none'))
    throw new GhError('no comments found for current user')
  const edited = args.has('edit-last') ? last : undefined
  const after = edited
    ? await editComment(gh.forge, pr.number, { commentId: edited.id, body })
    : await commentOnPull(gh.forge, pr.number, { body })
  io.print(`${pr.url}#issuecomment-${numericId(edited?.id ?? after.comments.at(-1)!.id)}`)
  return 0
}

const MERGE_FLAGS = {
  merge: { short: 'm' },
  squash: { short: 's' },
  rebase: { short: 'r' },
  admin: {},
  // Merges immediately if possible; otherwise the reason is reported.
  auto: {},
  'disable-auto': { refused: 'there is no auto-merge to disable' },
  'delete-branch': { short: 'd' },
  'match-head-commit': { value: true },
  'author-email': { short: 'A', value: true, refused: "the commit has the identity of git's configuration" },
  subject: { short: 't', value: true },
  ...BODY,
} as const

export async function prMerge(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, MERGE_FLAGS)
  const methods = (['merge', 'squash', 'rebase'] as const).filter((one) => args.has(one))
  if (methods.length > 1) throw new GhError('only one of --merge, --rebase, or --squash can be enabled')
  const body = await textOf(args, io)
  const gh = await openGh(io, args)
  const pull = await wantedPull(gh, args.positionals[0], io)
  const { number, title, baseBranch } = pull.pr
  if (pull.state === 'merged') {
    io.note(`! Pull request ${gh.repo}#${number} was already merged`)
    return 0
  }
  const outcome = await mergeOwnPull(
    gh,
    pull,
    {
      expected: args.value('match-head-commit'),
      method: methods[0],
      subject: args.value('subject'),
      body,
      force: args.has('admin'),
    },
    io,
  )
  if (outcome.boarded) {
    io.note(`✓ Pull request ${gh.repo}#${number} will be added to the merge queue for ${baseBranch} when ready`)
    return 0
  }
  const { method = 'merge', warnings } = outcome
  for (const warning of warnings) io.note(`! ${warning}`)
  const how = { merge: 'Merged', squash: 'Squashed and merged', rebase: 'Rebased and merged' }[method]
  if (args.has('delete-branch')) noteKeptBranch(pull, io)
  io.note(`✓ ${how} pull request ${gh.repo}#${number} (${title})`)
  return 0
}
