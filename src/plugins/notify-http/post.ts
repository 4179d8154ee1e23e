// One POST to a notification service, and what its response means for retries. Secrets in the address stay out of errors.
import { NotifierError } from '../../slots/notifier.ts'
import { boundedFetch } from '../http-api/bounded-fetch.ts'

export interface Post {
  url: string
  headers?: Record<string, string>
  body: string | Uint8Array
}

const TIMEOUT_MS = 10_000
const MAX_ANSWER_BYTES = 64 * 1024
/** Worth a retry; any other refusal is final. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429])

export async function post({ url, headers = {}, body }: Post): Promise<void> {
  const { host } = new URL(url)
  const response = await send(url, host, headers, body)
  if (response.ok) return
  const reply = (await response.text()).replace(/\s+/g, ' ').trim().slice(0, 200)
  const retryAfterMs = readRetryAfter(response.headers.get('retry-after'))
  throw new NotifierError(`${host} answered ${response.status}${reply ? `: ${reply}` : ''}`, {
    retryAfterMs: retryAfterMs ?? undefined,
    status: response.status,
    permanent: response.status < 500 && !PASSING.has(response.status),
  })
}

async function send(url: string, host: string, headers: Record<string, string>, body: Post['body']): Promise<Response> {
  try {
    const init = { method: 'POST', headers, body: body as NonNullable<RequestInit['body']>, redirect: 'error' as const }
    return await boundedFetch(url, init, { timeoutMs: TIMEOUT_MS, maxBytes: MAX_ANSWER_BYTES })
  } catch (error) {
    const reason =
      error instanceof Error ? ((error.cause as Error | undefined)?.message ?? error.message) : String(error)
    throw new NotifierError(`${host} could not be reached: ${reason}`, { cause: error })
  }
}

export async function postJson(url: string, value: unknown, headers: Record<string, string> = {}): Promise<void> {
  await post({ url, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) })
}

/** Seconds or a date; a service that asks for days is retried after an hour. */
function readRetryAfter(text: string | null): number | null {
  if (text === null) return null
  const seconds = Number(text)
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(text) - Date.now()
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, 60 * 60_000) : null
}
