// JSON over HTTP for services that octokit does not know: bounded, with a rate budget, conditional reads and few repeats.
// Which service it is and what its headers mean comes in from outside.
import { setTimeout as delay } from 'node:timers/promises'
import type { ErrorCode } from '../../contract/errors.ts'
import { errorText } from '../../contract/errors.ts'
import { boundedFetch } from './bounded-fetch.ts'
import { HttpApiError } from './http-api-error.ts'
import { headerCount, type RateBudget, type RateWindow } from './rate-budget.ts'

export interface JsonService {
  name: string
  baseUrl: string
  errorCode: ErrorCode
  timeoutMs: number
  budget: RateBudget
  /** Throws when there is no token. */
  authorization(): Record<string, string>
  window(headers: Headers): RateWindow | null
  /** What to type when the token is refused. */
  tokenHint: string
  /** Says "too much" otherwise than with 429. */
  isLimited?(status: number, body: string): boolean
}

export interface JsonCall {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  body?: unknown
  /** Keeps to our share of the rate limit, is not repeated, and waits out a service in trouble. */
  loop?: boolean
  /** Send the last answer's ETag and reuse that answer when nothing changed. */
  conditional?: boolean
  /** Only the last bytes, as text. */
  tailBytes?: number
  /** A POST that only asks, as in GraphQL: it may be repeated. */
  readOnly?: boolean
}

export interface JsonAnswer<T> {
  data: T
  headers: Headers
}

export type JsonClient = <T>(path: string, call?: JsonCall) => Promise<JsonAnswer<T>>

interface Remembered {
  etag: string
  answer: JsonAnswer<unknown>
}

const MAX_BYTES = 16 * 1024 * 1024
const MAX_LOG_BYTES = 64 * 1024 * 1024
const MAX_REMEMBERED = 500
/** A person waits for the answer: a short hiccup is not worth an error. */
const RETRY_DELAYS_MS = [300, 1_000]

export function createJsonClient(service: JsonService): JsonClient {
  const remembered = new Map<string, Remembered>()
  return async <T>(path: string, call: JsonCall = {}) => {
    const repeatable = ((call.method ?? 'GET') === 'GET' || call.readOnly) && !call.loop
    for (const wait of repeatable ? RETRY_DELAYS_MS : []) {
      try {
        return (await send(service, remembered, path, call)) as JsonAnswer<T>
      } catch (error) {
        if (!isPassing(error)) throw error
        await delay(wait * (0.5 + Math.random() / 2))
      }
    }
    return (await send(service, remembered, path, call)) as JsonAnswer<T>
  }
}

/** Worth another try at once: no answer or a server error, but not a rate limit. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof HttpApiError) || error.details.limited === true) return false
  return error.status === null || error.status >= 500
}

async function send(
  service: JsonService,
  remembered: Map<string, Remembered>,
  path: string,
  call: JsonCall,
): Promise<JsonAnswer<unknown>> {
  const { budget, name, errorCode } = service
  const blocked = budget.blocked('api', call.loop === true)
  if (blocked !== null) {
    const until = new Date(blocked.until).toISOString()
    const why = `${name} is not asked again before ${until}: ${blocked.why}`
    throw new HttpApiError(errorCode, why, { status: null, details: { limited: true, until } })
  }
  const known = call.conditional ? remembered.get(path) : undefined
  const response = await fetchAnswer(service, path, call, known)
  const text = response.status === 304 ? '' : await response.text()
  const said = response.ok || response.status === 304 ? '' : saidIn(text)
  const retryAfter = headerCount(response.headers.get('retry-after'))
  const limited = response.status === 429 || service.isLimited?.(response.status, text) === true
  budget.note({
    resource: 'api',
    status: response.status,
    window: service.window(response.headers),
    retryAfterMs: retryAfter === null ? null : Math.max(retryAfter, 1) * 1000,
    limited,
    message: said,
    cost: response.status === 304 ? 0 : 1,
  })
  if (response.status === 304 && known) return known.answer
  if (!response.ok) throw refused(service, { call, path, status: response.status, said, limited })
  const answer = { data: call.tailBytes === undefined ? parse(service, path, text) : text, headers: response.headers }
  const etag = response.headers.get('etag')
  if (call.conditional && etag !== null) remember(remembered, path, { etag, answer })
  return answer
}

async function fetchAnswer(
  service: JsonService,
  path: string,
  call: JsonCall,
  known: Remembered | undefined,
): Promise<Response> {
  const headers: Record<string, string> = { accept: 'application/json', 'user-agent': 'ao', ...service.authorization() }
  if (call.body !== undefined) headers['content-type'] = 'application/json'
  if (known !== undefined) headers['if-none-match'] = known.etag
  const init: RequestInit = {
    method: call.method ?? 'GET',
    headers,
    // A log may lie elsewhere; fetch takes the token along only on the same host. A change is never sent on.
    redirect: call.method === undefined || call.method === 'GET' ? 'follow' : 'error',
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
  }
  try {
    return await boundedFetch(`${service.baseUrl}${path}`, init, {
      timeoutMs: service.timeoutMs,
      maxBytes: call.tailBytes === undefined ? MAX_BYTES : MAX_LOG_BYTES,
      ...(call.tailBytes === undefined ? {} : { tailBytes: call.tailBytes }),
    })
  } catch (error) {
    const why = causeText(error)
    service.budget.noteTrouble(why)
    throw new HttpApiError(service.errorCode, `${service.name} could not be reached: ${why}`, {
      status: null,
      cause: error,
    })
  }
}

/** fetch hides what happened in the cause. */
function causeText(error: unknown): string {
  const cause = (error as { cause?: unknown }).cause
  return error instanceof TypeError && cause instanceof Error ? errorText(cause) : errorText(error)
}

function refused(
  service: JsonService,
  {
    call,
    path,
    status,
    said,
    limited,
  }: { call: JsonCall; path: string; status: number; said: string; limited: boolean },
): HttpApiError {
  const asked = `${call.method ?? 'GET'} ${path.split('?')[0]}`
  return new HttpApiError(service.errorCode, `${service.name} answered ${status} to ${asked}: ${said || 'no reason'}`, {
    status,
    said,
    details: { asked, limited },
    ...(status === 401 ? { hint: service.tokenHint } : {}),
  })
}

function parse(service: JsonService, path: string, text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch (error) {
    const what = `${service.name} answered ${path.split('?')[0]} with something that is no JSON`
    throw new HttpApiError(service.errorCode, what, { status: null, cause: error })
  }
}

/** `{ message }` or `{ error }`, which may be text or lists of texts. */
function saidIn(text: string): string {
  try {
    const { message, error, errors } = JSON.parse(text) as Record<string, unknown>
    const said = message ?? error ?? errors ?? text
    return (typeof said === 'string' ? said : JSON.stringify(said)).slice(0, 500)
  } catch {
    // An HTML page of a proxy, most likely: its beginning says whose.
    return text.slice(0, 200)
  }
}

function remember(remembered: Map<string, Remembered>, path: string, entry: Remembered): void {
  remembered.delete(path)
  remembered.set(path, entry)
  if (remembered.size > MAX_REMEMBERED) remembered.delete(remembered.keys().next().value!)
}
