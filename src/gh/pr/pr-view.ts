// `gh pr view` and `gh pr diff`.

import type { Io } from '../../cli/io.ts'
import { renderDiff } from '../../cli/print/diff.ts'
import { toOneLine, toSafeLines } from '../../cli/print/plain-text.ts'
import { createStyle } from '../../cli/print/style.ts'
import { diffPull, patchPull } from '../../forge/pulls/diff-pull.ts'
import { observePull, type PullView } from '../../forge/pulls/observe-pulls.ts'
import { NO_WEB, oneOf, parseFlags } from '../gh-flags.ts'
import { openGh, wantedPull } from '../open-gh.ts'
import { JSON_FLAGS, printJson, wantedFields } from '../output/gh-json.ts'
import { PR_FIELDS, readFields } from './pr-fields.ts'

export async function prView(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, { ...JSON_FLAGS, comments: { short: 'c' }, ...NO_WEB })
  const fields = wantedFields(args, PR_FIELDS)
  const gh = await openGh(io, args)
  const view = await observePull(gh.forge, await wantedPull(gh, args.positionals[0], io))
  if (fields !== null) {
    await printJson(await readFields(view, fields, gh.forge), args, io)
    return 0
  }
  if (args.has('comments')) {
    for (const line of commentLines(view)) io.print(line)
    return 0
  }
  const { additions, deletions } = await readFields(view, ['additions', 'deletions'], gh.forge)
  for (const line of viewLines(view, additions, deletions)) io.print(line)
  return 0
}

export async function prDiff(argv: readonly string[], io: Io): Promise<number> {
  const flags = { 'name-only': {}, patch: {}, color: { value: true }, ...NO_WEB } as const
  const args = parseFlags(argv, flags)
  const color = oneOf(args.value('color') ?? 'auto', ['always', 'never', 'auto'], '--color')
  const gh = await openGh(io, args)
  const pull = await wantedPull(gh, args.positionals[0], io)
  if (args.has('patch')) {
    io.write(await patchPull(gh.forge, pull))
    return 0
  }
  const diff = await diffPull(gh.forge, pull, args.has('name-only') ? ['--name-only'] : [])
  io.write(renderDiff(diff, createStyle(color === 'always' || (color === 'auto' && io.isTerminal))))
  return 0
}

function viewLines({ pull, state }: PullView, additions: unknown, deletions: unknown): string[] {
  const decision = pull.reviews.map(({ author, state: word }) => `${author} (${word.replace('_', ' ')})`)
  const requested = pull.reviewers.map((login) => `${login} (Requested)`)
  return [
    `title:\t${toOneLine(pull.title)}`,
    `state:\t${pull.draft && state === 'open' ? 'DRAFT' : state.toUpperCase()}`,
    `author:\t${pull.author}`,
    `labels:\t${toOneLine(pull.labels.join(', '))}`,
    `assignees:\t${toOneLine(pull.assignees.join(', '))}`,
    `reviewers:\t${toOneLine([...decision, ...requested].join(', '))}`,
    'projects:\t',
    'milestone:\t',
    `number:\t${pull.number}`,
    `url:\t${pull.url}`,
    `additions:\t${additions}`,
    `deletions:\t${deletions}`,
    'auto-merge:\tdisabled',
    '--',
    toSafeLines(pull.body),
  ]
}

/** Including comments on lines: gh leaves them out, but an agent that must answer a review needs them. */
function commentLines({ pull }: PullView): string[] {
  const entries = [
    ...pull.reviews.map((one) => ({ ...one, at: one.submittedAt, status: one.state.replace('_', ' ') })),
    ...pull.comments.map((one) => ({ ...one, at: one.createdAt, status: 'none' })),
  ].sort((a, b) => a.at.localeCompare(b.at))
  return entries.flatMap((one) => {
    const where = 'path' in one && one.path !== undefined ? [`file:\t${one.path}:${one.line ?? ''}`] : []
    return [
      `author:\t${one.author}`,
      'association:\tmember',
      'edited:\tfalse',
      `status:\t${one.status}`,
      ...where,
      '--',
      toSafeLines(one.body),
      '--',
    ]
  })
}
