// JSON over HTTP: bounded, with a rate budget, conditional reads and a few retries. The only client of every forge and
// tracker; the caller supplies which service it is and what its headers mean.
import type { ErrorCode } from '../../contract/errors.ts'
import { errorText } from '../../contract/errors.ts'
import { sleep } from '../../lib/clock.ts'
import { measure } from '../../lib/measures.ts'
import { boundedFetch } from './bounded-fetch.ts'
import { HttpApiError } from './http-api-error.ts'
import type { HttpOptions } from './plugin-options.ts'
import { createRateBudget, headerCount, type RateBudget, type RateWindow } from './rate-budget.ts'

export interface ApiService {
  name: string
  baseUrl: string
  errorCode: ErrorCode
  limits: HttpOptions
  accept?: string
  /** Throws when there is no token. */
  authorization(): Record<string, string> | Promise<Record<string, string>>
  /** The service refused what `authorization` returned. */
  onUnauthorized?(): void
  window(headers: Headers): RateWindow | null
  /** The command to type when the token is refused. */
  tokenHint: string
  /** What this service signals other than with 429 and its headers. */
  judge?(answer: RawAnswer): Judgement
  /** A write may be redirected, as GitHub does for a renamed repository. Otherwise a redirected write is an error. */
  redirectsChanges?: boolean
}

export interface RawAnswer {
  status: number
  text: string
  /** A later retry may succeed: `retry-after`, or an exhausted window. */
  later: boolean
}

export interface Judgement {
  limited?: boolean | undefined
  reason?: string | undefined
  cost?: number | undefined
}

export interface ApiCall {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | undefined
  body?: unknown
  /** Which of the service's rate limits this call counts against. */
  resource?: string | undefined
  /** Keeps to our share of the rate limit, is not retried, and waits while a service is failing. */
  loop?: boolean | undefined
  /** Send the last response's ETag and reuse that response when nothing has changed. */
  conditional?: boolean | undefined
  /** Only the last bytes, as text. */
  tailBytes?: number | undefined
  /** A POST that only reads, as in GraphQL: it may be retried. */
  readOnly?: boolean | undefined
}

export interface ApiAnswer<T> {
  data: T
  headers: Headers
}

/** `path` is below the service's base URL, or a whole URL. */
export type ApiClient = <T>(path: string, call?: ApiCall) => Promise<ApiAnswer<T>>

interface Service extends ApiService {
  budget: RateBudget
  timeoutMs: number
}

interface Remembered {
  etag: string
  answer: ApiAnswer<unknown>
}

const MAX_BYTES = 16 * 1024 * 1024
/** How much of a log is read to reach its end. */
const MAX_LOG_BYTES = 64 * 1024 * 1024
const MAX_REMEMBERED = 500
/** A person waits for the response: a short hiccup is not worth an error. */
const RETRY_DELAYS_MS = [300, 1_000]

export function createApiClient(configured: ApiService): ApiClient {
  const { rateShare = 0.5, timeoutSeconds = 30 } = configured.limits
  const budget = createRateBudget({ service: configured.name, share: rateShare })
  const service: Service = { ...configured, budget, timeoutMs: timeoutSeconds * 1000 }
  const remembered = new Map<string, Remembered>()
  return async <T>(path: string, call: ApiCall = {}) => {
    const repeatable = ((call.method ?? 'GET') === 'GET' || call.readOnly) && !call.loop
    for (const wait of repeatable ? RETRY_DELAYS_MS : []) {
      try {
        return (await send(service, remembered, path, call)) as ApiAnswer<T>
      } catch (error) {
        if (!isTransient(error)) throw error
        await sleep(wait * (0.5 + Math.random() / 2))
      }
    }
    return (await send(service, remembered, path, call)) as ApiAnswer<T>
  }
}

/** Worth an immediate retry: no response or a server error, but not a rate limit. */
function isTransient(error: unknown): boolean {
  if (!(error instanceof HttpApiError) || error.code === 'RATE_LIMITED') return false
  return error.status === null || error.status >= 500
}

async function send(
  service: Service,
  remembered: Map<string, Remembered>,
  path: string,
  call: ApiCall,
): Promise<ApiAnswer<unknown>> {
  const resource = call.resource ?? 'api'
  requireBudget(service, resource, call.loop === true)
  const cached = call.conditional ? remembered.get(path) : undefined
  const started = performance.now()
  const response = await fetchAnswer(service, path, call, cached)
  const { status, headers } = response
  measureRequest(service.name, status, started)
  const text = status === 304 ? '' : await response.text()
  const window = service.window(headers)
  if (window !== null) measure('forgeLimit', { service: service.name, resource, ...window })
  const retryAfter = headerCount(headers.get('retry-after'))
  const judged = service.judge?.({ status, text, later: retryAfter !== null || window?.remaining === 0 }) ?? {}
  const limited = status === 429 || judged.limited === true
  const failed = limited || !(response.ok || status === 304)
  const reason = failed ? (judged.reason ?? messageIn(text)) : ''
  service.budget.note({
    resource,
    status,
    window,
    retryAfterMs: retryAfter === null ? null : Math.max(retryAfter, 1) * 1000,
    limited,
    message: reason,
    cost: status === 304 ? 0 : (judged.cost ?? 1),
  })
  if (status === 401) service.onUnauthorized?.()
  if (status === 304 && cached) return cached.answer
  if (failed) throw refused(service, { call, path, status, reason, limited })
  const answer = { data: call.tailBytes === undefined ? parse(service, path, text) : text, headers }
  const etag = headers.get('etag')
  if (call.conditional && etag !== null) remember(remembered, path, { etag, answer })
  return answer
}

function requireBudget({ budget, name }: Service, resource: string, loop: boolean): void {
  const blocked = budget.blocked(resource, loop)
  if (blocked === null) return
  const until = new Date(blocked.until).toISOString()
  throw new HttpApiError('RATE_LIMITED', `${name} is not asked again before ${until}: ${blocked.why}`, {
    status: null,
    details: { until },
  })
}

async function fetchAnswer(
  service: Service,
  path: string,
  call: ApiCall,
  cached: Remembered | undefined,
): Promise<Response> {
  const headers: Record<string, string> = {
    accept: service.accept ?? 'application/json',
    'user-agent': 'ao',
    ...(await service.authorization()),
  }
  if (call.body !== undefined) headers['content-type'] = 'application/json'
  if (cached !== undefined) headers['if-none-match'] = cached.etag
  const isChange = call.method !== undefined && call.method !== 'GET'
  const init: RequestInit = {
    method: call.method ?? 'GET',
    headers,
    // A log may be elsewhere; fetch forwards the token only to the same host.
    redirect: isChange && !service.redirectsChanges ? 'error' : 'follow',
    body: call.body === undefined ? null : JSON.stringify(call.body),
  }
  const started = performance.now()
  try {
    return await boundedFetch(path.startsWith('/') ? `${service.baseUrl}${path}` : path, init, {
      timeoutMs: service.timeoutMs,
      maxBytes: call.tailBytes === undefined ? MAX_BYTES : MAX_LOG_BYTES,
      tailBytes: call.tailBytes,
    })
  } catch (error) {
    const why = causeText(error)
    service.budget.noteTrouble(why)
    measureRequest(service.name, 0, started)
    throw new HttpApiError(service.errorCode, `${service.name} could not be reached: ${why}`, {
      status: null,
      cause: error,
    })
  }
}

function measureRequest(service: string, status: number, started: number): void {
  measure('forgeRequest', { service, status, seconds: (performance.now() - started) / 1_000 })
}

/** fetch hides what happened in the cause. */
function causeText(error: unknown): string {
  const cause = (error as { cause?: unknown }).cause
  return error instanceof TypeError && cause instanceof Error ? errorText(cause) : errorText(error)
}

interface Refusal {
  call: ApiCall
  path: string
  status: number
  reason: string
  limited: boolean
}

function refused(service: ApiService, { call, path, status, reason, limited }: Refusal): HttpApiError {
  const request = `${call.method ?? 'GET'} ${path.split('?')[0]}`
  const message = `${service.name} answered ${status} to ${request}: ${reason || 'no reason given'}`
  return new HttpApiError(limited ? 'RATE_LIMITED' : service.errorCode, message, {
    status,
    reason,
    details: { request },
    hint: status === 401 ? service.tokenHint : undefined,
  })
}

function parse(service: ApiService, path: string, text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch (error) {
    const what = `${service.name} answered ${path.split('?')[0]} with invalid JSON`
    throw new HttpApiError(service.errorCode, what, { status: null, cause: error })
  }
}

/** `{ message }` or `{ error }`, which may be text or lists of texts. */
function messageIn(text: string): string {
  try {
    const { message, error, errors } = JSON.parse(text) as Record<string, unknown>
    const reason = message ?? error ?? errors ?? text
    return (typeof reason === 'string' ? reason : JSON.stringify(reason)).slice(0, 500)
  } catch {
    // Most likely an HTML page of a proxy: its beginning says whose.
    return text.slice(0, 200)
  }
}

/** The oldest goes first; reading one again makes it the newest. */
function remember(remembered: Map<string, Remembered>, path: string, entry: Remembered): void {
  remembered.delete(path)
  remembered.set(path, entry)
  if (remembered.size > MAX_REMEMBERED) remembered.delete(remembered.keys().next().value!)
}
