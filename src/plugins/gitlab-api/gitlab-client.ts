// The one way to GitLab: its REST API in this process. Never a `glab` process, and no knowledge of what is asked.
import * as z from 'zod/mini'
import type { ErrorCode } from '../../contract/errors.ts'
import { AoError } from '../../contract/errors.ts'
import type { PluginContext } from '../../slots/plugin.ts'
import { type ApiCall, type ApiClient, createApiClient } from '../http-api/api-client.ts'
import { boundsOf, httpKeys, httpUrl, isLoopback } from '../http-api/plugin-options.ts'
import { createRateBudget, headerCount, type RateWindow } from '../http-api/rate-budget.ts'

/** Keys that both GitLab plugins know; `scm` adds its own. */
export const gitlabKeys = {
  ...httpKeys,
  host: z.optional(z.string().check(z.regex(/^[A-Za-z0-9.-]+(?::[0-9]+)?$/, 'must be a host name'))),
  /** Where the API is not at https://HOST/api/v4. */
  apiUrl: z.optional(httpUrl),
}

interface GitlabOptions {
  host?: string | undefined
  apiUrl?: string | undefined
  rateShare?: number | undefined
  timeoutSeconds?: number | undefined
}

export interface GitlabClient {
  /** Scheme and host of the pages that people see. */
  webUrl: string
  call: ApiClient
  /** Every page of a list. More than twenty pages are an error: half a list must never pass for the list. */
  list<T>(path: string, call?: ApiCall): Promise<T[]>
}

const PER_PAGE = 100
const MAX_PAGES = 20

export function createGitlabClient(
  options: GitlabOptions,
  { env }: Pick<PluginContext, 'env'>,
  errorCode: ErrorCode,
): GitlabClient {
  const apiUrl = (options.apiUrl ?? `https://${options.host ?? 'gitlab.com'}/api/v4`).replace(/\/+$/, '')
  const { rateShare, timeoutMs } = boundsOf(options)
  const call = createApiClient({
    name: 'GitLab',
    baseUrl: apiUrl,
    errorCode,
    timeoutMs,
    budget: createRateBudget({ service: 'GitLab', share: rateShare }),
    authorization: () => ({ authorization: `Bearer ${readToken(env, apiUrl, errorCode)}` }),
    window: windowOf,
    tokenHint: 'Check GITLAB_TOKEN: it needs the scope api',
  })
  return {
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

/** A configuration that a repository brings along must not be able to send the user's token to any host it likes. */
function readToken(env: NodeJS.ProcessEnv, apiUrl: string, errorCode: ErrorCode): string {
  const token = env.GITLAB_TOKEN?.trim()
  if (!token) {
    throw new AoError(errorCode, 'There is no token for GitLab', { hint: 'Set GITLAB_TOKEN; it needs the scope api' })
  }
  const { protocol, host } = new URL(apiUrl)
  const own = [env.GITLAB_HOST, env.CI_SERVER_HOST].map((name) => name?.replace(/^https?:\/\//, '').replace(/\/+$/, ''))
  const isMeant = protocol === 'https:' && (host === 'gitlab.com' || own.includes(host))
  if (isMeant || isLoopback(apiUrl)) return token
  throw new AoError(
    errorCode,
    `GITLAB_TOKEN is not sent to ${protocol}//${host} before you say that it belongs there`,
    {
      hint: `Say so with: export GITLAB_HOST=${host}`,
      details: { host },
    },
  )
}

/** For `ao doctor`. */
export async function detectGitlabToken({
  env,
}: PluginContext): Promise<{ ok: boolean; detail: string; fix?: string }> {
  if (env.GITLAB_TOKEN?.trim()) return { ok: true, detail: 'GITLAB_TOKEN is set' }
  return { ok: false, detail: 'GITLAB_TOKEN is not set', fix: 'Set GITLAB_TOKEN; it needs the scope api' }
}
