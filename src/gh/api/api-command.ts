// `gh api`: GitHub's REST and GraphQL APIs over the local forge. Unknown requests are answered with a status and a reason,
// never with something else.
import type { Io } from '../../cli/print/io.ts'
import { GhError } from '../gh-error.ts'
import { type GhArguments, parseFlags } from '../gh-flags.ts'
import { printFormatted } from '../gh-json.ts'
import { type Gh, openGh } from '../open-gh.ts'
import { type ApiAnswer, answerOf, STATUS_TEXT } from './answer.ts'
import { API_FLAGS, type ApiRequest, readRequest } from './request.ts'

type Arguments = GhArguments<typeof API_FLAGS>

export async function api(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, API_FLAGS)
  if (args.positionals[0] === undefined) throw new GhError('accepts 1 arg(s), received 0')
  if (args.has('silent') && args.value('jq') !== undefined)
    throw new GhError('only one of `--jq` or `--silent` may be used')
  if (args.has('slurp') && !args.has('paginate')) throw new GhError('`--paginate` required when passing `--slurp`')
  if (args.has('slurp') && args.value('jq') !== undefined)
    throw new GhError('the `--slurp` option is not supported with `--jq`')
  const gh = await openGh(io, args)
  const request = await readRequest(args, gh.project.id, io)
  const isGraphql = request.path === 'graphql'
  if (args.has('paginate') && !isGraphql && request.method !== 'GET')
    throw new GhError('the `--paginate` option is not supported for non-GET requests')
  const ask = await responder(gh, io, isGraphql)
  const pages = args.has('paginate') ? await allPages(ask, request, isGraphql) : [await ask(request)]
  return print(pages, args, io)
}

type Ask = (request: ApiRequest) => Promise<ApiAnswer>

async function responder(gh: Gh, io: Io, isGraphql: boolean): Promise<Ask> {
  const answer = isGraphql
    ? (await import('./graphql/answer-graphql.ts')).answerGraphql
    : (await import('./rest/answer-rest.ts')).answerRest
  return async (request) => {
    try {
      return await answer(gh, request, io)
    } catch (error) {
      const refused = answerOf(error)
      if (refused === null) throw error
      return refused
    }
  }
}

async function allPages(ask: Ask, request: ApiRequest, isGraphql: boolean): Promise<ApiAnswer[]> {
  const pages: ApiAnswer[] = []
  let next: ApiRequest | null = isGraphql
    ? request
    : withQuery(request, 'per_page', request.query.get('per_page') ?? '100')
  while (next !== null) {
    const page: ApiAnswer = await ask(next)
    pages.push(page)
    next = page.status >= 400 ? null : isGraphql ? nextCursor(next, page) : nextPage(next, page)
  }
  return pages
}

function nextPage(request: ApiRequest, { headers }: ApiAnswer): ApiRequest | null {
  if (!headers?.link?.includes('rel="next"')) return null
  return withQuery(request, 'page', String(Number(request.query.get('page') ?? 1) + 1))
}

function withQuery(request: ApiRequest, name: string, value: string): ApiRequest {
  return { ...request, query: new Map([...request.query, [name, value]]) }
}

/** gh continues while the first `pageInfo` of the response says that there is more. */
function nextCursor(request: ApiRequest, { body }: ApiAnswer): ApiRequest | null {
  const info = findPageInfo(body)
  if (info === null || info.hasNextPage !== true || typeof info.endCursor !== 'string') return null
  return { ...request, body: { ...(request.body as object), endCursor: info.endCursor } }
}

function findPageInfo(value: unknown): Record<string, unknown> | null {
  if (typeof value !== 'object' || value === null) return null
  for (const [key, one] of Object.entries(value)) {
    const found = key === 'pageInfo' ? (one as Record<string, unknown>) : findPageInfo(one)
    if (found !== null) return found
  }
  return null
}

async function print(pages: readonly ApiAnswer[], args: Arguments, io: Io): Promise<number> {
  const bodies = mergePages(pages, args)
  for (const page of bodies) {
    if (args.has('include')) printHead(page, io)
    if (args.has('silent') && page.status < 400) continue
    if (page.text !== undefined) io.write(page.text)
    else if (page.body !== undefined)
      await printFormatted(page.body, page.status < 400 ? args.value('jq') : undefined, io)
  }
  const last = pages.at(-1)!
  const problem = problemOf(last)
  if (problem === null) return 0
  io.note(`gh: ${problem}`)
  return 1
}

/**
 * Pages of lists are joined into one list, as newer versions of gh print them; filters see one page at a time, as in all
 * versions.
 */
function mergePages(pages: readonly ApiAnswer[], args: Arguments): ApiAnswer[] {
  if (args.has('slurp') && pages.every(({ status }) => status < 400))
    return [{ ...pages[0]!, body: pages.map(({ body }) => body) }]
  const isFiltered = args.value('jq') !== undefined || args.has('include')
  if (isFiltered || pages.length === 1 || !pages.every(({ body }) => Array.isArray(body))) return [...pages]
  return [{ ...pages[0]!, body: pages.flatMap(({ body }) => body as unknown[]) }]
}

function printHead({ status, headers = {}, text }: ApiAnswer, io: Io): void {
  io.print(`HTTP/2.0 ${status} ${STATUS_TEXT[status] ?? ''}`)
  io.print(`Content-Type: ${text === undefined ? 'application/json' : 'text/plain'}; charset=utf-8`)
  for (const [name, value] of Object.entries(headers))
    io.print(`${name.replace(/^./, (char) => char.toUpperCase())}: ${value}`)
  io.print()
}

function problemOf({ status, body }: ApiAnswer): string | null {
  const { message, errors } = (body ?? {}) as { message?: string; errors?: Array<{ message: string }> }
  if (status >= 400) return `${message ?? STATUS_TEXT[status]} (HTTP ${status})`
  if (!Array.isArray(body) && Array.isArray(errors) && errors.length > 0)
    return errors.map((one) => one.message).join('\n')
  return null
}
