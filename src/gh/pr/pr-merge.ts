// `gh pr merge`: as on a protected branch, an agent merges only what was approved and passed its checks.

import type { Io } from '../../cli/io.ts'
import { observePull } from '../../forge/pulls/observe-pulls.ts'
import { GhError } from '../gh-error.ts'
import { parseFlags } from '../gh-flags.ts'
import { noteKeptBranch, openGh, textOf, wantedPull } from '../open-gh.ts'
import { mergeOwnPull } from './merge-own-pull.ts'

const FLAGS = {
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
  body: { short: 'b', value: true },
  'body-file': { short: 'F', value: true },
} as const

export async function prMerge(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, FLAGS)
  const methods = (['merge', 'squash', 'rebase'] as const).filter((one) => args.has(one))
  if (methods.length > 1) throw new GhError('only one of --merge, --rebase, or --squash can be enabled')
  const body = await textOf(args, io)
  const gh = await openGh(io, args)
  const pull = await wantedPull(gh, args.positionals[0], io)
  if ((await observePull(gh.forge, pull)).state === 'merged') {
    io.note(`! Pull request ${gh.repo}#${pull.number} was already merged`)
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
    io.note(`✓ Pull request ${gh.repo}#${pull.number} will be added to the merge queue for ${pull.base} when ready`)
    return 0
  }
  const { method = 'merge', warnings } = outcome
  for (const warning of warnings) io.note(`! ${warning}`)
  const how = { merge: 'Merged', squash: 'Squashed and merged', rebase: 'Rebased and merged' }[method]
  if (args.has('delete-branch')) noteKeptBranch(pull, io)
  io.note(`✓ ${how} pull request ${gh.repo}#${pull.number} (${pull.title})`)
  return 0
}
