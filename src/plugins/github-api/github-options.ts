// Options of the two GitHub plugins for reaching GitHub.
import type { ForgeAddress } from '../http-api/forge-address.ts'
import { boundsOf, type HttpBounds, type HttpOptions } from '../http-api/plugin-options.ts'

export interface Connection extends HttpBounds, ForgeAddress {
  graphqlUrl: string
  /** Scheme and host of its web pages. */
  webUrl: string
}

export function connectionOf(options: HttpOptions, address: ForgeAddress): Connection {
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
