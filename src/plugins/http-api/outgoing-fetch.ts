// The fetch for all of ao's network requests. It uses the proxy and the certificate authorities named by this machine's
// variables; node itself reads NODE_EXTRA_CA_CERTS.
import type { Dispatcher } from 'undici'
import { AoError, errorText } from '../../contract/errors.ts'
import { readPlainText } from '../../lib/plain-file.ts'
import { isDirect, type WayOut, wayOut } from './way-out.ts'

/** By the settings it was made from: connections are kept open in it. */
const dispatchers = new Map<string, Dispatcher>()

export async function outgoingFetch(url: string, init: RequestInit): Promise<Response> {
  const way = wayOut(new URL(url), process.env)
  if (way === null) return fetch(url, init)
  // Loaded here, because it is rarely needed: node's own fetch supports none of this. All of it is its default export; its
  // types cover only part of that.
  const undici = (await import('undici')).default as unknown as typeof import('undici')
  const dispatcher = dispatcherFor(way, undici)
  try {
    return (await undici.fetch(url, { ...(init as object), dispatcher })) as unknown as Response
  } catch (error) {
    if (way.proxy === undefined || isDirect(new URL(url), way.noProxy) || init.signal?.aborted) throw error
    // fetch hides what happened in the cause.
    const why = errorText((error as { cause?: unknown }).cause ?? error)
    throw new Error(`${why} (through the proxy ${new URL(way.proxy).host})`, { cause: error })
  }
}

function dispatcherFor(way: WayOut, { EnvHttpProxyAgent }: typeof import('undici')): Dispatcher {
  const key = JSON.stringify(way)
  const cached = dispatchers.get(key)
  if (cached !== undefined) return cached
  const tls = way.caFile === undefined ? {} : { ca: authoritiesIn(way.caFile) }
  // Empty: none, whatever the environment says.
  const { proxy = '', noProxy } = way
  const made = new EnvHttpProxyAgent({
    httpProxy: proxy,
    httpsProxy: proxy,
    noProxy,
    connect: tls,
    requestTls: tls,
    proxyTls: tls,
  })
  dispatchers.set(key, made)
  return made
}

/** Instead of node's own, as for git and gh; what NODE_EXTRA_CA_CERTS adds stays added. */
function authoritiesIn(file: string): string[] {
  const { getCACertificates } = process.getBuiltinModule('node:tls')
  try {
    return [readPlainText(file), ...getCACertificates('extra')]
  } catch (error) {
    throw new AoError('USAGE', `SSL_CERT_FILE names ${file}, which cannot be read: ${errorText(error)}`, {
      hint: 'Correct or unset SSL_CERT_FILE',
    })
  }
}
