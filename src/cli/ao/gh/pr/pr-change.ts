// `gh pr comment|review|edit|ready|close|reopen`.
import { closePull, commentOnPull, editPull, reopenPull, reviewPull } from '../../../../forge/pulls/change-pull.ts'
import type { Io } from '../../../io.ts'
import { GhError } from '../gh-error.ts'
import { parseFlags } from '../gh-flags.ts'
import { openGh, requireOwnPull, textOf, wantedPull } from '../open-gh.ts'

const BODY = { body: { short: 'b', value: true }, 'body-file': { short: 'F', value: true } } as const

export async function prComment(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, {
    ...BODY,
    'edit-last': {},
    'create-if-none': {},
    editor: { short: 'e' },
    web: { short: 'w' },
  })
  const body = await textOf(args, io)
  if (body === undefined || body.trim() === '') {
    throw new GhError('flags required when not running interactively: `--body`, `--body-file`, `--editor`, or `--web`')
  }
  const gh = await openGh(io)
  const { number, url } = await wantedPull(gh, args.words[0], io)
  const pull = await commentOnPull(gh.forge, number, { body })
  io.print(`${url}#issuecomment-${pull.comments.at(-1)!.id}`)
  return 0
}

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
  const gh = await openGh(io)
  const pull = await wantedPull(gh, args.words[0], io)
  const { number } = pull
  if (states[0] !== 'commented') requireOwnPull(io, pull, 'review')
  await reviewPull(gh.forge, number, { state: states[0]!, body, comments: [] })
  return 0
}

const IGNORED_EDITS = {
  'add-assignee': { value: true },
  'add-label': { value: true },
  'add-project': { value: true },
  'add-reviewer': { value: true },
  'remove-assignee': { value: true },
  'remove-label': { value: true },
  'remove-project': { value: true },
  'remove-reviewer': { value: true },
  milestone: { short: 'm', value: true },
} as const

export async function prEdit(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, {
    ...BODY,
    ...IGNORED_EDITS,
    title: { short: 't', value: true },
    base: { short: 'B', value: true },
  })
  const [title, base, body] = [args.value('title'), args.value('base'), await textOf(args, io)]
  const gh = await openGh(io)
  const pull = await wantedPull(gh, args.words[0], io)
  const { number, url } = pull
  requireOwnPull(io, pull, 'edit')
  const change = {
    title,
    base,
    body,
  }
  if (Object.values(change).some((value) => value !== undefined)) await editPull(gh.forge, number, change)
  io.print(url)
  return 0
}

export async function prReady(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, { undo: {} })
  const gh = await openGh(io)
  const pull = await wantedPull(gh, args.words[0], io)
  const { number } = pull
  requireOwnPull(io, pull, 'edit')
  await editPull(gh.forge, number, { draft: args.has('undo') })
  io.note(`✓ Pull request ${gh.repo}#${number} is marked as "${args.has('undo') ? 'draft' : 'ready for review'}"`)
  return 0
}

export async function prClose(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, { comment: { short: 'c', value: true }, 'delete-branch': { short: 'd' } })
  const gh = await openGh(io)
  const pull = await wantedPull(gh, args.words[0], io)
  const { number, title, state } = pull
  requireOwnPull(io, pull, 'close')
  if (state === 'closed') {
    io.note(`! Pull request ${gh.repo}#${number} (${title}) is already closed`)
    return 0
  }
  const said = args.value('comment')
  if (said !== undefined) await commentOnPull(gh.forge, number, { body: said })
  await closePull(gh.forge, number)
  io.note(`✓ Closed pull request ${gh.repo}#${number} (${title})`)
  return 0
}

export async function prReopen(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, { comment: { short: 'c', value: true } })
  const gh = await openGh(io)
  const pull = await wantedPull(gh, args.words[0], io)
  const { number, title } = pull
  requireOwnPull(io, pull, 'reopen')
  await reopenPull(gh.forge, number)
  io.note(`✓ Reopened pull request ${gh.repo}#${number} (${title})`)
  return 0
}
