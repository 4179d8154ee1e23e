// `gh pr status`.

import type { Io } from '../../cli/io.ts'
import { toOneLine } from '../../cli/print/plain-text.ts'
import { hasName } from '../../forge/pulls/name-list.ts'
import { observePulls, type PullView } from '../../forge/pulls/observe-pulls.ts'
import { localAuthor } from '../../inside/local-author.ts'
import { parseFlags } from '../gh-flags.ts'
import { currentBranch, openGh } from '../open-gh.ts'
import { JSON_FLAGS, printJson, wantedFields } from '../output/gh-json.ts'
import { PR_FIELDS, readFields } from './pr-fields.ts'

export async function prStatus(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, { ...JSON_FLAGS, 'conflict-status': { short: 'c' } }, { most: 0 })
  const fields = wantedFields(args, PR_FIELDS)
  const { forge, repo } = await openGh(io, args)
  const branch = await currentBranch(io)
  const views = await observePulls(forge, forge.pulls.list())
  const me = localAuthor(io.env)
  const current = views.findLast(({ pull }) => pull.head === branch) ?? null
  const open = views.filter(({ state }) => state === 'open')
  const own = open.filter(({ pull }) => pull.author === me)
  const requested = open.filter(({ pull }) => hasName(pull.reviewers, me))
  if (fields !== null) {
    const read = (view: PullView) => readFields(view, fields, forge)
    const [createdBy, needsReview] = await Promise.all([Promise.all(own.map(read)), Promise.all(requested.map(read))])
    await printJson({ currentBranch: current && (await read(current)), createdBy, needsReview }, args, io)
    return 0
  }
  const line = (view: PullView) =>
    `  #${view.pull.number}  ${toOneLine(view.pull.title)} [${view.pull.head}]\n  - ${describe(view, args.has('conflict-status'))}`
  io.print(`\nRelevant pull requests in ${repo}\n`)
  io.print(`Current branch\n${current ? line(current) : `  There is no pull request associated with [${branch}]`}\n`)
  io.print(`Created by you\n${own.map(line).join('\n') || '  You have no open pull requests'}\n`)
  io.print(
    `Requesting a code review from you\n${requested.map(line).join('\n') || '  You have no pull requests to review'}\n`,
  )
  return 0
}

function describe({ state, ci, checks, review, hasConflicts }: PullView, withConflicts: boolean): string {
  if (state !== 'open') return state === 'merged' ? 'Merged' : 'Closed'
  const failing = checks.filter(({ status }) => status === 'failed').length
  const labels = {
    passing: '✓ Checks passing',
    failing: `× ${failing}/${checks.length} checks failing`,
    pending: '- Checks pending',
    none: '- No checks',
  }
  const decision = {
    approved: '✓ Approved',
    changes_requested: '+ Changes requested',
    pending: '- Review required',
    none: '',
  }
  const conflicts = hasConflicts ? '× Merge conflicts' : hasConflicts === false ? '✓ No merge conflicts' : ''
  return [labels[ci], decision[review], withConflicts ? conflicts : ''].filter(Boolean).join(' ')
}
