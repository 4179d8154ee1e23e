// `--search`: words, "phrases" and the qualifiers of GitHub's search language that can be answered here. Others are
// refused: ignoring a filter would make the result wrong.
import { hasName, sameName } from '../forge/pulls/name-list.ts'
import { GhError } from './gh-error.ts'

export interface Searched {
  kind: 'pr' | 'issue'
  text: string
  state: 'open' | 'closed' | 'merged'
  isDraft: boolean
  author: string
  labels: readonly string[]
  assignees: readonly string[]
  reviewers: readonly string[]
  head: string
  base: string
}

type Test = (item: Searched, value: string) => boolean

const IS: Record<string, (item: Searched) => boolean> = {
  open: ({ state }) => state === 'open',
  closed: ({ state }) => state !== 'open',
  merged: ({ state }) => state === 'merged',
  unmerged: ({ state }) => state !== 'merged',
  draft: ({ isDraft }) => isDraft,
  pr: ({ kind }) => kind === 'pr',
  issue: ({ kind }) => kind === 'issue',
}

const QUALIFIERS: Record<string, Test> = {
  is: (item, value) => requireWord(IS, 'is', value)(item),
  state: (item, value) => requireWord(IS, 'state', value)(item),
  draft: ({ isDraft }, value) => isDraft === (value === 'true'),
  author: ({ author }, value) => sameName(author) === sameName(value),
  label: ({ labels }, value) => hasName(labels, value),
  assignee: ({ assignees }, value) => hasName(assignees, value),
  'review-requested': ({ reviewers }, value) => hasName(reviewers, value),
  head: ({ head }, value) => head === value,
  base: ({ base }, value) => base === value,
}

/** `me` is who `@me` refers to. */
export function createSearch(query: string | undefined, me: string): (item: Searched) => boolean {
  const tests = tokensOf(query ?? '').map((token) => testOf(token, me))
  return (item) => tests.every((test) => test(item))
}

function testOf(token: string, me: string): (item: Searched) => boolean {
  const isNot = token.startsWith('-') && token.length > 1
  const [, name, quoted, bare] = /^-?([a-z][a-z-]*):(?:"([^"]*)"|(\S*))$/.exec(token) ?? []
  if (name === undefined) {
    const word = token.replace(/^-/, '').replace(/^"|"$/g, '').toLowerCase()
    return (item) => item.text.toLowerCase().includes(word) !== isNot
  }
  const test = Object.hasOwn(QUALIFIERS, name) ? QUALIFIERS[name]! : null
  const given = quoted ?? bare ?? ''
  const value = given === '@me' ? me : given
  if (test === null)
    throw new GhError(
      `the search qualifier ${name}: is not available here; these are: ${Object.keys(QUALIFIERS).join(', ')}`,
    )
  if (name === 'is' || name === 'state') requireWord(IS, name, value)
  return (item) => test(item, value) !== isNot
}

function requireWord<T>(values: Record<string, T>, name: string, value: string): T {
  if (Object.hasOwn(values, value)) return values[value]!
  throw new GhError(`${name}:${value} is not available in a search here; these are: ${Object.keys(values).join(', ')}`)
}

function tokensOf(query: string): string[] {
  return query.match(/-?[a-z-]+:"[^"]*"|-?"[^"]*"|\S+/g) ?? []
}
