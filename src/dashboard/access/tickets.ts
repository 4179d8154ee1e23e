// Tickets for terminals: each opens one session in one mode, once, within seconds. Kept in memory only.
import { randomBytes } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'

export interface Ticket {
  sessionId: string
  mode: 'read' | 'write'
}

export interface Tickets {
  issue(ticket: Ticket): string
  /** null: never issued, already used, or too old. Checking a ticket uses it up. */
  redeem(code: string): Ticket | null
}

const GOOD_FOR_MS = 30_000
/** A client that requests more has long lost the oldest. */
const MOST_TICKETS = 1_000

export function createTickets(clock: Clock): Tickets {
  const given = new Map<string, Ticket & { until: number }>()
  return {
    issue({ sessionId, mode }) {
      const code = randomBytes(24).toString('base64url')
      given.set(code, { sessionId, mode, until: clock.now().getTime() + GOOD_FOR_MS })
      if (given.size > MOST_TICKETS) given.delete(given.keys().next().value!)
      return code
    },
    redeem(code) {
      const found = given.get(code)
      given.delete(code)
      if (!found || found.until < clock.now().getTime()) return null
      return { sessionId: found.sessionId, mode: found.mode }
    },
  }
}
