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
  requireSafeUrl(config)
  return { host, port: config.port }
}

/** Answers to agents travel over it: in the open only where nobody else can listen. */
function requireSafeUrl({ dashboard }: OrchestratorConfig): void {
  const { url } = dashboard ?? {}
  if (url === undefined) return
  const parsed = URL.parse(url)
  if (
    !parsed ||
    !/^https?:$/.test(parsed.protocol) ||
    parsed.username ||
    parsed.search ||
    parsed.hash ||
    parsed.pathname !== '/'
  ) {
    throw new AoError('CONFIG_INVALID', `dashboard.url is ${JSON.stringify(url)}, not the address of a server`, {
      hint: 'Write it as https://name or http://name:port',
    })
  }
  if (parsed.protocol === 'https:' || isPrivateHost(parsed.hostname)) return
  throw new AoError('CONFIG_INVALID', `dashboard.url is ${url}, and anybody on the way could read and use its links`, {
    hint: 'Use https, or an address of a private network such as http://100.64.0.7:3000 (Tailscale) or http://192.168.1.7:3000',
  })
}

const PRIVATE_ADDRESS =
  /^(?:127\.|10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)[\d.]+$/

/** Loopback, private and carrier-grade ranges, unique local IPv6, and names that no public resolver answers. */
function isPrivateHost(host: string): boolean {
  if (host.startsWith('[')) return /^\[(?:::1|f[cd][0-9a-f]{2}:.*|fe[89ab][0-9a-f]:.*)\]$/.test(host)
  return PRIVATE_ADDRESS.test(host) || !host.includes('.') || /\.(?:local|lan|internal|home\.arpa|ts\.net)$/.test(host)
}

/** Only this machine can reach it. */
export function isLocal({ dashboard }: OrchestratorConfig): boolean {
  return dashboard?.listen === undefined && (dashboard?.host === undefined || LOOPBACK.has(dashboard.host))
}

/** Host headers that mean this server, for the port it got. `outer`: the address where it listens besides this machine. */
export function hostNames(config: OrchestratorConfig, port: number, outer?: string): ReadonlySet<string> {
  const { dashboard } = config
  const { host, allowedHosts = [] } = dashboard ?? {}
  const own = host === undefined || LOOPBACK.has(host) || EVERYWHERE.has(host) ? [] : [bracketed(host)]
  const names = ['localhost', '127.0.0.1', '[::1]', ...own, ...(outer === undefined ? [] : [bracketed(outer)])]
  const withPort = names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]))
  // Through a proxy the port is the proxy's.
  const reached = dashboard?.url === undefined ? [] : [URL.parse(dashboard.url)?.host ?? '']
  const configured = [...allowedHosts, ...reached].flatMap((name) => [
    name.toLowerCase(),
    `${name.toLowerCase()}:${port}`,
  ])
  return new Set([...withPort, ...configured])
}

/** What a person opens on this machine. */
export function ownOrigin(config: OrchestratorConfig, port: number): string {
  const { host } = config.dashboard ?? {}
  const name = host === undefined || LOOPBACK.has(host) || EVERYWHERE.has(host) ? 'localhost' : bracketed(host)
  return `http://${name}:${port}`
}

/** What others open; null: nobody else can reach it. */
export function outerOrigin(config: OrchestratorConfig, port: number, outer: string | null): string | null {
  const { url, tls } = config.dashboard ?? {}
  if (url !== undefined) return new URL(url).origin
  if (outer !== null) return `${tls ? 'https' : 'http'}://${bracketed(outer)}:${port}`
  return isLocal(config) ? null : ownOrigin(config, port)
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host.toLowerCase()
}
