// `gh pr list|status|view|diff|checks`.
import { renderDiff } from '../../cli/print/diff.ts'
import type { Io } from '../../cli/print/io.ts'
import { toOneLine, toSafeLines } from '../../cli/print/plain-text.ts'
import { createStyle } from '../../cli/print/style.ts'
import type { Pull } from '../../contract/pull.ts'
import { finishChecks } from '../../forge/finish-checks.ts'
import { diffPull, patchPull } from '../../forge/pulls/diff-pull.ts'
import { hasName } from '../../forge/pulls/name-list.ts'
import { localAuthor } from '../../inside/local-author.ts'
import { CHECK_JSON, PULL_JSON } from '../describe/json-tables.ts'
import { type Node, readField, tabulate } from '../describe/node.ts'
import { describePull } from '../describe/pull.ts'
import { GhError } from '../gh-error.ts'
import { NO_WEB, oneOf, parseFlags, positiveNumber } from '../gh-flags.ts'
import { JSON_FLAGS, printJson, wantedFields } from '../gh-json.ts'
import {
  currentBranch,
  type Gh,
  namesOf,
  observe,
  observeAll,
  openGh,
  readPull,
  recordOf,
  wantedPull,
} from '../open-gh.ts'
import { createSearch, type Searched } from '../search.ts'

const LIST_FLAGS = {
  ...JSON_FLAGS,
  ...NO_WEB,
  state: { short: 's', value: true },
  limit: { short: 'L', value: true },
  head: { short: 'H', value: true },
  base: { short: 'B', value: true },
  author: { short: 'A', value: true },
  assignee: { short: 'a', value: true },
  label: { short: 'l', value: true },
  search: { short: 'S', value: true },
  draft: { short: 'd' },
  app: { value: true, refused: 'no GitHub app works here' },
} as const

const LIST_STATES = ['open', 'closed', 'merged', 'all'] as const

export async function prList(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, LIST_FLAGS, { most: 0 })
  const fields = wantedFields(args, PULL_JSON)
  const state = oneOf(args.value('state') ?? 'open', LIST_STATES, '-s, --state')
  const limit = positiveNumber(args.value('limit'), 30, '--limit')
  const matches = createSearch(args.value('search'), localAuthor(io.env))
  const gh = await openGh(io, args)
  const [author] = namesOf(args.values('author').slice(-1), io)
  const assignees = namesOf(args.values('assignee').slice(-1), io)
  const wanted = gh.forge.pulls
    .list()
    .filter(({ head }) => (args.value('head')?.replace(/^[^/:]+:/, '') ?? head) === head)
    .filter(({ base }) => (args.value('base') ?? base) === base)
    .filter((pull) => (author ?? pull.author) === pull.author)
    .filter(({ draft }) => !args.has('draft') || draft)
    .filter(({ labels }) => namesOf(args.values('label'), io).every((label) => hasName(labels, label)))
    .filter((pull) => assignees.every((login) => hasName(pull.assignees, login)))
  const pulls = (await observe(gh, wanted.toReversed()))
    .filter((pull) => state === 'all' || pull.state === state || (state === 'closed' && pull.state === 'merged'))
    .filter((pull) => matches(searched(pull)))
    .slice(0, limit)
  if (fields !== null) {
    await printJson(await Promise.all(pulls.map((pull) => read(gh, pull, fields))), args, io)
    return 0
  }
  for (const pull of pulls) {
    const { number, title, branch } = pull.pr
    io.print([number, toOneLine(title ?? ''), branch, stateWord(pull), pull.createdAt].join('\t'))
  }
  return 0
}

function read(gh: Gh, pull: Pull, fields: readonly string[]): Promise<Node> {
  return tabulate(describePull(gh, pull), PULL_JSON, gh, fields)
}

function stateWord({ pr, state }: Pull): string {
  return pr.isDraft && state === 'open' ? 'DRAFT' : state.toUpperCase()
}

function searched({ pr, state, body, author, labels = [], assignees = [], reviewers = [] }: Pull): Searched {
  const { title, branch: head = '', baseBranch: base = '', isDraft = false } = pr
  const text = `${title}\n${body}\n${head}`
  return { kind: 'pr', text, state, isDraft, author: author ?? '', labels, assignees, reviewers, head, base }
}

export async function prStatus(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, { ...JSON_FLAGS, 'conflict-status': { short: 'c' } }, { most: 0 })
  const fields = wantedFields(args, PULL_JSON)
  const gh = await openGh(io, args)
  const branch = await currentBranch(io)
  const pulls = await observeAll(gh)
  const me = localAuthor(io.env)
  const current = pulls.findLast(({ pr }) => pr.branch === branch) ?? null
  const open = pulls.filter(({ state }) => state === 'open')
  const own = open.filter(({ author }) => author === me)
  const requested = open.filter(({ reviewers = [] }) => hasName(reviewers, me))
  if (fields !== null) {
    const all = (some: Pull[]) => Promise.all(some.map((pull) => read(gh, pull, fields)))
    const [[currentOne = null], createdBy, needsReview] = (await Promise.all(
      [current === null ? [] : [current], own, requested].map(all),
    )) as [Node[], Node[], Node[]]
    await printJson({ currentBranch: currentOne, createdBy, needsReview }, args, io)
    return 0
  }
  const line = (pull: Pull) =>
    `  #${pull.pr.number}  ${toOneLine(pull.pr.title ?? '')} [${pull.pr.branch}]\n  - ${standing(pull, args.has('conflict-status'))}`
  io.print(`\nRelevant pull requests in ${gh.repo}\n`)
  io.print(`Current branch\n${current ? line(current) : `  There is no pull request associated with [${branch}]`}\n`)
  io.print(`Created by you\n${own.map(line).join('\n') || '  You have no open pull requests'}\n`)
  io.print(
    `Requesting a code review from you\n${requested.map(line).join('\n') || '  You have no pull requests to review'}\n`,
  )
  return 0
}

function standing({ state, ci, checks, review, hasConflicts }: Pull, withConflicts: boolean): string {
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

export async function prView(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, { ...JSON_FLAGS, comments: { short: 'c' }, ...NO_WEB })
  const fields = wantedFields(args, PULL_JSON)
  const gh = await openGh(io, args)
  const pull = await wantedPull(gh, args.positionals[0], io)
  if (fields !== null) {
    await printJson(await read(gh, pull, fields), args, io)
    return 0
  }
  const lines = args.has('comments') ? commentLines(pull) : await viewLines(gh, pull)
  for (const line of lines) io.print(line)
  return 0
}

async function viewLines(gh: Gh, pull: Pull): Promise<string[]> {
  const { pr, author, labels = [], assignees = [], reviewers = [] } = pull
  const decision = pull.reviews.map((one) => `${one.author.login} (${one.state.replace('_', ' ')})`)
  const requested = reviewers.map((login) => `${login} (Requested)`)
  const node = describePull(gh, pull)
  return [
    `title:\t${toOneLine(pr.title ?? '')}`,
    `state:\t${stateWord(pull)}`,
    `author:\t${author}`,
    `labels:\t${toOneLine(labels.join(', '))}`,
    `assignees:\t${toOneLine(assignees.join(', '))}`,
    `reviewers:\t${toOneLine([...decision, ...requested].join(', '))}`,
    'projects:\t',
    'milestone:\t',
    `number:\t${pr.number}`,
    `url:\t${pr.url}`,
    `additions:\t${await readField(node, 'additions')}`,
    `deletions:\t${await readField(node, 'deletions')}`,
    'auto-merge:\tdisabled',
    '--',
    toSafeLines(pull.body ?? ''),
  ]
}

/** Including comments on lines: gh leaves them out, but an agent that must answer a review needs them. */
function commentLines({ reviews, comments }: Pull): string[] {
  const entries = [
    ...reviews.map((one) => ({ ...one, at: one.submittedAt, status: one.state.replace('_', ' ') })),
    ...comments.map((one) => ({ ...one, at: one.createdAt, status: 'none' })),
  ].sort((a, b) => a.at.localeCompare(b.at))
  return entries.flatMap((one) => {
    const where = 'path' in one && one.path !== undefined ? [`file:\t${one.path}:${one.line ?? ''}`] : []
    return [
      `author:\t${one.author.login}`,
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

export async function prDiff(argv: readonly string[], io: Io): Promise<number> {
  const flags = { 'name-only': {}, patch: {}, color: { value: true }, ...NO_WEB } as const
  const args = parseFlags(argv, flags)
  const color = oneOf(args.value('color') ?? 'auto', ['always', 'never', 'auto'], '--color')
  const gh = await openGh(io, args)
  const record = recordOf(gh, (await wantedPull(gh, args.positionals[0], io)).pr.number)
  if (args.has('patch')) {
    io.write(await patchPull(gh.forge, record))
    return 0
  }
  const diff = await diffPull(gh.forge, record, args.has('name-only') ? ['--name-only'] : [])
  io.write(renderDiff(diff, createStyle(color === 'always' || (color === 'auto' && io.isTerminal))))
  return 0
}

/** Exit code 1 when one failed, 8 while one is pending. */
export async function prChecks(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, {
    ...JSON_FLAGS,
    watch: {},
    // They configure waiting and counting; all checks run in one go, and all are required.
    'fail-fast': {},
    required: {},
    interval: { short: 'i', value: true },
    ...NO_WEB,
  })
  const fields = wantedFields(args, CHECK_JSON)
  const gh = await openGh(io, args)
  const pull = await wantedPull(gh, args.positionals[0], io)
  const { number, branch } = pull.pr
  if (gh.forge.options.ci.length === 0) throw new GhError(`no checks reported on the '${branch}' branch`)
  // Nothing else may be running the checks, and waiting would never end: so they are run here.
  if (args.has('watch')) await finishChecks(gh.forge, number)
  const node = describePull(gh, (await readPull(gh, number)) ?? pull)
  const checks = (await readField(node, 'checkRuns')) as Node[]
  if (fields !== null) {
    await printJson(await Promise.all(checks.map((check) => tabulate(check, CHECK_JSON, gh, fields))), args, io)
    return 0
  }
  for (const check of checks) io.print([check.name, check.bucket, elapsed(check), check.url, ''].join('\t'))
  const failed = checks.filter(({ bucket }) => bucket === 'fail')
  for (const { name } of failed) io.note(`The log of ${name}: ao pr checks ${number} --log ${JSON.stringify(name)}`)
  if (failed.length > 0) return 1
  return checks.some(({ bucket }) => bucket === 'pending') ? 8 : 0
}

function elapsed({ startedAt, completedAt }: Node): string {
  const seconds = completedAt ? Math.round((Date.parse(String(completedAt)) - Date.parse(String(startedAt))) / 1000) : 0
  if (seconds < 60) return seconds === 0 ? '0' : `${seconds}s`
  return `${Math.floor(seconds / 60)}m${seconds % 60}s`
}
