// What a person searches for: words, "exact phrases" and filters. Whatever is typed is a query; none of it is syntax of the index.
import { splitTerms } from './fold-text.ts'

export interface SearchQuery {
  /** All of them are in one message, each at the beginning of a word. */
  terms: string[]
  /** Exact texts, in any case. */
  phrases: string[]
  project: string | null
  agent: string | null
  status: string | null
  /** Only there: `prompt`, `message`, `terminal`, `conversation` or `diff`. */
  kind: string | null
  /** The end of a path that the message changed or named. */
  file: string | null
  /** Milliseconds; null: no limit. */
  before: number | null
  after: number | null
  /** Why it finds nothing; null: it can be searched for. */
  problem: string | null
}

const PART = /(project|agent|status|in|file|before|after):("[^"]*"?|\S*)|"([^"]*)"?|\S+/gi
const KINDS: readonly string[] = ['prompt', 'message', 'terminal', 'conversation', 'diff']
/** `in:` alone is found in many texts. */
const FILTER = new RegExp(`\\b(?:(?:project|agent|status|file|before|after):|in:(?:${KINDS.join('|')})\\b)`)
const MOST_TERMS = 16
const MOST_LENGTH = 64

/** The shell took the quotes of "two words" away; a whole query in quotes stays one. */
export function asQuery(argument: string): string {
  return /\s/.test(argument) && !argument.includes('"') && !FILTER.test(argument) ? `"${argument}"` : argument
}

export function parseQuery(text: string, now: number): SearchQuery {
  const query: SearchQuery = {
    ...{
      terms: [],
      phrases: [],
      project: null,
      agent: null,
      status: null,
      kind: null,
      file: null,
      before: null,
      after: null,
    },
    problem: null,
  }
  const texts: string[] = []
  for (const [part, filter, given = '', phrase] of text.matchAll(PART)) {
    if (filter !== undefined) setFilter(query, filter.toLowerCase(), given.replaceAll('"', ''), now)
    else if (phrase === undefined) texts.push(part)
    else if (phrase.trim() !== '') query.phrases.push(phrase.trim())
  }
  query.terms = termsOf([...texts, ...query.phrases, query.file ?? ''])
  if (query.terms.length === 0) query.problem ??= 'There is no word to search for'
  return query
}

function termsOf(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap(splitTerms))].slice(0, MOST_TERMS).map((term) => term.slice(0, MOST_LENGTH))
}

function setFilter(query: SearchQuery, name: string, value: string, now: number): void {
  if (value === '') return
  if (name === 'before' || name === 'after') {
    query[name] = timeOf(value, now)
    if (query[name] === null)
      query.problem = `${name}: takes a date such as 2026-11-30, or an age such as 3d, not ${value}`
  } else if (name === 'in') {
    query.kind = value.toLowerCase()
    if (!KINDS.includes(query.kind)) query.problem = `in: takes ${KINDS.join(', ')}, not ${value}`
  } else if (name === 'project' || name === 'agent' || name === 'status' || name === 'file') query[name] = value
}

const AGES: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 }

function timeOf(value: string, now: number): number | null {
  const [, count, unit = ''] = /^(\d{1,4})([hdw])$/.exec(value) ?? []
  if (count !== undefined) return now - Number(count) * AGES[unit]!
  // A day begins at midnight here, not in UTC.
  const day = /^\d{4}-\d{2}-\d{2}$/.test(value) ? `${value}T00:00` : value
  const time = /^\d{4}-\d{2}-\d{2}/.test(day) ? Date.parse(day) : Number.NaN
  return Number.isNaN(time) ? null : time
}

/** Shorter beginnings of words would match half of the index. */
const SHORTEST_PREFIX = 3

/** For SQLite's full-text search: quoted terms, so that no character of the query means anything there. */
export function matchExpression({ terms, file }: SearchQuery): string {
  const quote = (term: string, mark = '') => `"${mark}${term}"${term.length < SHORTEST_PREFIX ? '' : '*'}`
  const ofFile = termsOf([file ?? '']).map((term) => quote(term, FILE_MARK))
  return [...terms.map((term) => quote(term)), ...ofFile].join(' ')
}

const FILE_MARK = 'aofile'

/** How the index has the words of paths, beside the words themselves: whoever only speaks of a file is not read for `file:`. */
export function markedPaths(paths: readonly string[]): string {
  return [...new Set(paths.flatMap(splitTerms))].map((term) => FILE_MARK + term).join(' ')
}
