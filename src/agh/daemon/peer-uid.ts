// Which user is at the other end of a loopback connection, from the kernel's table of sockets. Linux only.
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'

/** null: unknown. */
export function peerUid(socket: Socket): number | null {
  if (process.platform !== 'linux' || socket.remoteFamily !== 'IPv4') return null
  const theirs = endpoint(socket.remoteAddress, socket.remotePort)
  const ours = endpoint(socket.localAddress, socket.localPort)
  try {
    for (const line of readFileSync('/proc/net/tcp', 'latin1').split('\n')) {
      const [, local, remote, , , , , uid] = line.trim().split(/\s+/)
      if (local === theirs && remote === ours) return Number(uid)
    }
    return null
  } catch {
    // No such table on this system: unknown, and therefore not allowed.
    return null
  }
}

/** As the kernel prints it: `0100007F:084B`. */
function endpoint(address: string | undefined, port: number | undefined): string {
  const bytes = (address ?? '').split('.').map(Number)
  const hex = (value: number, digits: number) => value.toString(16).toUpperCase().padStart(digits, '0')
  return `${bytes
    .reverse()
    .map((byte) => hex(byte, 2))
    .join('')}:${hex(port ?? 0, 4)}`
}
