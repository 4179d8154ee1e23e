// Where the dashboard listens and under which names it is reached. Listening on other addresses than loopback needs a
// token.
import type { OrchestratorConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import { SHORTEST_TOKEN } from '../../http/access-token.ts'
import type { Address } from './listen.ts'

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost'])
const EVERYWHERE: ReadonlySet<string> = new Set(['0.0.0.0', '::'])

export function listenAddress(config: OrchestratorConfig): Address {
  const { host = '127.0.0.1', token } = config.dashboard ?? {}
  if (!LOOPBACK.has(host) && token === undefined) {
    throw new AoError('CONFIG_INVALID', `dashboard.host is ${host}, which others can reach: it needs dashboard.token`, {
      hint: 'Set dashboard.token to the name of a variable, such as ${AO_TOKEN}',
    })
  }
  if (token !== undefined && token.length < SHORTEST_TOKEN) {
    throw new AoError('CONFIG_INVALID', `dashboard.token must have at least ${SHORTEST_TOKEN} characters`)
  }
  return { host, port: config.port }
}

/** Only this machine can reach it. */
export function isLocal({ dashboard }: OrchestratorConfig): boolean {
  return dashboard?.host === undefined || LOOPBACK.has(dashboard.host)
}

/** Host headers that mean this server, for the port it got. */
export function hostNames(config: OrchestratorConfig, port: number): ReadonlySet<string> {
  const { host, allowedHosts = [] } = config.dashboard ?? {}
  const own = host === undefined || LOOPBACK.has(host) || EVERYWHERE.has(host) ? [] : [bracketed(host)]
  const names = ['localhost', '127.0.0.1', '[::1]', ...own]
  const withPort = names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]))
  // Through a proxy the port is the proxy's.
  const configured = allowedHosts.flatMap((name) => [name.toLowerCase(), `${name.toLowerCase()}:${port}`])
  return new Set([...withPort, ...configured])
}

/** What a person opens on this machine. */
export function ownOrigin(config: OrchestratorConfig, port: number): string {
  const { host } = config.dashboard ?? {}
  const name = host === undefined || LOOPBACK.has(host) || EVERYWHERE.has(host) ? 'localhost' : bracketed(host)
  return `http://${name}:${port}`
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host.toLowerCase()
}
