// The IP addresses of this machine, with the interface that has each.
import { networkInterfaces } from 'node:os'

export function localAddresses(): Array<{ name: string; address: string }> {
  return Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
    addresses.map(({ address }) => ({ name, address })),
  )
}
