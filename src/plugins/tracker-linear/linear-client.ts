// The one way to Linear: its GraphQL API. A query either has its complete answer or is an error.
import { AoError } from '../../contract/errors.ts'
import { isLoopback } from '../../core/forge/choose-token.ts'
import type { PluginContext } from '../../slots/plugin.ts'
import { createApiClient } from '../http-api/api-client.ts'
import { HttpApiError } from '../http-api/http-api-error.ts'
import type { HttpOptions } from '../http-api/plugin-options.ts'
import { headerCount, type RateWindow } from '../http-api/rate-budget.ts'

interface LinearOptions extends HttpOptions {
  apiUrl?: string | undefined
}

interface GraphqlBody {
  data?: unknown
  errors?: Array<{ message?: string; extensions?: { userPresentableMessage?: string } }>
}

export interface LinearClient {
  query<T>(query: string, variables: Record<string, unknown>): Promise<T>
  /** Never retried automatically. */
  change<T>(mutation: string, variables: Record<string, unknown>): Promise<T>
}

export function createLinearClient(options: LinearOptions, { env }: Pick<PluginContext, 'env'>): LinearClient {
  const baseUrl = (options.apiUrl ?? 'https://api.linear.app').replace(/(?<!\/)\/+$/, '')
  const call = createApiClient({
    name: 'Linear',
    baseUrl,
    errorCode: 'TRACKER_FAILED',
    limits: options,
    authorization: () => ({ authorization: readKey(env, baseUrl) }),
    window: windowOf,
    tokenHint: 'Check LINEAR_API_KEY',
    // Linear signals it with a 400.
    judge: ({ status, text }) => ({ limited: status === 400 && text.includes('RATELIMITED') }),
  })
  const send = async (query: string, variables: Record<string, unknown>, readOnly: boolean): Promise<unknown> => {
    const body = { query, variables }
    const { data: answer } = await call<GraphqlBody>('/graphql', { method: 'POST', body, readOnly })
    if (answer?.errors?.length || !answer?.data) throw failed(answer?.errors ?? [])
    return answer.data
  }
  return {
    query: async <T>(query: string, variables: Record<string, unknown>) => (await send(query, variables, true)) as T,
    change: async <T>(query: string, variables: Record<string, unknown>) => (await send(query, variables, false)) as T,
  }
}

function failed(errors: NonNullable<GraphqlBody['errors']>): HttpApiError {
  const reason = errors.map((one) => one.extensions?.userPresentableMessage ?? one.message ?? '').join('; ')
  return new HttpApiError('TRACKER_FAILED', `Linear refused: ${reason || 'it gave no data'}`, { status: 200, reason })
}

/** Keys are sent as they are, OAuth tokens as bearer. A repository must not be able to send them elsewhere. */
function readKey(env: NodeJS.ProcessEnv, baseUrl: string): string {
  const key = env.LINEAR_API_KEY?.trim()
  if (!key) throw new AoError('TRACKER_FAILED', 'There is no key for Linear', { hint: 'Set LINEAR_API_KEY' })
  if (baseUrl !== 'https://api.linear.app' && !isLoopback(baseUrl)) {
    throw new AoError('TRACKER_FAILED', `LINEAR_API_KEY is not sent to ${baseUrl}`, {
      hint: 'Leave apiUrl out: Linear has one address only',
    })
  }
  return key.startsWith('lin_oauth_') ? `Bearer ${key}` : key
}

function windowOf(headers: Headers): RateWindow | null {
  const limit = headerCount(headers.get('x-ratelimit-requests-limit'))
  const remaining = headerCount(headers.get('x-ratelimit-requests-remaining'))
  const resetAt = headerCount(headers.get('x-ratelimit-requests-reset'))
  return limit === null || remaining === null || resetAt === null ? null : { limit, remaining, resetAt }
}
