// Why an agent cannot continue, from the words of its error. Pure.
import type { ErrorCause } from '../../contract/dashboard/needs.ts'

/** What ao's own readers put before the agent's words. */
const DETECTOR = /^(?:it is blocked by: |agh: the last turn failed(?:: )?|demo log: (?:turn failed: )?|its screen: )+/i

/** The words of the agent or its provider; never those of the detector. */
export function errorMessage(blockedBy: string): string {
  return blockedBy.replace(DETECTOR, '').trim()
}

const CAUSES: ReadonlyArray<[cause: ErrorCause, pattern: RegExp]> = [
  [
    'signed_out',
    /\b401\b|\/login\b|log ?in again|sign(?:ed)? ?(?:in|out)\b|unauthori[sz]ed|oauth|invalid api key|authentication|token (?:has )?expired|not logged in/i,
  ],
  [
    'limit',
    /usage limit|limit reached|rate.?limit|quota|credit|billing|\b402\b|\b429\b|too many requests|resets? (?:at|in)/i,
  ],
  [
    'overloaded',
    /\b5(?:00|02|03|04|29)\b|overloaded|unavailable|bad gateway|timed? ?out|ECONN|ENOTFOUND|network|fetch failed|connection/i,
  ],
]

export function causeOf(message: string): ErrorCause {
  return CAUSES.find(([, pattern]) => pattern.test(message))?.[0] ?? 'other'
}

/** Its runtime does not have it, so how it ended is unknown: a machine that was restarted, a server that was killed. */
const LOST =
  /^the agent no longer runs: (?:tmux has no session|neither the agent nor its host|agh has no session|the agh daemon)\b/

export function isLost(evidence: string): boolean {
  return LOST.test(evidence)
}
