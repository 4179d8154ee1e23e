// `gh api` for a session in a place: reading, from a fixed list of routes below the project's own repository. The path that is asked
// for is built here from the parts of the list, never passed on.
import type { GivenFlag } from './parse-gh.ts'

export interface Repository {
  host: string
  owner: string
  name: string
}

export interface ApiRead {
  /** `repos/owner/name/pulls/7?per_page=100`. */
  path: string
  accept: string | null
  /** Only this much of the answer leaves home. */
  only: readonly string[] | null
}

/** {n} a number, {ref} a commit, a branch or a tag, {refs} two of them with three dots, {name} one part, {path} a file. */
const ROUTES: readonly string[] = [
  '',
  ...['pulls', 'pulls/{n}', 'pulls/{n}/comments', 'pulls/{n}/commits', 'pulls/{n}/files', 'pulls/{n}/reviews'],
  ...['pulls/{n}/requested_reviewers', 'pulls/{n}/reviews/{n}', 'pulls/{n}/reviews/{n}/comments', 'pulls/comments'],
  ...['pulls/comments/{n}', 'issues', 'issues/{n}', 'issues/{n}/comments', 'issues/{n}/labels', 'issues/{n}/events'],
  ...['issues/{n}/timeline', 'issues/comments/{n}', 'labels', 'milestones', 'branches', 'branches/{ref}', 'tags'],
  ...['releases', 'releases/latest', 'commits', 'commits/{ref}', 'commits/{ref}/status', 'commits/{ref}/statuses'],
  ...['commits/{ref}/check-runs', 'commits/{ref}/check-suites', 'commits/{ref}/pulls', 'commits/{ref}/comments'],
  ...['compare/{refs}', 'check-runs/{n}', 'check-runs/{n}/annotations', 'check-suites/{n}/check-runs'],
  ...['actions/runs', 'actions/runs/{n}', 'actions/runs/{n}/jobs', 'actions/jobs/{n}', 'actions/jobs/{n}/logs'],
  ...['actions/workflows', 'contents', 'contents/{path}', 'readme', 'git/ref/heads/{ref}', 'git/commits/{ref}'],
]
const REF = '(?!-)[\\w][\\w.+@#-]*(?:/[\\w][\\w.+@#-]*)*'
const PARTS: Readonly<Record<string, string>> = {
  '{n}': '[1-9][0-9]{0,18}',
  '{ref}': REF,
  '{refs}': `${REF}\\.\\.\\.${REF}`,
  '{path}': '[\\w.+@# -]+(?:/[\\w.+@# -]+)*',
}
const PATTERNS = ROUTES.map((route) => new RegExp(`^${route.replace(/\{\w+\}/g, (part) => PARTS[part]!)}$`))

const PARAMETERS: ReadonlySet<string> = new Set([
  ...[
    'per_page',
    'page',
    'state',
    'sort',
    'direction',
    'base',
    'head',
    'sha',
    'ref',
    'path',
    'labels',
    'since',
    'until',
  ],
  ...['filter', 'branch', 'event', 'status', 'check_name', 'milestone', 'assignee', 'creator', 'mentioned', 'author'],
  ...['head_sha', 'created', 'actor', 'protected'],
])
const ACCEPT =
  /^accept:\s*(application\/(?:json|vnd\.github(?:\.v3)?(?:\.(?:raw|text|html|full|diff|patch|sha))?(?:\+json)?))$/i
const VERSION = /^x-github-api-version:\s*\d{4}-\d\d-\d\d$/i

export const API_INSTEAD =
  'home answers gh api only for reading, from routes below this repository; use gh pr, gh issue, gh run, or ao pr reply'

export interface ApiRequest {
  route: string
  given: readonly GivenFlag[]
  repository: Repository
  branch: string
}

/** The reason as a text: it is refused. */
export function readApi({ route, given, repository, branch }: ApiRequest): ApiRead | string {
  const method = last(given, 'method')
  const fields = given.filter(({ name }) => name === 'field' || name === 'raw-field')
  if ((method ?? (fields.length > 0 ? 'POST' : 'GET')).toUpperCase() !== 'GET') return API_INSTEAD
  const [path = '', query, ...more] = route.split('?')
  if (more.length > 0) return API_INSTEAD
  const parameters = readParameters(query, fields)
  if (typeof parameters === 'string') return parameters
  const accept = readHeaders(given)
  if (typeof accept === 'string') return accept
  if (/^\/?user$/.test(path)) return { path: 'user', accept: null, only: ['login'] }
  const below = belowRepository(path, repository, branch)
  if (below === null) return API_INSTEAD
  const base = `repos/${repository.owner}/${repository.name}`
  const encoded = below.split('/').map(encodeURIComponent).join('/')
  const pairs = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')
  const full = `${base}${encoded === '' ? '' : `/${encoded}`}${pairs === '' ? '' : `?${pairs}`}`
  return { path: full, accept: accept.accept, only: null }
}

/** null: not a route of the list, or of another repository. */
function belowRepository(path: string, { owner, name }: Repository, branch: string): string | null {
  const [, givenOwner = '', givenName = '', rest = ''] = /^\/?repos\/([^/]+)\/([^/]+)(?:\/(.*))?$/s.exec(path) ?? []
  const isOwner = ['{owner}', ':owner', owner.toLowerCase()].includes(givenOwner.toLowerCase())
  const isName = ['{repo}', ':repo', name.toLowerCase()].includes(givenName.toLowerCase())
  if (!isOwner || !isName) return null
  const filled = rest.replace(/\{branch\}|:branch\b/g, () => branch)
  const hasDots = filled.split('/').some((part) => part === '.' || part === '..')
  return !hasDots && PATTERNS.some((pattern) => pattern.test(filled)) ? filled : null
}

function readParameters(query: string | undefined, fields: readonly GivenFlag[]): Array<[string, string]> | string {
  const pairs = [
    ...(query === undefined || query === '' ? [] : query.split('&').map(decodePair)),
    ...fields.map(({ value }) => splitPair(value)),
  ]
  const result: Array<[string, string]> = []
  for (const pair of pairs) {
    if (pair === null) return 'a parameter of gh api is name=value'
    const [name, value] = pair
    if (!PARAMETERS.has(name))
      return `the parameter ${name.slice(0, 60)} of gh api is not answered for agents in a place`
    // Of `-F`: a file at home.
    if (value.startsWith('@') || value.length > 500 || /\p{Cc}/u.test(value))
      return `the value of ${name} is not valid here`
    result.push([name, value])
  }
  return result
}

function splitPair(text: string): [string, string] | null {
  const at = text.indexOf('=')
  return at <= 0 ? null : [text.slice(0, at), text.slice(at + 1)]
}

function decodePair(text: string): [string, string] | null {
  const pair = splitPair(text)
  if (pair === null || /%(?![0-9a-fA-F]{2})/.test(text)) return null
  try {
    return [pair[0], decodeURIComponent(pair[1].replaceAll('+', ' '))]
  } catch {
    // Bytes that are not text.
    return null
  }
}

function readHeaders(given: readonly GivenFlag[]): { accept: string | null } | string {
  let accept: string | null = null
  for (const { value } of given.filter(({ name }) => name === 'header')) {
    const found = ACCEPT.exec(value.trim())?.[1]
    if (found !== undefined) accept = found
    else if (!VERSION.test(value.trim())) return `the header ${value.slice(0, 60)} is not sent from a place`
  }
  return { accept }
}

function last(given: readonly GivenFlag[], name: string): string | undefined {
  return given.findLast((one) => one.name === name)?.value
}
