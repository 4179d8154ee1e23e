// Checks of a request before authentication: that it is meant for this server, and that no other page made the browser send
// it.
import type { IncomingMessage } from 'node:http'
import { AoError } from '../../contract/errors.ts'

/** A hostile DNS name that points here must not let a foreign page in. Returns the host. */
export function checkHost({ headersDistinct }: IncomingMessage, hosts: ReadonlySet<string>): string {
  const [host = '', ...more] = headersDistinct.host?.map((one) => one.toLowerCase()) ?? []
  if (more.length > 0) throw refused('it names more than one host')
  if (hosts.has(host)) return host
  throw refused(`the host ${host.slice(0, 100) || '(none)'} is not this server`)
}

/**
 * For everything except pages themselves. `mustSay`: a browser always names its page here, so a request without it is not a
 * browser's.
 */
export function checkOrigin({ headers }: IncomingMessage, host: string, requiresHeader: boolean): void {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw refused('another page sent this')
  const { origin } = headers
  if (origin === undefined) {
    if (requiresHeader) throw refused('the request does not say which page sent it')
    return
  }
  // https: behind the user's own proxy.
  if (origin !== `http://${host}` && origin !== `https://${host}`) throw refused('another page sent this')
}

/** A form on another page can send much, but not this type. */
export function checkContentType({ headers }: IncomingMessage): void {
  if (/^application\/json(?:\s*;|\s*$)/i.test(headers['content-type'] ?? '')) return
  throw new AoError('USAGE', 'A change must have the content type application/json', {
    hint: 'Add: -H "Content-Type: application/json"',
  })
}

export function isChange({ method }: IncomingMessage): boolean {
  return method !== 'GET' && method !== 'HEAD'
}

function refused(why: string): AoError {
  return new AoError('ACCESS_REFUSED', `Refused: ${why}`)
}
