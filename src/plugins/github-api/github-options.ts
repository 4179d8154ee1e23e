// Options of the two GitHub plugins for reaching GitHub.
import * as z from 'zod/mini'
import type { ForgeAddress } from '../http-api/forge-address.ts'
import { boundsOf, type HttpBounds, hostName, httpKeys, httpUrl } from '../http-api/plugin-options.ts'

/** Keys that both plugins know; `scm` adds its own. `apiUrl`: `https://HOST/api/v3` for a self-hosted server. */
export const connectionKeys = { ...httpKeys, host: z.optional(hostName), apiUrl: z.optional(httpUrl) }

export interface Connection extends HttpBounds, ForgeAddress {
  graphqlUrl: string
  /** Scheme and host of its web pages. */
  webUrl: string
}

interface ConnectionOptions {
  rateShare?: number | undefined
  timeoutSeconds?: number | undefined
}

export function connectionOf(options: ConnectionOptions, address: ForgeAddress): Connection {
  const { apiUrl } = address
  return {
    ...boundsOf(options),
    ...address,
    // A self-hosted server answers GraphQL beside `/api/v3`, not below it.
    graphqlUrl: `${apiUrl.replace(/\/api\/v3$/, '/api')}/graphql`,
    webUrl: webUrlOf(apiUrl),
  }
}

function webUrlOf(apiUrl: string): string {
  const { protocol, host } = new URL(apiUrl)
  if (host === 'api.github.com') return 'https://github.com'
  return `${protocol}//${host.replace(/^api\.(?=.+\.ghe\.com$)/, '')}`
}
