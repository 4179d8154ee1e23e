// A long waiter for a lock goes first: otherwise a busy process would starve shells, which need milliseconds per attempt. A
// ticket is the empty file `{lock}.ticket.{time}.{owner}`. It only decides who tries first, so it may be wrong, and nobody
// waits for one whose owner is gone, suspended or elsewhere. `ao-lock.sh` follows the same rules.
import { readdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isSuspended, parseIdentity, processState } from '../process/process-identity.ts'
import { removeFile } from '../remove.ts'

/** Longer than nearly any wait, so that taking turns, which is slow, stays the exception. */
const DRAW_AFTER_MS = 300
/** A live waiter draws a new ticket in time; an older one belongs to a process that hangs. */
const RENEW_AFTER_MS = 10_000
const VALID_MS = 15_000

export interface QueueTurn {
  hasTicket(): boolean
  /** Is there a ticket before ours (or any, when we have none)? */
  mustLetOthersGo(): boolean
  /** Call it while waiting: draws a ticket when it is time to. */
  keepTurn(): void
  leave(): void
}

export function joinQueue(path: string, owner: string): QueueTurn {
  const joinedAt = Date.now()
  let ticket: string | null = null
  let drawnAt = 0
  const leave = () => {
    if (ticket !== null) removeFile(ticket)
    ticket = null
  }
  return {
    hasTicket: () => ticket !== null,
    mustLetOthersGo: () => mustLetOthersGo(path, ticket),
    keepTurn() {
      const now = Date.now()
      if (now < joinedAt + DRAW_AFTER_MS || (ticket !== null && now < drawnAt + RENEW_AFTER_MS)) return
      leave()
      const drawn = `${path}.ticket.${String(now).padStart(15, '0')}.${owner}`
      drawnAt = now
      try {
        writeFileSync(drawn, '', { mode: 0o600 })
        ticket = drawn
      } catch {
        // Waiting goes on without one: a full disk or no free descriptors only cost the courtesy.
      }
    },
    leave,
  }
}

function mustLetOthersGo(path: string, ticket: string | null): boolean {
  const prefix = `${basename(path)}.ticket.`
  const tickets = siblingsOf(path).filter((name) => name.startsWith(prefix))
  const earlier = ticket === null ? tickets : tickets.filter((name) => name < basename(ticket))
  return earlier.sort().some((name) => {
    const timeAndOwner = name.slice(prefix.length)
    const isValid = Number(timeAndOwner.split('.', 1)[0]) > Date.now() - VALID_MS
    return isOwnerWaiting(join(dirname(path), name), timeAndOwner) && isValid
  })
}

/** What is in the lock's directory. Order is a courtesy: where it cannot be read (no free descriptors), nobody is ahead. */
export function siblingsOf(path: string): string[] {
  try {
    return readdirSync(dirname(path))
  } catch {
    return []
  }
}

/** The file of a dead owner is removed on the way. */
export function isOwnerWaiting(file: string, timeAndOwner: string): boolean {
  const identity = parseIdentity(timeAndOwner.slice(timeAndOwner.indexOf('.') + 1))
  const state = identity === null ? 'dead' : processState(identity)
  if (state === 'dead') removeFile(file)
  return identity !== null && state === 'alive' && !isSuspended(identity.pid)
}
