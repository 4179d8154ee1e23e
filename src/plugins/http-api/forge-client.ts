// The one way to a forge over its REST API: in this process, and without knowledge of what is requested.
import type { ErrorCode } from '../../contract/errors.ts'
import type { ForgeRow } from '../../contract/forges.ts'
import type { PluginContext } from '../../slots/plugin.ts'
import { type ApiCall, type ApiClient, type ApiService, createApiClient } from './api-client.ts'
import { type ForgeAddress, forgeRow } from './forge-address.ts'
import type { HttpOptions } from './plugin-options.ts'
import type { RateWindow } from './rate-budget.ts'
import { createTokenSource } from './read-token.ts'

export interface ForgeClient {
  apiUrl: string
  /** Scheme and host of its web pages. */
  webUrl: string
  call: ApiClient
  /** Every page of a list. More pages than the most are an error: half a list must never be taken for the list. */
  list<T>(path: string, call?: ApiCall): Promise<T[]>
}

/** How the APIs of forges differ. */
interface ForgeHabits {
  /** Of the authorization header. */
  scheme: string
  perPage: { name: string; count: number }
  mostPages: number
  window(headers: Headers): RateWindow | null
}

export type CreateClient<C> = (
  options: ForgeAddress & HttpOptions,
  context: Pick<PluginContext, 'env'>,
  errorCode: ErrorCode,
) => C

/** Its API with its token, within its rate limit. */
export function forgeApi(
  forge: ForgeRow,
  [options, { env }, errorCode]: Parameters<CreateClient<ForgeClient>>,
  { scheme, ...habits }: Pick<ForgeHabits, 'scheme' | 'window'> & Partial<ApiService>,
): ApiClient {
  const tokens = createTokenSource({ forge, address: options, env, errorCode })
  let lastToken = ''
  return createApiClient({
    name: forge.title,
    baseUrl: options.apiUrl,
    errorCode,
    limits: options,
    authorization: async () => {
      lastToken = await tokens.read()
      return { authorization: `${scheme} ${lastToken}` }
    },
    onUnauthorized: () => tokens.forget(lastToken),
    tokenHint: `Check ${forge.tokenVariables[0]}: it needs ${forge.tokenScope}`,
    ...habits,
  })
}

export function forgeClient(plugin: string, habits: ForgeHabits): CreateClient<ForgeClient> {
  const forge = forgeRow(plugin)
  return (...given) => {
    const { scheme, perPage, mostPages, window } = habits
    const [{ apiUrl }] = given
    const call = forgeApi(forge, given, { scheme, window })
    return {
      apiUrl,
      webUrl: apiUrl.endsWith(forge.apiPath) ? apiUrl.slice(0, -forge.apiPath.length) : apiUrl,
      call,
      async list<T>(path: string, how: ApiCall = {}) {
        const all: T[] = []
        const joiner = path.includes('?') ? '&' : '?'
        for (let page = 1; page <= mostPages; page += 1) {
          const address = `${path}${joiner}${perPage.name}=${perPage.count}&page=${page}`
          const { data, headers } = await call<T[] | null>(address, how)
          const count = data?.length ?? 0
          all.push(...(data ?? []))
          // A server may give fewer on a page than it was asked for, and says whether there are more.
          if (count === 0 || (count < perPage.count && !hasMore(headers, all.length))) return all
        }
        throw new Error(`${forge.title} has more than ${mostPages * perPage.count} entries for ${path.split('?')[0]}`)
      },
    }
  }
}

function hasMore(headers: Headers, count: number): boolean {
  const total = Number(headers.get('x-total-count') ?? headers.get('x-total') ?? Number.NaN)
  return count < total || /[;,]\s*rel="?next"?/.test(headers.get('link') ?? '')
}
