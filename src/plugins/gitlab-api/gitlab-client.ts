// The one way to GitLab: its REST API in this process. Never a `glab` process, and no knowledge of what is requested.
import * as z from 'zod/mini'
import type { ErrorCode } from '../../contract/errors.ts'
import type { PluginContext } from '../../slots/plugin.ts'
import { type ApiCall, type ApiClient, createApiClient } from '../http-api/api-client.ts'
import { type ForgeAddress, forgeRow } from '../http-api/forge-address.ts'
import { boundsOf, hostName, httpKeys, httpUrl } from '../http-api/plugin-options.ts'
import { createRateBudget, headerCount, type RateWindow } from '../http-api/rate-budget.ts'
import { createTokenSource } from '../http-api/read-token.ts'

/** Keys that both GitLab plugins know; `scm` adds its own. */
export const gitlabKeys = {
  ...httpKeys,
  host: z.optional(hostName),
  /** Where the API is not at https://HOST/api/v4. */
  apiUrl: z.optional(httpUrl),
}

interface GitlabOptions extends ForgeAddress {
  rateShare?: number | undefined
  timeoutSeconds?: number | undefined
}

export interface GitlabClient {
  apiUrl: string
  /** Scheme and host of its web pages. */
  webUrl: string
  call: ApiClient
  /** Every page of a list. More than twenty pages are an error: half a list must never be taken for the list. */
  list<T>(path: string, call?: ApiCall): Promise<T[]>
}

const PER_PAGE = 100
const MAX_PAGES = 20

export function createGitlabClient(
  options: GitlabOptions,
  { env }: Pick<PluginContext, 'env'>,
  errorCode: ErrorCode,
): GitlabClient {
  const { apiUrl } = options
  const tokens = createTokenSource({ forge: forgeRow('gitlab'), address: options, env, errorCode })
  let lastToken = ''
  const { rateShare, timeoutMs } = boundsOf(options)
  const call = createApiClient({
    name: 'GitLab',
    baseUrl: apiUrl,
    errorCode,
    timeoutMs,
    budget: createRateBudget({ service: 'GitLab', share: rateShare }),
    authorization: async () => {
      lastToken = await tokens.read()
      return { authorization: `Bearer ${lastToken}` }
    },
    onUnauthorized: () => tokens.forget(lastToken),
    window: windowOf,
    tokenHint: 'Check GITLAB_TOKEN: it needs the scope api',
  })
  return {
    apiUrl,
    webUrl: apiUrl.replace(/\/api\/v4$/, ''),
    call,
    list: <T>(path: string, options?: ApiCall) => listAll<T>(call, path, options),
  }
}

async function listAll<T>(call: ApiClient, path: string, options: ApiCall = {}): Promise<T[]> {
  const all: T[] = []
  const joiner = path.includes('?') ? '&' : '?'
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const { data } = await call<T[]>(`${path}${joiner}per_page=${PER_PAGE}&page=${page}`, options)
    all.push(...data)
    if (data.length < PER_PAGE) return all
  }
  throw new Error(`GitLab has more than ${MAX_PAGES * PER_PAGE} entries for ${path.split('?')[0]}`)
}

function windowOf(headers: Headers): RateWindow | null {
  const limit = headerCount(headers.get('ratelimit-limit'))
  const remaining = headerCount(headers.get('ratelimit-remaining'))
  const reset = headerCount(headers.get('ratelimit-reset'))
  if (limit === null || remaining === null || reset === null) return null
  return { limit, remaining, resetAt: reset * 1000 }
}
