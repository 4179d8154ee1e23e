// What the values of gh's flags may be. Each answers with the values as they are passed on, or null. They are stricter than gh: what
// could be read as something else further on (a list, a search, a URL, another repository) is not let through.
import type { ValueKind } from './gh-grammar.ts'

/** Longer than any title, and shorter than what one argument of a program may be. */
const LONGEST = 30_000
const CONTROL = /\p{Cc}/u
/** A login, a label, a team, a workflow. Quotes and commas have a meaning in gh's lists and searches. */
const NAME = /^[^\s",\\][^",\\]{0,199}$/u
const BRANCH = /^(?!-)(?!.*(?:\.\.|\/\/|@\{|\.lock(?:\/|$)))[\w.][\w./#+@-]{0,243}$/

/** gh makes searches of these: a further word with a colon could be a qualifier, and search elsewhere. */
function isName(value: string): boolean {
  return NAME.test(value) && !/\s\S*:/.test(value)
}

export function isBranch(value: string): boolean {
  return BRANCH.test(value) && !/[/.]$/.test(value)
}

/** null: not a value of this kind. A list has several. */
export function readValue(kind: ValueKind, value: string): string[] | null {
  if (value.length > LONGEST || value.includes('\0')) return null
  if (typeof kind !== 'string') return kind.includes(value) ? [value] : null
  if (kind === 'text') return [value]
  if (CONTROL.test(value)) return null
  if (kind === 'names') {
    const list = value.split(',')
    return list.every(isName) ? list : null
  }
  return isOne(kind, value) ? [value] : null
}

function isOne(kind: Exclude<ValueKind, readonly string[] | 'text' | 'names'>, value: string): boolean {
  if (kind === 'name') return isName(value)
  if (kind === 'branch' || kind === 'own-branch') return isBranch(value)
  if (kind === 'count') return /^[1-9][0-9]{0,4}$/.test(value)
  if (kind === 'id') return /^[1-9][0-9]{0,18}$/.test(value)
  if (kind === 'fields') return /^[A-Za-z]{1,40}(?:,[A-Za-z]{1,40}){0,60}$/.test(value)
  if (kind === 'commit') return /^[0-9a-f]{7,64}$/.test(value)
  if (kind === 'date') return DATE.test(value)
  if (kind === 'search') return isSearch(value)
  return false
}

const DATE = /^(?:[<>]=?)?\d{4}-\d\d-\d\d(?:T[\d:]{5,8}(?:Z|[+-]\d\d:\d\d)?)?(?:\.\.\d{4}-\d\d-\d\d)?$/

/** Of a search on the forge. `repo:`, `org:` and `user:` would search elsewhere, with the user's own rights. */
const QUALIFIERS: ReadonlySet<string> = new Set([
  ...[
    'is',
    'state',
    'draft',
    'author',
    'label',
    'assignee',
    'review',
    'review-requested',
    'reviewed-by',
    'head',
    'base',
  ],
  ...['in', 'no', 'linked', 'status', 'mentions', 'commenter', 'involves', 'milestone', 'sort', 'type', 'comments'],
])
const DATES: ReadonlySet<string> = new Set(['created', 'updated', 'closed', 'merged'])

function isSearch(query: string): boolean {
  const tokens = query.match(/-?[^\s":()]+:"[^"]*"|-?"[^"]*"|\S+/g) ?? []
  return query.length <= 1000 && !/[\\()]/.test(query) && tokens.every(isToken)
}

function isToken(token: string): boolean {
  if (/^-?"[^"]*"$/.test(token)) return true
  const [, name, value = ''] = /^-?([^:"]*):(.*)$/.exec(token) ?? []
  if (name === undefined) return !token.includes('"')
  if (DATES.has(name)) return DATE.test(value)
  return QUALIFIERS.has(name) && /^(?:"[^":]*"|[^":]*)$/.test(value)
}
