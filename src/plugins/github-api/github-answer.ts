// One answer of GitHub, good or bad, as data: octokit throws for everything above 300.
import { errorText } from '../../contract/errors.ts'
import { headerCount, type RateWindow } from '../http-api/rate-budget.ts'

export type GithubAnswer =
  | { kind: 'none'; why: string; cause: unknown }
  | {
      kind: 'answer'
      status: number
      data: unknown
      etag: string | null
      window: RateWindow | null
      retryAfterMs: number | null
      limited: boolean
      message: string | undefined
      cost: number | undefined
    }

interface OctokitResponse {
  status: number
  headers: Record<string, string | number | undefined>
  data: unknown
}

export async function readAnswer(send: () => Promise<unknown>): Promise<GithubAnswer> {
  try {
    return toAnswer((await send()) as OctokitResponse)
  } catch (error) {
    const response = (error as { response?: OctokitResponse }).response
    if (response !== undefined) return toAnswer(response)
    return { kind: 'none', why: errorText(error), cause: error }
  }
}

function toAnswer({ status, headers, data }: OctokitResponse): GithubAnswer {
  const header = (name: string) => (headers[name] === undefined ? undefined : String(headers[name]))
  const retryAfter = headerCount(header('retry-after'))
  const window = windowOf(header)
  const message = messageOf(data)
  return {
    kind: 'answer',
    status,
    data,
    etag: header('etag') ?? null,
    window,
    retryAfterMs: retryAfter === null ? null : Math.max(retryAfter, 1) * 1000,
    limited: isLimited({ status, data, message, later: retryAfter !== null || window?.remaining === 0 }),
    message,
    cost: status === 304 ? 0 : costOf(data),
  }
}

function windowOf(header: (name: string) => string | undefined): RateWindow | null {
  const limit = headerCount(header('x-ratelimit-limit'))
  const remaining = headerCount(header('x-ratelimit-remaining'))
  const reset = headerCount(header('x-ratelimit-reset'))
  if (limit === null || remaining === null || reset === null) return null
  return { limit, remaining, resetAt: reset * 1000 }
}

/** A 403 is usually a missing permission; these are the ones that mean "later". GraphQL says it with a 200. */
function isLimited(said: { status: number; data: unknown; message: string | undefined; later: boolean }): boolean {
  if (said.status === 429) return true
  if (said.status === 200) return limitError(said.data) !== undefined
  if (said.status !== 403) return false
  return said.later || /rate limit|abuse detection/i.test(said.message ?? '')
}

function limitError(data: unknown): { message?: unknown } | undefined {
  const errors = (data as { errors?: unknown } | null)?.errors
  return Array.isArray(errors) ? errors.find((one) => one?.type === 'RATE_LIMITED') : undefined
}

function messageOf(data: unknown): string | undefined {
  if (typeof data === 'string') return data.slice(0, 500)
  if (typeof data !== 'object' || data === null) return undefined
  const { message, errors } = data as { message?: unknown; errors?: unknown }
  const limit = limitError(data)
  if (limit !== undefined) return String(limit.message)
  if (typeof message !== 'string') return undefined
  return Array.isArray(errors) ? `${message}: ${JSON.stringify(errors).slice(0, 300)}` : message
}

/** What a GraphQL query says it cost. */
function costOf(data: unknown): number | undefined {
  const cost = (data as { data?: { rateLimit?: { cost?: unknown } | null } | null } | null)?.data?.rateLimit?.cost
  return typeof cost === 'number' && cost >= 0 ? cost : undefined
}
