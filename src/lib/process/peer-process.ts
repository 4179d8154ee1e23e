// Which processes are at the other end of a connection on this machine, by the kernel's own account. Linux only.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import type { Socket } from 'node:net'
import { startProgram } from '../start-program.ts'

/**
 * unknown: this system does not say. An empty list of pids: whoever connected has ended, or is not visible from here.
 */
export type Peer = { kind: 'unknown' } | { kind: 'processes'; pids: number[] }

const UNKNOWN: Peer = { kind: 'unknown' }
const NOBODY: Peer = { kind: 'processes', pids: [] }

export async function findPeer(socket: Socket): Promise<Peer> {
  if (process.platform !== 'linux') return UNKNOWN
  if (socket.remoteAddress === undefined) return unixPeer(socket)
  const inode = tcpRow(socket)?.inode
  return inode === undefined ? NOBODY : { kind: 'processes', pids: holdersOf(`socket:[${inode}]`) }
}

/** Of the other end of a loopback connection. null: the kernel's table does not have it. */
export function tcpRow(socket: Socket): { uid: number; inode: string } | null {
  if (process.platform !== 'linux' || socket.remoteFamily !== 'IPv4') return null
  const theirs = endpoint(socket.remoteAddress, socket.remotePort)
  const ours = endpoint(socket.localAddress, socket.localPort)
  try {
    for (const line of readFileSync('/proc/net/tcp', 'latin1').split('\n')) {
      const [, local, remote, , , , , uid, , inode] = line.trim().split(/\s+/)
      if (local === theirs && remote === ours) return { uid: Number(uid), inode: inode! }
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

/** Everybody who has it open: a connection can be inherited. */
function holdersOf(link: string): number[] {
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
  if (fd === undefined || fd < 0) return NOBODY
  for (const [program, ...args] of ASKING) {
    const answer = await ask(program, args, fd)
    if (answer !== 'not installed') return { kind: 'processes', pids: answer.filter(isThere) }
  }
  return UNKNOWN
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
