// How many connections a server holds, and who gives way when there are too many: first those that never asked for
// anything, then those without a key, then those that rest. A request with a key that is being answered, a stream and a
// terminal never give way, so that nobody without a key can lock out somebody who has one.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { readIfThere } from '../lib/plain-file.ts'

const MOST = 500
const FEWEST = 8
/** Of the file descriptors of the process, the part that connections may take. */
const PART = 1 / 4

/** Whoever just connected is about to ask. */
const GRACE_MS = 2_000

interface Place {
  since: number
  hasAsked: boolean
  /** Requests that are being answered; a connection that became a terminal always has one. */
  active: number
}

/** Connections over which a request with a good key came. */
const admitted = new WeakSet<Duplex>()

/** Called once the key of a request has been checked. */
export function admitConnection(request: IncomingMessage): void {
  admitted.add(request.socket)
}

export function limitConnections(server: Server, most = mostConnections()): void {
  // In the order of their last use, the oldest first.
  const places = new Map<Duplex, Place>()
  server.on('connection', (socket) => {
    places.set(socket, { since: performance.now(), hasAsked: false, active: 0 })
    socket.once('close', () => places.delete(socket))
    if (places.size > most) dismiss(places, findWhoGivesWay(places))
  })
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const place = places.get(socket)
    if (!place) return
    place.hasAsked = true
    place.active += 1
    response.once('close', () => {
      place.active -= 1
      if (places.delete(socket) && !socket.destroyed) places.set(socket, place)
    })
  })
  server.prependListener('upgrade', ({ socket }: IncomingMessage) => {
    const place = places.get(socket)
    if (place) Object.assign(place, { hasAsked: true, active: place.active + 1 })
  })
}

/** The newest one itself when all others are at work. */
function findWhoGivesWay(places: ReadonlyMap<Duplex, Place>): Duplex {
  const all = [...places]
  const ranks = all.map(([socket, place]) => rankOf(socket, place))
  const lowest = Math.min(...ranks)
  return lowest === AT_WORK ? all.at(-1)![0] : all[ranks.indexOf(lowest)]![0]
}

const AT_WORK = 4

function rankOf(socket: Duplex, { since, hasAsked, active }: Place): number {
  if (admitted.has(socket)) return active > 0 ? AT_WORK : 3
  if (active > 0) return 2
  if (hasAsked) return 1
  return performance.now() - since < GRACE_MS ? 2 : 0
}

function dismiss(places: Map<Duplex, Place>, socket: Duplex): void {
  places.delete(socket)
  socket.destroy()
}

/** Where few files may be open, connections must not take them all: ao needs them to look after its sessions. */
function mostConnections(): number {
  const limit = /^Max open files +(\d+)/m.exec(readLimits())?.[1]
  return limit === undefined ? MOST : Math.max(FEWEST, Math.min(MOST, Math.floor(Number(limit) * PART)))
}

function readLimits(): string {
  try {
    return readIfThere('/proc/self/limits') ?? ''
  } catch {
    // No file descriptor is left for it, or this is not Linux: the usual number then.
    return ''
  }
}
