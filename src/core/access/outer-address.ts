// Where the dashboard may listen besides this machine: in a private network, or anywhere with TLS. Everything else is refused,
// because whoever is on the way could read what is sent, keys included. Pure.
import { addressKind } from './address-kind.ts'

export interface NetworkAddress {
  /** Of the interface: `eth0`, `tailscale0`. */
  name: string
  address: string
}

export type OuterAddress = { host: string } | { problem: string; hint: string }

export interface OuterRequest {
  /** `tailscale`, or an IP address. */
  listen: string
  hasTls: boolean
  /** Those of this machine. */
  addresses: readonly NetworkAddress[]
}

export function chooseOuterAddress({ listen, hasTls, addresses }: OuterRequest): OuterAddress {
  if (listen === 'tailscale') return findTailscale(addresses)
  const kind = addressKind(listen)
  if (kind === null) return { problem: `${listen} is not an IP address`, hint: `${NAME_ONE}${listOf(addresses)}` }
  if (kind === 'own') return { problem: `${listen} is this machine, where it listens anyway`, hint: NAME_OTHER }
  if (kind === 'special')
    return { problem: `${listen} is not one address of this machine`, hint: `${NAME_ONE}${listOf(addresses)}` }
  if (!addresses.some(({ address }) => address === listen))
    return { problem: `This machine does not have the address ${listen}`, hint: `It has: ${listOf(addresses)}` }
  if (kind === 'private' || hasTls) return { host: listen }
  return {
    problem: `${listen} can be reached from the internet, and without TLS anyone on the network path can read what is sent`,
    hint: 'Give a certificate with --tls-cert and --tls-key (dashboard.tls), or listen in a private network: --listen tailscale',
  }
}

const NAME_ONE = 'Name one address: '
const NAME_OTHER = 'Leave it out, or name an address that others reach: --listen tailscale'

/** IPv4 first: people can read and type it. */
function findTailscale(addresses: readonly NetworkAddress[]): OuterAddress {
  const own = addresses.filter(({ name, address }) => isTailscale(address) && !/^(?:docker|veth|br-)/.test(name))
  const found =
    own.find(({ name, address }) => name.startsWith('tailscale') && address.includes('.')) ??
    own.find(({ address }) => address.includes('.')) ??
    own[0]
  if (found) return { host: found.address }
  return {
    problem: 'Tailscale has no address on this machine',
    hint: 'Connect it with: tailscale up. Or name an address of another private network: --listen 192.168.1.7',
  }
}

function isTailscale(address: string): boolean {
  if (address.toLowerCase().startsWith('fd7a:115c:a1e0:')) return true
  return address.startsWith('100.') && addressKind(address) === 'private'
}

function listOf(addresses: readonly NetworkAddress[]): string {
  const others = addresses
    .map(({ address }) => address)
    .filter((address) => /^(?:private|public)$/.test(addressKind(address) ?? ''))
  return others.join(', ') || 'none'
}
