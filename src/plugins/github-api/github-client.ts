// The one way to GitHub: octokit's request in this process, with a token, a rate budget and bounds. Never a `gh` process
// (but for the token), and no knowledge of what is asked.
import { setTimeout as delay } from 'node:timers/promises'
import type { ErrorCode } from '../../contract/errors.ts'
import { errorText } from '../../contract/errors.ts'
import type { PluginContext } from '../../slots/plugin.ts'
import { boundedFetch } from '../http-api/bounded-fetch.ts'
import { HttpApiError } from '../http-api/http-api-error.ts'
import { createRateBudget, type RateBudget } from '../http-api/rate-budget.ts'
import { readAnswer } from './github-answer.ts'
import type { Connection } from './github-options.ts'
import { createTokenSource, type TokenSource } from './read-token.ts'

export interface CallOptions {
  /** A call of the loop: it keeps to our share of the rate limit, is not repeated, and waits out a server in trouble. */
  loop?: boolean
  /** Send the last answer's ETag and reuse that answer when nothing changed, which costs no rate. */
  conditional?: boolean
  /** Only the last bytes of the answer, as text. */
  tailBytes?: number
  accept?: string
}

export interface GraphqlError {
  message: string
  type?: string
  path?: Array<string | number>
}

export interface GraphqlAnswer {
  data: Record<string, unknown> | null
  errors: GraphqlError[]
}

export interface GithubClient {
  connection: Connection
  rest<T>(route: string, parameters?: Record<string, unknown>, options?: CallOptions): Promise<T>
  graphql(query: string, variables: Record<string, unknown>, options?: CallOptions): Promise<GraphqlAnswer>
}

const MAX_BYTES = 16 * 1024 * 1024
/** What is read of a log to get to its end. */
const MAX_LOG_BYTES = 64 * 1024 * 1024
const MAX_REMEMBERED = 300
/** A person waits for the answer: a short hiccup is not worth an error. */
const RETRY_DELAYS_MS = [300, 1_000]

interface Remembered {
  etag: string
  data: unknown
}

interface ClientState {
  connection: Connection
  errorCode: ErrorCode
  tokens: TokenSource
  budget: RateBudget
  remembered: Map<string, Remembered>
}

export function createGithubClient(
  connection: Connection,
  context: Pick<PluginContext, 'env'>,
  options: { errorCode: ErrorCode; now?: () => number; random?: () => number },
): GithubClient {
  const { errorCode, ...timing } = options
  const state: ClientState = {
    connection,
    errorCode,
    tokens: createTokenSource({ env: context.env, apiUrl: connection.apiUrl, errorCode }),
    budget: createRateBudget({ service: 'GitHub', share: connection.rateShare, ...timing }),
    remembered: new Map(),
  }
  return {
    connection,
    async rest<T>(route: string, parameters = {}, call: CallOptions = {}) {
      return (await callRest(state, { route, parameters, call })) as T
    },
    async graphql(query, variables, call = {}) {
      const route = `POST ${connection.graphqlUrl}`
      const data = await callOnce(state, { route, parameters: { query, variables }, call, resource: 'graphql' })
      const answer = (data ?? {}) as { data?: GraphqlAnswer['data']; errors?: GraphqlError[] }
      return { data: answer.data ?? null, errors: answer.errors ?? [] }
    },
  }
}

interface Call {
  route: string
  parameters: Record<string, unknown>
  call: CallOptions
  resource?: 'graphql'
}

async function callRest(state: ClientState, call: Call): Promise<unknown> {
  const repeatable = call.route.startsWith('GET ') && !call.call.loop
  for (const wait of repeatable ? RETRY_DELAYS_MS : []) {
    try {
      return await callOnce(state, call)
    } catch (error) {
      if (!isPassing(error)) throw error
      await delay(wait * (0.5 + Math.random() / 2))
    }
  }
  return callOnce(state, call)
}

/** Worth another try at once: no answer or a server error, but not a rate limit. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof HttpApiError) || error.details.limited === true) return false
  return error.status === null || error.status >= 500
}

async function callOnce(state: ClientState, { route, parameters, call, resource }: Call): Promise<unknown> {
  const { budget, connection, tokens, remembered } = state
  const blocked = budget.blocked(resource ?? 'core', call.loop === true)
  if (blocked !== null) throw notAsked(state, blocked)
  const token = await tokens.read()
  const key = call.conditional ? `${route} ${JSON.stringify(parameters)}` : null
  const known = key === null ? undefined : remembered.get(key)
  const { request } = await import('@octokit/request')
  const answer = await readAnswer(() =>
    request(route, {
      ...parameters,
      baseUrl: connection.apiUrl,
      headers: {
        authorization: `Bearer ${token}`,
        accept: call.accept ?? 'application/vnd.github+json',
        'user-agent': 'ao',
        ...(known ? { 'if-none-match': known.etag } : {}),
      },
      request: {
        fetch: (url: string, init: RequestInit) =>
          boundedFetch(url, init, {
            timeoutMs: connection.timeoutMs,
            maxBytes: call.tailBytes === undefined ? MAX_BYTES : MAX_LOG_BYTES,
            ...(call.tailBytes === undefined ? {} : { tailBytes: call.tailBytes }),
          }),
        log: SILENT,
      },
    }),
  )
  if (answer.kind === 'none') {
    budget.noteTrouble(answer.why)
    throw new HttpApiError(state.errorCode, `GitHub could not be reached: ${answer.why}`, {
      status: null,
      cause: answer.cause,
    })
  }
  budget.note({ resource: resource ?? 'core', ...answer })
  if (answer.status === 401) tokens.forget(token)
  if (answer.status === 304 && known) return known.data
  if (answer.status >= 400 || answer.limited) throw refused(state, fillRoute(route, parameters), answer)
  if (key !== null && answer.etag !== null) remember(remembered, key, { etag: answer.etag, data: answer.data })
  return answer.data
}

function notAsked(state: ClientState, blocked: { until: number; why: string }): HttpApiError {
  const until = new Date(blocked.until).toISOString()
  return new HttpApiError(state.errorCode, `GitHub is not asked again before ${until}: ${blocked.why}`, {
    status: null,
    details: { limited: true, until },
  })
}

function refused(
  state: ClientState,
  route: string,
  { status, message = '', limited }: { status: number; message?: string | undefined; limited: boolean },
): HttpApiError {
  const said = message.slice(0, 500)
  return new HttpApiError(state.errorCode, `GitHub answered ${status} to ${route}: ${said || 'no reason given'}`, {
    status,
    said,
    details: { route, limited },
    ...(status === 401 ? { hint: 'Check the token: GITHUB_TOKEN, or: gh auth status' } : {}),
  })
}

/** `GET /repos/{owner}/…` with the names in it, for people. */
function fillRoute(route: string, parameters: Record<string, unknown>): string {
  return route.replace(/\{(\w+)\}/g, (_, name: string) => String(parameters[name]))
}

/** The oldest goes first; reading one again makes it the newest. */
function remember(remembered: Map<string, Remembered>, key: string, entry: Remembered): void {
  remembered.delete(key)
  remembered.set(key, entry)
  if (remembered.size > MAX_REMEMBERED) remembered.delete(remembered.keys().next().value!)
}

const silent = (): void => undefined
const SILENT = { debug: silent, info: silent, warn: silent, error: silent }

/** Why a reading failed, for a person. */
export function whyUnknown(error: unknown): string {
  return errorText(error).slice(0, 500)
}
