// Who has waited long for a lock goes first: without it a busy process would starve shells, which need milliseconds to try.
// A ticket is the empty file `{lock}.ticket.{time}.{owner}`. It only decides who tries first, so it may be wrong, and
// nobody waits for one whose owner is gone, suspended or elsewhere. `ao-metadata-helper.sh` follows the same rules.
import { readdirSync, unlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parseIdentity, processState } from './process-identity.ts'

/** An older ticket is passed over: its owner was offered the lock all the time and may be suspended. */
const PATIENCE_MS = 3_000

export function drawTicket(path: string, owner: string): string {
  const ticket = `${path}.ticket.${String(Date.now()).padStart(15, '0')}.${owner}`
  writeFileSync(ticket, '', { mode: 0o600 })
  return ticket
}

/** Is there a ticket before ours (or any, when we have none)? Those of dead owners are removed on the way. */
export function mustLetOthersGo(path: string, ticket: string | null): boolean {
  const prefix = `${basename(path)}.ticket.`
  const tickets = readdirSync(dirname(path)).filter((name) => name.startsWith(prefix))
  const earlier = ticket === null ? tickets : tickets.filter((name) => name < basename(ticket))
  return earlier.sort().some((name) => goesFirst(join(dirname(path), name), name.slice(prefix.length)))
}

function goesFirst(file: string, timeAndOwner: string): boolean {
  const dot = timeAndOwner.indexOf('.')
  const identity = parseIdentity(timeAndOwner.slice(dot + 1))
  const state = identity === null ? 'dead' : processState(identity)
  if (state === 'dead') removeTicket(file)
  return state === 'alive' && Number(timeAndOwner.slice(0, dot)) > Date.now() - PATIENCE_MS
}

function removeTicket(ticket: string): void {
  try {
    unlinkSync(ticket)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
