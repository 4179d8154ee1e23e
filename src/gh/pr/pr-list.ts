// `gh pr list`.

import type { Io } from '../../cli/io.ts'
import { toOneLine } from '../../cli/print/plain-text.ts'
import { hasName } from '../../forge/pulls/name-list.ts'
import { observePulls, type PullView } from '../../forge/pulls/observe-pulls.ts'
import { localAuthor } from '../../inside/local-author.ts'
import { NO_WEB, oneOf, parseFlags, positiveNumber } from '../gh-flags.ts'
import { namesOf, openGh } from '../open-gh.ts'
import { JSON_FLAGS, printJson, wantedFields } from '../output/gh-json.ts'
import { createSearch, type Searched } from '../search.ts'
import { PR_FIELDS, readFields } from './pr-fields.ts'

const FLAGS = {
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

const STATES = ['open', 'closed', 'merged', 'all'] as const

export async function prList(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, FLAGS, { most: 0 })
  const fields = wantedFields(args, PR_FIELDS)
  const state = oneOf(args.value('state') ?? 'open', STATES, '-s, --state')
  const limit = positiveNumber(args.value('limit'), 30, '--limit')
  const matches = createSearch(args.value('search'), localAuthor(io.env))
  const { forge } = await openGh(io, args)
  const [author] = namesOf(args.values('author').slice(-1), io)
  const assignees = namesOf(args.values('assignee').slice(-1), io)
  const wanted = forge.pulls
    .list()
    .filter(({ head }) => (args.value('head')?.replace(/^[^/:]+:/, '') ?? head) === head)
    .filter(({ base }) => (args.value('base') ?? base) === base)
    .filter((pull) => (author ?? pull.author) === pull.author)
    .filter(({ draft }) => !args.has('draft') || draft)
    .filter(({ labels }) => namesOf(args.values('label'), io).every((label) => hasName(labels, label)))
    .filter((pull) => assignees.every((login) => hasName(pull.assignees, login)))
  const views = (await observePulls(forge, wanted.toReversed()))
    .filter((view) => state === 'all' || view.state === state || (state === 'closed' && view.state === 'merged'))
    .filter((view) => matches(searched(view)))
    .slice(0, limit)
  if (fields !== null) {
    await printJson(await Promise.all(views.map((view) => readFields(view, fields, forge))), args, io)
    return 0
  }
  for (const { pull, state: now } of views) {
    const word = pull.draft && now === 'open' ? 'DRAFT' : now.toUpperCase()
    io.print([pull.number, toOneLine(pull.title), pull.head, word, pull.createdAt].join('\t'))
  }
  return 0
}

function searched({ pull, state }: PullView): Searched {
  const { title, body, head, base, author, labels, assignees, reviewers, draft } = pull
  const text = `${title}\n${body}\n${head}`
  return { kind: 'pr', text, state, isDraft: draft, author, labels, assignees, reviewers, head, base }
}
