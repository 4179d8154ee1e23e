// `gh pr list` and `gh pr status`.
import { observePulls, type PullView } from '../../../../forge/pulls/observe-pulls.ts'
import type { Io } from '../../../io.ts'
import { toOneLine } from '../../../print/plain-text.ts'
import { GhError } from '../gh-error.ts'
import { parseFlags } from '../gh-flags.ts'
import { JSON_FLAGS, printJson, wantedFields } from '../output/gh-json.ts'
import { currentBranch, openGh } from '../open-gh.ts'
import { PR_FIELDS, readFields } from './pr-fields.ts'

const FLAGS = {
  ...JSON_FLAGS,
  state: { short: 's', value: true },
  limit: { short: 'L', value: true },
  head: { short: 'H', value: true },
  base: { short: 'B', value: true },
  author: { short: 'A', value: true },
  assignee: { short: 'a', value: true },
  label: { short: 'l', value: true },
  search: { short: 'S', value: true },
  draft: { short: 'd' },
  app: { value: true },
  web: { short: 'w' },
} as const

export async function prList(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, FLAGS)
  const fields = wantedFields(args, PR_FIELDS)
  const state = args.value('state') ?? 'open'
  const limit = Number(args.value('limit') ?? 30)
  if (!['open', 'closed', 'merged', 'all'].includes(state)) {
    throw new GhError(`invalid argument "${state}" for "-s, --state" flag: valid values are {open|closed|merged|all}`)
  }
  if (!Number.isInteger(limit) || limit < 1) throw new GhError(`invalid value for --limit: ${args.value('limit')}`)
  const { forge } = await openGh(io)
  const author = args.value('author') === '@me' ? io.env.AO_SESSION : args.value('author')
  const wanted = forge.pulls
    .list()
    .filter(({ head }) => (args.value('head') ?? head) === head)
    .filter(({ base }) => (args.value('base') ?? base) === base)
    .filter((pull) => (author ?? pull.author) === pull.author)
    .filter(({ draft }) => !args.has('draft') || draft)
    .filter(() => args.values('label').length === 0 && args.values('assignee').length === 0)
    .filter((pull) => matches(`${pull.title}\n${pull.body}\n${pull.head}`, args.value('search')))
  const views = (await observePulls(forge, wanted.toReversed()))
    .filter((view) => state === 'all' || view.state === state || (state === 'closed' && view.state === 'merged'))
    .slice(0, limit)
  if (fields !== null) {
    await printJson(await Promise.all(views.map((view) => readFields(view, fields, forge))), args.value('jq'), io)
    return 0
  }
  for (const { pull, state: now } of views) {
    const word = pull.draft && now === 'open' ? 'DRAFT' : now.toUpperCase()
    io.print([pull.number, toOneLine(pull.title), pull.head, word, pull.createdAt].join('\t'))
  }
  return 0
}

export async function prStatus(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, { ...JSON_FLAGS, 'conflict-status': { short: 'c' } })
  const fields = wantedFields(args, PR_FIELDS)
  const { forge, repo } = await openGh(io)
  const branch = await currentBranch(io)
  const views = await observePulls(forge, forge.pulls.list())
  const current = views.findLast(({ pull }) => pull.head === branch) ?? null
  const own = views.filter(({ pull, state }) => state === 'open' && pull.author === (io.env.AO_SESSION ?? io.env.USER))
  if (fields !== null) {
    const read = (view: PullView) => readFields(view, fields, forge)
    const createdBy = await Promise.all(own.map(read))
    await printJson(
      { currentBranch: current && (await read(current)), createdBy, needsReview: [] },
      args.value('jq'),
      io,
    )
    return 0
  }
  const line = (view: PullView) =>
    `  #${view.pull.number}  ${toOneLine(view.pull.title)} [${view.pull.head}]\n  - ${describe(view)}`
  io.print(`\nRelevant pull requests in ${repo}\n`)
  io.print(`Current branch\n${current ? line(current) : `  There is no pull request associated with [${branch}]`}\n`)
  io.print(`Created by you\n${own.map(line).join('\n') || '  You have no open pull requests'}\n`)
  io.print('Requesting a code review from you\n  You have no pull requests to review\n')
  return 0
}

function describe({ state, ci, checks, review }: PullView): string {
  if (state !== 'open') return state === 'merged' ? 'Merged' : 'Closed'
  const failing = checks.filter(({ status }) => status === 'failed').length
  const words = {
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
  return [words[ci], decision[review]].filter(Boolean).join(' ')
}

/** Plain words; what GitHub's search language adds (`is:open`) is left out. */
function matches(text: string, search: string | undefined): boolean {
  const words = (search ?? '').split(/\s+/).filter((word) => word !== '' && !word.includes(':'))
  return words.every((word) => text.toLowerCase().includes(word.toLowerCase()))
}
