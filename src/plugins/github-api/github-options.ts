// What the two GitHub plugins can be told about how to reach GitHub.
import * as z from 'zod/mini'
import { boundsOf, type HttpBounds, httpKeys, httpUrl } from '../http-api/plugin-options.ts'

/** Keys that both plugins know; `scm` adds its own. `apiUrl`: `https://HOST/api/v3` for a server of one's own. */
export const connectionKeys = { ...httpKeys, apiUrl: z.optional(httpUrl) }

export interface Connection extends HttpBounds {
  apiUrl: string
  graphqlUrl: string
  /** Scheme and host of the pages that people see. */
  webUrl: string
}

interface ConnectionOptions {
  apiUrl?: string | undefined
  rateShare?: number | undefined
  timeoutSeconds?: number | undefined
}

export function connectionOf(options: ConnectionOptions): Connection {
  const apiUrl = (options.apiUrl ?? 'https://api.github.com').replace(/\/+$/, '')
  return {
    ...boundsOf(options),
    apiUrl,
    // A server of one's own answers GraphQL beside `/api/v3`, not below it.
    graphqlUrl: `${apiUrl.replace(/\/api\/v3$/, '/api')}/graphql`,
    webUrl: webUrlOf(apiUrl),
  }
}

function webUrlOf(apiUrl: string): string {
  const { protocol, host } = new URL(apiUrl)
  if (host === 'api.github.com') return 'https://github.com'
  return `${protocol}//${host.replace(/^api\.(?=.+\.ghe\.com$)/, '')}`
}
