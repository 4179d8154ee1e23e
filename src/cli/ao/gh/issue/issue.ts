// `gh issue view|list|create|comment|close|reopen`, from the project's tracker.
import { requireAbility } from '../../../../manager/tracker-issues.ts'
import type { Issue, Tracker } from '../../../../slots/tracker.ts'
import type { Io } from '../../../io.ts'
import { toOneLine, toSafeLines } from '../../../print/plain-text.ts'
import { words } from '../../issue/issue-text.ts'
import { openPlace, type Place, trackerOf } from '../../pr/open-forge.ts'
import { GhError } from '../gh-error.ts'
import { parseFlags } from '../gh-flags.ts'
import { JSON_FLAGS, printJson, wantedFields } from '../output/gh-json.ts'
import { textOf } from '../open-gh.ts'

const BODY = { body: { short: 'b', value: true }, 'body-file': { short: 'F', value: true } } as const

const FIELDS: Record<string, (issue: Issue) => unknown> = {
  id: ({ id }) => `I_${id}`,
  number: ({ id }) => Number(id),
  title: ({ title }) => title,
  body: ({ description }) => description,
  url: ({ url }) => url,
  state: (issue) => wordOf(issue),
  stateReason: ({ state }) => ({ closed: 'COMPLETED', cancelled: 'NOT_PLANNED', open: '', in_progress: '' })[state],
  closed: (issue) => wordOf(issue) === 'CLOSED',
  author: ({ author = '' }) => ({ login: author }),
  labels: ({ labels }) => labels.map((name) => ({ id: '', name, description: '', color: '' })),
  assignees: ({ assignee }) => (assignee === undefined ? [] : [{ login: assignee }]),
  comments: ({ comments = [] }) =>
    comments.map(({ author, body, createdAt }) => ({ author: { login: author }, body, createdAt })),
  createdAt: ({ createdAt = '' }) => createdAt,
  updatedAt: ({ createdAt = '', comments = [] }) => comments.at(-1)?.createdAt ?? createdAt,
  closedAt: () => null,
  milestone: () => null,
  projectItems: () => [],
}
const FIELD_NAMES = Object.keys(FIELDS)

export async function issueView(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, { ...JSON_FLAGS, comments: { short: 'c' }, web: { short: 'w' } })
  const fields = wantedFields(args, FIELD_NAMES)
  const { tracker, project } = await open(io)
  const issue = await tracker.getIssue(requireId(args.words), project)
  if (fields !== null) {
    await printJson(pick(issue, fields), args.value('jq'), io)
    return 0
  }
  const comments = issue.comments ?? []
  if (args.has('comments')) {
    for (const { author, body } of comments) {
      io.print(`author:\t${author}\nassociation:\tmember\nedited:\tfalse\nstatus:\tnone\n--\n${toSafeLines(body)}\n--`)
    }
    return 0
  }
  const head = {
    title: toOneLine(issue.title),
    state: wordOf(issue),
    author: issue.author ?? '',
    labels: issue.labels.join(', '),
  }
  for (const [name, value] of Object.entries(head)) io.print(`${name}:\t${value}`)
  io.print(
    `comments:\t${comments.length}\nassignees:\t${issue.assignee ?? ''}\nprojects:\t\nmilestone:\t\nnumber:\t${issue.id}\n--`,
  )
  io.print(toSafeLines(issue.description))
  return 0
}

export async function issueList(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, {
    ...JSON_FLAGS,
    state: { short: 's', value: true },
    limit: { short: 'L', value: true },
    label: { short: 'l', value: true },
    assignee: { short: 'a', value: true },
    author: { short: 'A', value: true },
    search: { short: 'S', value: true },
    web: { short: 'w' },
  })
  const fields = wantedFields(args, FIELD_NAMES)
  const state = (['open', 'closed', 'all'] as const).find((one) => one === (args.value('state') ?? 'open'))
  if (!state)
    throw new GhError(
      `invalid argument "${args.value('state')}" for "-s, --state" flag: valid values are {open|closed|all}`,
    )
  const { tracker, project } = await open(io)
  const assignee = args.value('assignee')
  const filter = { state, limit: Number(args.value('limit') ?? 30) || 30, labels: words(args.values('label')) }
  const issues = await requireAbility(tracker, 'listIssues')({ ...filter, assignee }, project)
  if (fields !== null) {
    await printJson(
      issues.map((issue) => pick(issue, fields)),
      args.value('jq'),
      io,
    )
    return 0
  }
  for (const issue of issues) {
    io.print(
      [issue.id, wordOf(issue), toOneLine(issue.title), issue.labels.join(', '), FIELDS.updatedAt!(issue)].join('\t'),
    )
  }
  return 0
}

export async function issueCreate(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, {
    ...BODY,
    title: { short: 't', value: true },
    label: { short: 'l', value: true },
    assignee: { short: 'a', value: true },
    milestone: { short: 'm', value: true },
    project: { short: 'p', value: true },
    web: { short: 'w' },
  })
  const title = args.value('title')
  const description = await textOf(args, io)
  if (title === undefined || description === undefined) {
    throw new GhError('must provide `--title` and `--body` when not running interactively')
  }
  const { tracker, project, claim } = await open(io)
  claim()
  const issue = await requireAbility(tracker, 'createIssue')(
    { title, description, labels: words(args.values('label')) },
    project,
  )
  io.print(issue.url)
  return 0
}

export async function issueComment(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, BODY)
  const id = requireId(args.words)
  const comment = await textOf(args, io)
  if (comment === undefined) throw new GhError('flags required when not running interactively: `--body`, `--body-file`')
  const { tracker, project } = await open(io)
  await requireAbility(tracker, 'updateIssue')(id, { comment }, project)
  io.print(`${await tracker.issueUrl(id, project)}#issuecomment`)
  return 0
}

export async function issueClose(argv: readonly string[], io: Io): Promise<number> {
  return changeState(argv, io, { state: 'closed', done: 'Closed' })
}

export async function issueReopen(argv: readonly string[], io: Io): Promise<number> {
  return changeState(argv, io, { state: 'open', done: 'Reopened' })
}

async function changeState(
  argv: readonly string[],
  io: Io,
  { state, done }: { state: 'open' | 'closed'; done: string },
) {
  const args = parseFlags(argv, { comment: { short: 'c', value: true }, reason: { short: 'r', value: true } })
  const id = requireId(args.words)
  const comment = args.value('comment')
  const { tracker, project } = await open(io)
  await requireAbility(tracker, 'updateIssue')(id, { state, comment }, project)
  const { title, id: number } = await tracker.getIssue(id, project)
  io.note(`✓ ${done} issue projects/${project.id}#${number} (${title})`)
  return 0
}

async function open(io: Io): Promise<Place & { tracker: Tracker }> {
  const place = await openPlace(io)
  return { ...place, tracker: await trackerOf(place) }
}

function pick(issue: Issue, fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(fields.map((name) => [name, FIELDS[name]!(issue)]))
}

function wordOf({ state }: Issue): 'OPEN' | 'CLOSED' {
  return state === 'closed' || state === 'cancelled' ? 'CLOSED' : 'OPEN'
}

function requireId(given: readonly string[]): string {
  if (given[0] !== undefined) return given[0]
  throw new GhError('issue number or url is required')
}
