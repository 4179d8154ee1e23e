// How many connections a server holds, and which are closed when there are too many: first those that never sent a request,
// then those without a key, then idle ones. A request with a key in progress, a stream and a terminal are never closed, so
// that nobody without a key can lock out somebody who has one.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { readIfThere } from '../lib/plain-file.ts'

const MOST = 500
const FEWEST = 8
/** The share of the process's file descriptors that connections may take. */
const PART = 1 / 4

/** A client that just connected is about to send a request. */
const GRACE_MS = 2_000

interface ConnectionSlot {
  since: number
  hasRequested: boolean
  /** Requests in progress; a connection that became a terminal always has one. */
  active: number
}

/** Connections that carried a request with a valid key. */
const admitted = new WeakSet<Duplex>()

/** Called once the key of a request has been checked. */
export function admitConnection(request: IncomingMessage): void {
  admitted.add(request.socket)
}

export interface ConnectionOptions {
  most?: number
  /** Whoever can connect has a key, as with a socket that only its user can open. */
  admitsEverybody?: boolean
}

export function limitConnections(
  server: Server,
  { most = mostConnections(), admitsEverybody = false }: ConnectionOptions = {},
): void {
  // In order of last use, the oldest first.
  const slots = new Map<Duplex, ConnectionSlot>()
  server.on('connection', (socket) => {
    slots.set(socket, { since: performance.now(), hasRequested: false, active: 0 })
    socket.once('close', () => slots.delete(socket))
    if (slots.size > most) dismiss(slots, findWhoGivesWay(slots))
  })
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const slot = slots.get(socket)
    if (!slot) return
    if (admitsEverybody) admitted.add(socket)
    slot.hasRequested = true
    slot.active += 1
    response.once('close', () => {
      slot.active -= 1
      if (slots.delete(socket) && !socket.destroyed) slots.set(socket, slot)
    })
  })
  server.prependListener('upgrade', ({ socket }: IncomingMessage) => {
    const slot = slots.get(socket)
    if (slot) Object.assign(slot, { hasRequested: true, active: slot.active + 1 })
  })
}

/** The newest one itself when all others are busy. */
function findWhoGivesWay(slots: ReadonlyMap<Duplex, ConnectionSlot>): Duplex {
  const all = [...slots]
  const ranks = all.map(([socket, slot]) => rankOf(socket, slot))
  const lowest = Math.min(...ranks)
  return lowest === AT_WORK ? all.at(-1)![0] : all[ranks.indexOf(lowest)]![0]
}

const AT_WORK = 4

function rankOf(socket: Duplex, { since, hasRequested, active }: ConnectionSlot): number {
  if (admitted.has(socket)) return active > 0 ? AT_WORK : 3
  if (active > 0) return 2
  if (hasRequested) return 1
  return performance.now() - since < GRACE_MS ? 2 : 0
}

function dismiss(slots: Map<Duplex, ConnectionSlot>, socket: Duplex): void {
  slots.delete(socket)
  socket.destroy()
}

/** Where few files may be open, connections must not take them all: ao needs them to manage its sessions. */
function mostConnections(): number {
  const limit = /^Max open files +(\d+)/m.exec(readLimits())?.[1]
  return limit === undefined ? MOST : Math.max(FEWEST, Math.min(MOST, Math.floor(Number(limit) * PART)))
}

function readLimits(): string {
  try {
    return readIfThere('/proc/self/limits') ?? ''
  } catch {
    // No file descriptor is left for it, or this is not Linux: the usual number applies.
    return ''
  }
}
