// Which processes are at the other end of a connection on this machine, by the kernel's own account. Linux only.
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import type { Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { addressKind, ipv6Groups } from '../../core/access/address-kind.ts'
import { startProgram } from '../start-program.ts'
import { ancestorEnvironments } from './ancestor-environments.ts'

/**
 * unknown: this system does not say. elsewhere: another machine. ended: whoever connected is gone. hidden: a process that this
 * user may not inspect, such as sshd or another user's proxy.
 */
export type Peer =
  | { kind: 'unknown' | 'elsewhere' | 'ended' | 'hidden' }
  | { kind: 'processes'; pids: readonly [number, ...number[]] }

type PeerEnvironments = Exclude<Peer['kind'], 'processes'> | readonly NodeJS.ProcessEnv[]

/** A connection's peer never changes. */
const peers = new WeakMap<Socket, Promise<PeerEnvironments>>()

/** The variables of whoever is at the other end, and of the processes above. */
export function peerEnvironments(socket: Socket): Promise<PeerEnvironments> {
  const before = peers.get(socket)
  if (before) return before
  const reading = findPeer(socket).then((peer) =>
    peer.kind === 'processes' ? peer.pids.flatMap((pid) => ancestorEnvironments(pid)) : peer.kind,
  )
  peers.set(socket, reading)
  return reading
}

export async function findPeer(socket: Socket): Promise<Peer> {
  if (process.platform !== 'linux') return { kind: 'unknown' }
  if (socket.remoteAddress === undefined) return unixPeer(socket)
  if (!existsSync(TABLES[0][0])) return { kind: 'unknown' }
  const row = tcpRow(socket)
  if (row === null) return { kind: isOwnAddress(socket.remoteAddress) ? 'ended' : 'elsewhere' }
  // A connection that its process has closed belongs to nobody.
  if (row.inode === '0') return { kind: 'ended' }
  return processes(holdersOf(`socket:[${row.inode}]`), 'hidden')
}

function processes(pids: readonly number[], otherwise: 'ended' | 'hidden'): Peer {
  const [first, ...more] = pids
  return first === undefined ? { kind: otherwise } : { kind: 'processes', pids: [first, ...more] }
}

/** Of the other end of a connection on this machine. null: the kernel's tables do not have it. */
export function tcpRow(socket: Socket): { uid: number; inode: string } | null {
  const { remoteAddress, remotePort, localAddress, localPort } = socket
  if (process.platform !== 'linux') return null
  for (const [file, printed] of TABLES) {
    const theirs = printed(remoteAddress ?? '')
    const ours = printed(localAddress ?? '')
    if (theirs === null || ours === null) continue
    const found = findRow(file, `${theirs}:${hex(remotePort, 4)}`, `${ours}:${hex(localPort, 4)}`)
    if (found) return found
  }
  return null
}

/** Which socket a program uses for IPv4 is its own choice: either table may have it, and each prints addresses in its way. */
const TABLES = [
  ['/proc/net/tcp', printIpv4],
  ['/proc/net/tcp6', printIpv6],
] as const

function findRow(file: string, theirs: string, ours: string): { uid: number; inode: string } | null {
  try {
    for (const line of readFileSync(file, 'latin1').split('\n')) {
      const [, local, remote, , , , , uid, , inode] = line.trim().split(/\s+/)
      if (local === theirs && remote === ours) return { uid: Number(uid), inode: inode! }
    }
    return null
  } catch {
    // No such table on this system: unknown, and therefore not allowed.
    return null
  }
}

const MAPPED = /^::ffff:(?=\d+\.)/i

/** `127.0.0.1` → `0100007F`; null: it is not IPv4. */
function printIpv4(address: string): string | null {
  const bytes = address.replace(MAPPED, '').split('.').map(Number)
  return bytes.length === 4 ? printWord(bytes) : null
}

function printIpv6(address: string): string | null {
  const groups = ipv6Groups(address.includes(':') ? address : `::ffff:${address}`)
  if (groups === null) return null
  const bytes = groups.flatMap((group) => [group >> 8, group & 255])
  return [0, 4, 8, 12].map((at) => printWord(bytes.slice(at, at + 4))).join('')
}

/** The last byte first, as the kernel of every machine that we run on does. */
function printWord(bytes: readonly number[]): string {
  return bytes
    .toReversed()
    .map((byte) => hex(byte, 2))
    .join('')
}

function hex(value: number | undefined, digits: number): string {
  return (value ?? 0).toString(16).toUpperCase().padStart(digits, '0')
}

function isOwnAddress(address: string): boolean {
  const plain = address.replace(MAPPED, '')
  if (addressKind(plain) === 'own') return true
  return Object.values(networkInterfaces()).some((all) => all?.some((one) => one.address === plain))
}

/** Everybody who has it open, on Linux: a file, or a connection, which can be inherited. */
export function holdersOf(link: string): number[] {
  return readdirSync('/proc').flatMap((entry) => {
    const pid = Number(entry)
    return Number.isInteger(pid) && holds(pid, link) ? [pid] : []
  })
}

function holds(pid: number, link: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => readLink(`/proc/${pid}/fd/${fd}`) === link)
  } catch {
    // It has ended, or is another user's.
    return false
  }
}

function readLink(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch {
    // Closed meanwhile.
    return null
  }
}

/** Node cannot ask a Unix socket for its peer. Perl, which comes with nearly every Linux, can; otherwise Python. */
const ASKING: ReadonlyArray<readonly [string, ...string[]]> = [
  ['perl', '-MSocket', '-e', 'open(S,"+<&=",3) or exit 1; print unpack("i",getsockopt(S,SOL_SOCKET,SO_PEERCRED))'],
  [
    'python3',
    '-c',
    'import socket,struct\ns=socket.socket(fileno=3)\nprint(struct.unpack("i",s.getsockopt(1,socket.SO_PEERCRED,4))[0])',
  ],
]
const ASKING_MS = 10_000

async function unixPeer(socket: Socket): Promise<Peer> {
  // As a number: a stream that is handed to a child is no longer read here.
  const { fd } = (socket as { _handle?: { fd?: number } })._handle ?? {}
  if (fd === undefined || fd < 0) return { kind: 'ended' }
  for (const [program, ...args] of ASKING) {
    const answer = await ask(program, args, fd)
    if (answer !== 'not installed') return processes(answer.filter(isThere), 'ended')
  }
  return { kind: 'unknown' }
}

function ask(program: string, args: readonly string[], fd: number): Promise<number[] | 'not installed'> {
  return new Promise((resolve) => {
    // Not one of the first three: those are switched to blocking, and the connection is shared.
    const child = startProgram(program, args, { stdio: ['ignore', 'pipe', 'ignore', fd] })
    const timer = setTimeout(() => child.kill('SIGKILL'), ASKING_MS)
    let text = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
    })
    child.once('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer)
      resolve(error.code === 'ENOENT' ? 'not installed' : [])
    })
    child.once('close', () => {
      clearTimeout(timer)
      const pid = Number(text)
      resolve(Number.isInteger(pid) && pid > 0 ? [pid] : [])
    })
  })
}

function isThere(pid: number): boolean {
  try {
    readFileSync(`/proc/${pid}/stat`)
    return true
  } catch {
    // It has ended.
    return false
  }
}
