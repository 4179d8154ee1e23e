// Where a push message may be sent. The address comes from a browser, so from the network: only https, only names and addresses
// of the internet, nothing of this machine or the networks around it. Pure.
import { addressKind } from './address-kind.ts'

/** null: it may be used, if its name leads to public addresses only. */
export function endpointProblem(endpoint: string): string | null {
  const url = URL.parse(endpoint)
  if (!url || endpoint.length > 2_000) return 'is not an address'
  if (url.protocol !== 'https:') return 'is not https'
  if (url.username !== '' || url.password !== '') return 'has a password in it'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const kind = addressKind(host)
  if (kind !== null) return kind === 'public' ? null : 'is not on the internet'
  const isPublicName =
    host.includes('.') && !/\.(?:local|localhost|lan|internal|intranet|home|arpa|test)\.?$/.test(host)
  return isPublicName ? null : 'is not on the internet'
}

/** What its name leads to. */
export function areAllPublic(addresses: readonly string[]): boolean {
  return addresses.length > 0 && addresses.every((address) => addressKind(address) === 'public')
}
