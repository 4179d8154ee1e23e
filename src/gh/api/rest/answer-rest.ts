// One REST call: which route it is, whether everything in it is understood, and the route's response.
import * as z from 'zod/mini'
import type { Io } from '../../../cli/print/io.ts'
import { apiOrigin } from '../../describe/names.ts'
import type { Gh } from '../../open-gh.ts'
import { isOurRepo, repoName } from '../../which-repo.ts'
import { type ApiAnswer, ApiError, notFound, notHere } from '../answer.ts'
import type { ApiRequest } from '../request.ts'
import type { Route } from './define-route.ts'
import { ISSUE_ROUTES } from './issue-routes.ts'
import { PULL_ROUTES } from './pull-routes.ts'
import { REPO_ROUTES } from './repo-routes.ts'
import { REVIEW_ROUTES } from './review-routes.ts'
import { RUN_ROUTES } from './run-routes.ts'

export async function answerRest(gh: Gh, request: ApiRequest, io: Io): Promise<ApiAnswer> {
  const path = ownPath(gh, request.path)
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const { route, params } = findRoute(method, path)
  checkQuery(route, request)
  checkAccept(route, request)
  const call = { gh, io, params, query: request.query, body: readBody(route, request), accept: acceptOf(request) }
  const answer = await route.answer(call)
  const paged = route.isList ? readPage(answer, request, gh) : answer
  return request.method === 'HEAD' ? { status: paged.status, headers: paged.headers ?? {} } : paged
}

/** `repos/projects/app/pulls` → `pulls`; '' is the repository itself. Others: `user` → `/user`. */
function ownPath(gh: Gh, path: string): string {
  const [first, owner = '', name = '', ...rest] = path.split('/')
  if (first !== 'repos') return `/${path}`
  if (isOurRepo(gh.project.id, decode(owner), decode(name))) return rest.join('/')
  throw notFound(
    `${owner}/${name} is another repository: ao keeps only ${repoName(gh.project.id)} here (repos/{owner}/{repo}/… names it)`,
  )
}

function findRoute(method: string, path: string): { route: Route; params: Record<string, string> } {
  const matches = ROUTES.flatMap((route) => {
    const params = match(route.path, path)
    return params === null ? [] : [{ route, params }]
  })
  const found = matches.find(({ route }) => route.method === method)
  if (found) return found
  const methods = [...new Set(matches.map(({ route }) => route.method))]
  const shown = path.startsWith('/') ? path.slice(1) : `repos/{owner}/{repo}/${path}`
  if (methods.length > 0)
    throw notHere(`${method} ${shown} is not available in the local forge; it answers ${methods.join(', ')} there`)
  throw notHere(
    `${shown} is not available in the local forge: ao keeps pull requests, reviews, issues, labels and checks`,
  )
}

/** A segment that starts with a colon matches anything; `*` at the end matches the rest, including slashes. */
function match(pattern: string, path: string): Record<string, string> | null {
  const wanted = pattern.split('/')
  const given = path.split('/')
  const params: Record<string, string> = {}
  for (const [index, segment] of wanted.entries()) {
    const value = given[index]
    if (segment.startsWith('*')) {
      const rest = given.slice(index, given.length - (wanted.length - index - 1))
      if (rest.length === 0) return null
      params[segment.slice(1)] = decode(rest.join('/'))
      const tail = wanted.slice(index + 1)
      const end = given.slice(given.length - tail.length)
      return tail.every((one, at) => one === end[at]) ? params : null
    }
    if (value === undefined) return null
    if (segment.startsWith(':')) params[segment.slice(1)] = decode(value)
    else if (segment !== value) return null
    if (segment === ':number' || segment === ':id') if (!/^[1-9]\d{0,14}$/.test(value)) return null
  }
  return wanted.length === given.length ? params : null
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new ApiError(400, `${JSON.stringify(text)} is not a part of an address`)
  }
}

const PAGE_QUERY = ['per_page', 'page']

function checkQuery(route: Route, { query, path }: ApiRequest): void {
  const accepted = [...(route.query ?? []), ...(route.isList ? PAGE_QUERY : [])]
  const unknown = [...query.keys()].find((name) => !accepted.includes(name))
  if (unknown !== undefined)
    throw new ApiError(
      422,
      `the parameter ${unknown} of ${path} is not available here; known: ${accepted.join(', ') || 'none'}`,
    )
}

function readBody(route: Route, request: ApiRequest): unknown {
  if (!route.body) {
    if (request.body === undefined) return {}
    throw new ApiError(422, `${request.method} ${request.path} takes no body here`)
  }
  const parsed = z.safeParse(route.body, request.body ?? {})
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const where = issue!.path.join('.')
  if (issue!.code === 'unrecognized_keys')
    throw new ApiError(422, `the local forge cannot store ${(issue as { keys: string[] }).keys.join(', ')} here`)
  throw new ApiError(
    422,
    `Invalid request: ${where === '' ? 'the body' : `"${where}"`} is missing or has the wrong type`,
  )
}

const JSON_TYPES = /^(\*\/\*|application\/(json|vnd\.github(\.[a-z0-9-]+)?\+json|vnd\.github\.v3))$/

/** GitHub's media types for a diff; '' is JSON. */
function acceptOf({ headers }: ApiRequest): 'diff' | 'patch' | '' {
  return (/^application\/vnd\.github(?:\.v3)?\.(diff|patch)$/.exec(headers.get('accept') ?? '')?.[1] ?? '') as
    | 'diff'
    | ''
}

function checkAccept(route: Route, request: ApiRequest): void {
  const accept = request.headers.get('accept')
  if (accept === undefined || (acceptOf(request) !== '' && route.hasDiff)) return
  const isJson = accept.split(',').some((one) => JSON_TYPES.test(one.split(';')[0]!.trim()))
  if (!isJson) throw new ApiError(415, `${accept} is not available for ${request.path} in the local forge`)
}

// `per_page`, `page` and the `Link` header.

const MOST_PER_PAGE = 100

/** A list may be the body itself or one of its keys, beside `total_count`. */
function readPage(answer: ApiAnswer, { query, path }: ApiRequest, gh: Gh): ApiAnswer {
  const size = Math.min(MOST_PER_PAGE, whole(query.get('per_page'), 30, 'per_page'))
  const page = whole(query.get('page'), 1, 'page')
  const [key, list] = listOf(answer.body)
  const some = list.slice((page - 1) * size, page * size)
  const body = key === null ? some : { ...(answer.body as object), [key]: some }
  const last = Math.max(1, Math.ceil(list.length / size))
  const address = (number: number) => {
    const all = new URLSearchParams([...query, ['per_page', String(size)], ['page', String(number)]])
    return `<${apiOrigin(gh.forge)}/${path}?${all}>`
  }
  const links = [
    ...(page > 1 ? [`${address(page - 1)}; rel="prev"`] : []),
    ...(page < last ? [`${address(page + 1)}; rel="next"`, `${address(last)}; rel="last"`] : []),
  ]
  return { ...answer, body, headers: links.length === 0 ? {} : { link: links.join(', ') } }
}

function listOf(body: unknown): [key: string | null, list: unknown[]] {
  if (Array.isArray(body)) return [null, body]
  const entry = Object.entries(body as object).find(([, value]) => Array.isArray(value))
  return [entry![0], entry![1] as unknown[]]
}

function whole(value: string | undefined, fallback: number, name: string): number {
  if (value === undefined) return fallback
  if (/^[1-9]\d{0,8}$/.test(value)) return Number(value)
  throw new ApiError(422, `${name} must be a positive number`)
}

/** Every REST route that the local forge answers, by area. */
export const ROUTES: readonly Route[] = [
  ...REPO_ROUTES,
  ...PULL_ROUTES,
  ...REVIEW_ROUTES,
  ...ISSUE_ROUTES,
  ...RUN_ROUTES,
]
