// `gh pr create`: a pull request of the local forge for the branch that is checked out here.

import type { Io } from '../../cli/print/io.ts'
import { fillPull } from '../../core/forge/fill-pull.ts'
import { commitsBetween } from '../../forge/pulls/list-commits.ts'
import type { ListedCommit } from '../../git/diff/commit-log.ts'
import { runGit } from '../../git/git.ts'
import { GhError } from '../gh-error.ts'
import { type GhArguments, NO_EDITOR, NO_PLANNING, NO_WEB, parseFlags } from '../gh-flags.ts'
import { currentBranch, type Gh, namesOf, openGh, textOf } from '../open-gh.ts'
import { bringBranch, openOwnPull } from './own-pull.ts'

const FLAGS = {
  title: { short: 't', value: true },
  body: { short: 'b', value: true },
  'body-file': { short: 'F', value: true },
  base: { short: 'B', value: true },
  head: { short: 'H', value: true },
  draft: { short: 'd' },
  fill: { short: 'f' },
  'fill-first': {},
  'fill-verbose': {},
  'dry-run': {},
  // Only the session pushes to its branch, so this holds anyway.
  'no-maintainer-edit': {},
  assignee: { short: 'a', value: true },
  label: { short: 'l', value: true },
  reviewer: { short: 'r', value: true },
  template: { short: 'T', value: true, refused: 'give the text with --body or --body-file' },
  recover: { value: true, refused: 'nothing is kept of a failed run' },
  ...NO_PLANNING,
  ...NO_EDITOR,
  ...NO_WEB,
} as const

export async function prCreate(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, FLAGS, { most: 0 })
  const gh = await openGh(io, args)
  const head = args.value('head')?.replace(/^[^/:]+:/, '') ?? (await currentBranch(io))
  // The agent's own word, as --base would be: what it may open is decided below.
  const base = args.value('base') ?? (io.env.AO_BASE_BRANCH || gh.project.defaultBranch)
  await bringBranch(gh, head, io)
  const { title, body } = await describeWork(gh, args, { head, base, io })
  await warnAboutChanges(io)
  const names = {
    labels: namesOf(args.values('label'), io),
    assignees: namesOf(args.values('assignee'), io),
    reviewers: namesOf(args.values('reviewer'), io),
  }
  if (args.has('dry-run')) {
    const lists = Object.entries(names).flatMap(([name, given]) =>
      given.length > 0 ? [`${name}:\t${given.join(', ')}\n`] : [],
    )
    io.print(
      `Would have created a Pull Request with:\ntitle:\t${title}\ndraft:\t${args.has('draft')}\nbase:\t${base}\nhead:\t${head}\n${lists.join('')}body:\n${body}`,
    )
    return 0
  }
  const { pull, created } = await openOwnPull(gh, { title, body, head, base, draft: args.has('draft'), ...names }, io)
  if (!created)
    throw new GhError(`a pull request for branch "${head}" into branch "${pull.base}" already exists:\n${pull.url}`)
  io.print(pull.url)
  return 0
}

interface Work {
  head: string
  base: string
  io: Io
}

async function describeWork(gh: Gh, args: GhArguments<typeof FLAGS>, { head, base, io }: Work) {
  const title = args.value('title')
  const body = await textOf(args, io)
  const fills = (['fill', 'fill-first', 'fill-verbose'] as const).filter((name) => args.has(name))
  if (title !== undefined && fills.length === 0) return { title, body: body ?? '' }
  if (fills.length === 0) {
    throw new GhError(
      'must provide `--title` and `--body` (or `--fill` or `fill-first` or `--fillverbose`) when not running interactively',
    )
  }
  const commits = await commitsBetween(gh.forge, `refs/heads/${base}`, `refs/heads/${head}`)
  const filled = fillFrom(commits, head, fills[0]!)
  return { title: title ?? filled.title, body: body ?? filled.body }
}

export function fillFrom(commits: readonly ListedCommit[], head: string, how: 'fill' | 'fill-first' | 'fill-verbose') {
  const filled = fillPull(commits, head, how)
  if (filled !== null) return filled
  throw new GhError(`could not compute title or body defaults: there are no commits on ${head} yet`)
}

async function warnAboutChanges(io: Io): Promise<void> {
  const changed = (await runGit(io.cwd, ['status', '--porcelain'], { env: io.env, read: true }))
    .split('\n')
    .filter(Boolean)
  if (changed.length > 0)
    io.note(`Warning: ${changed.length} uncommitted ${changed.length === 1 ? 'change' : 'changes'}`)
}
