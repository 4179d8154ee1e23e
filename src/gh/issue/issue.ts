// `gh issue view|list`, from the project's tracker.

import type { Io } from '../../cli/print/io.ts'
import { toOneLine, toSafeLines } from '../../cli/print/plain-text.ts'
import { hasName } from '../../forge/pulls/name-list.ts'
import { localAuthor } from '../../inside/local-author.ts'
import { requireAbility } from '../../manager/tracker-issues.ts'
import type { Issue } from '../../slots/tracker.ts'
import { assigneesOf, describeIssue, isOver, lastChange } from '../describe/issue.ts'
import { ISSUE_JSON } from '../describe/json-tables.ts'
import { type Node, tabulate } from '../describe/node.ts'
import { NO_PLANNING, NO_WEB, oneOf, parseFlags, positiveNumber } from '../gh-flags.ts'
import { JSON_FLAGS, printJson, wantedFields } from '../gh-json.ts'
import { namesOf } from '../open-gh.ts'
import { createSearch, type Searched } from '../search.ts'
import { openIssues, requireIssueId } from './open-issues.ts'

const LIST_FLAGS = {
  ...JSON_FLAGS,
  ...NO_WEB,
  state: { short: 's', value: true },
  limit: { short: 'L', value: true },
  label: { short: 'l', value: true },
  assignee: { short: 'a', value: true },
  author: { short: 'A', value: true },
  search: { short: 'S', value: true },
  milestone: NO_PLANNING.milestone,
  mention: { value: true, refused: 'mentions are not kept; use --search' },
  app: { value: true, refused: 'no GitHub app works here' },
} as const
/** All of them, then filtered here: no tracker supports all of gh's filters. */
const MOST_READ = 1_000

export async function issueView(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, { ...JSON_FLAGS, ...NO_WEB, comments: { short: 'c' } })
  const fields = wantedFields(args, ISSUE_JSON)
  const { tracker, project } = await openIssues(io, args)
  const issue = await tracker.getIssue(requireIssueId(args.positionals), project)
  if (fields !== null) {
    await printJson(await read(issue, fields), args, io)
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
    title: issue.title,
    state: stateOf(issue),
    author: issue.author ?? '',
    labels: issue.labels.join(', '),
    comments: String(comments.length),
    assignees: assigneesOf(issue).join(', '),
    projects: '',
    milestone: '',
    number: issue.id,
  }
  for (const [name, value] of Object.entries(head)) io.print(`${name}:\t${toOneLine(value)}`)
  io.print(`--\n${toSafeLines(issue.description)}`)
  return 0
}

export async function issueList(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, LIST_FLAGS, { most: 0 })
  const fields = wantedFields(args, ISSUE_JSON)
  const state = oneOf(args.value('state') ?? 'open', ['open', 'closed', 'all'], '-s, --state')
  const limit = positiveNumber(args.value('limit'), 30, '--limit')
  const matches = createSearch(args.value('search'), localAuthor(io.env))
  const { tracker, project } = await openIssues(io, args)
  const [author] = namesOf(args.values('author').slice(-1), io)
  const [assignee] = namesOf(args.values('assignee').slice(-1), io)
  const labels = namesOf(args.values('label'), io)
  const issues = (await requireAbility(tracker, 'listIssues')({ state, limit: MOST_READ }, project))
    .filter((issue) => labels.every((label) => hasName(issue.labels, label)))
    .filter((issue) => author === undefined || issue.author === author)
    .filter((issue) => assignee === undefined || hasName(assigneesOf(issue), assignee))
    .filter((issue) => matches(searched(issue)))
    .slice(0, limit)
  if (fields !== null) {
    await printJson(await Promise.all(issues.map((issue) => read(issue, fields))), args, io)
    return 0
  }
  for (const issue of issues) {
    const labelled = toOneLine(issue.labels.join(', '))
    io.print([issue.id, stateOf(issue), toOneLine(issue.title), labelled, lastChange(issue)].join('\t'))
  }
  return 0
}

function searched(issue: Issue): Searched {
  const { title, description, author = '', labels } = issue
  const state = isOver(issue) ? 'closed' : 'open'
  const names = { author, labels, assignees: assigneesOf(issue), reviewers: [] }
  return { kind: 'issue', text: `${title}\n${description}`, state, isDraft: false, ...names, head: '', base: '' }
}

function read(issue: Issue, fields: readonly string[]): Promise<Node> {
  return tabulate(describeIssue(null, issue), ISSUE_JSON, null, fields)
}

function stateOf(issue: Issue): 'OPEN' | 'CLOSED' {
  return isOver(issue) ? 'CLOSED' : 'OPEN'
}
