// How a request leaves this machine, by the variables that git, gh and curl follow too.
import { AoError } from '../../contract/errors.ts'

export interface WayOut {
  /** The proxy's address; undefined: directly to the host. */
  proxy: string | undefined
  /** Hosts that are reached directly, from NO_PROXY. */
  noProxy: string
  /** The file of the certificate authorities to trust instead of node's own. */
  caFile: string | undefined
}

/** A service on this machine is never behind a proxy. */
const ALWAYS_STRAIGHT = ['localhost', '127.0.0.1', '::1']
const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i

/** null: nothing is set, so plain fetch will do. */
export function wayOut(url: URL, env: NodeJS.ProcessEnv): WayOut | null {
  const name = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const proxy = proxyAddress(name, either(env, name))
  const caFile = url.protocol === 'https:' ? env.SSL_CERT_FILE || undefined : undefined
  if (proxy === undefined && caFile === undefined) return null
  return { proxy, caFile, noProxy: [either(env, 'NO_PROXY') ?? '', ...ALWAYS_STRAIGHT].join(',') }
}

/** Is the host reached without the proxy? As undici decides it: a name, its subdomains, and a port where one is given. */
export function isDirect({ hostname, port, protocol }: URL, noProxy: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase()
  const used = port || (protocol === 'https:' ? '443' : '80')
  return noProxy.split(/[\s,]+/).some((entry) => {
    if (entry === '*') return true
    const [, name = '', onlyPort] = /^(.*?)(?::(\d+))?$/.exec(entry.includes('::') ? `[${entry}]` : entry) ?? []
    const bare = name
      .replace(/^\[|\]$/g, '')
      .replace(/^\*?\./, '')
      .toLowerCase()
    if (bare === '' || (onlyPort !== undefined && onlyPort !== used)) return false
    return host === bare || host.endsWith(`.${bare}`)
  })
}

/** Lower case first, as in curl. */
function either(env: NodeJS.ProcessEnv, name: string): string | undefined {
  return env[name.toLowerCase()] || env[name] || undefined
}

function proxyAddress(name: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined
  const address = SCHEME.test(value) ? value : `http://${value}`
  const scheme = SCHEME.exec(address)?.[1]?.toLowerCase()
  if (URL.canParse(address) && (scheme === 'http' || scheme === 'https')) return address
  throw new AoError('USAGE', `${name} is not the address of an HTTP proxy`, {
    hint: `Set it to an address such as http://proxy.example:3128, or unset ${name}`,
  })
}
