// The one way to Forgejo and Gitea: their REST API in this process, without knowledge of what is requested.
import * as z from 'zod/mini'
import type { ProjectConfig } from '../../contract/config.ts'
import type { ErrorCode } from '../../contract/errors.ts'
import type { PluginContext } from '../../slots/plugin.ts'
import { repositoryOf } from '../github-api/repository-name.ts'
import { type ApiCall, type ApiClient, createApiClient } from '../http-api/api-client.ts'
import { type ForgeAddress, forgeRow } from '../http-api/forge-address.ts'
import { boundsOf, hostName, httpKeys, httpUrl } from '../http-api/plugin-options.ts'
import { createRateBudget } from '../http-api/rate-budget.ts'
import { createTokenSource } from '../http-api/read-token.ts'

/** Keys that both Forgejo plugins know; `scm` adds its own. */
export const forgejoKeys = {
  ...httpKeys,
  host: z.optional(hostName),
  /** Where the API is not at https://HOST/api/v1. */
  apiUrl: z.optional(httpUrl),
}

interface ForgejoOptions extends ForgeAddress {
  rateShare?: number | undefined
  timeoutSeconds?: number | undefined
}

export interface ForgejoClient {
  apiUrl: string
  /** Scheme and host of its web pages. */
  webUrl: string
  call: ApiClient
  /** Every page of a list. More than forty pages are an error: half a list must never be taken for the list. */
  list<T>(path: string, call?: ApiCall): Promise<T[]>
}

/** Servers return fifty at most, unless configured otherwise. */
const PER_PAGE = 50
const MAX_PAGES = 40

export function createForgejoClient(
  options: ForgejoOptions,
  { env }: Pick<PluginContext, 'env'>,
  errorCode: ErrorCode,
): ForgejoClient {
  const { apiUrl } = options
  const forge = forgeRow('forgejo')
  const tokens = createTokenSource({ forge, address: options, env, errorCode })
  const { rateShare, timeoutMs } = boundsOf(options)
  const call = createApiClient({
    name: 'Forgejo',
    baseUrl: apiUrl,
    errorCode,
    timeoutMs,
    budget: createRateBudget({ service: 'Forgejo', share: rateShare }),
    authorization: async () => ({ authorization: `token ${await tokens.read()}` }),
    // It has no rate limit; a proxy in front of it answers 429.
    window: () => null,
    tokenHint: `Check FORGEJO_TOKEN: it needs ${forge.tokenScope}`,
  })
  return {
    apiUrl,
    webUrl: apiUrl.replace(/\/api\/v1$/, ''),
    call,
    list: <T>(path: string, how?: ApiCall) => listAll<T>(call, path, how),
  }
}

async function listAll<T>(call: ApiClient, path: string, how: ApiCall = {}): Promise<T[]> {
  const all: T[] = []
  const joiner = path.includes('?') ? '&' : '?'
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const { data } = await call<T[] | null>(`${path}${joiner}limit=${PER_PAGE}&page=${page}`, how)
    all.push(...(data ?? []))
    if ((data ?? []).length < PER_PAGE) return all
  }
  throw new Error(`Forgejo has more than ${MAX_PAGES * PER_PAGE} entries for ${path.split('?')[0]}`)
}

/** The prefix of every API path about this project. */
export function apiPathOf(project: ProjectConfig): string {
  const { owner, repo } = repositoryOf(project)
  return `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(repo)}`
}
