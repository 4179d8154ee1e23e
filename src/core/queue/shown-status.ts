// The one status of a session that people read: in the head of its page, on its card, in every table and on the terminal board.
import type { ErrorCause, NeedKind } from '../../contract/dashboard/needs.ts'
import { IS_ABOUT_AGENT, type SessionStatus } from '../../contract/status.ts'

export type ShownStatus = SessionStatus | ErrorCause | 'paused' | 'waiting' | 'finished'

interface StatusFacts {
  status: SessionStatus
  need: { kind: NeedKind; cause: ErrorCause | null } | null
  /** For other work, and so it has not started. */
  isWaiting: boolean
  isPaused: boolean
}

/** An agent whose turn is over or that cannot continue is not working, and nobody killed one that ended on its own. */
export function shownStatus({ status, need, isWaiting, isPaused }: StatusFacts): ShownStatus {
  const isAboutAgent = IS_ABOUT_AGENT.has(status)
  if (isPaused && isAboutAgent) return 'paused'
  if (isWaiting) return 'waiting'
  if (need?.kind === 'finished') return 'finished'
  if (need?.cause && (isAboutAgent || status === 'killed')) return need.cause
  return status
}

const CAUSE_WORDS: Readonly<Record<ErrorCause, string>> = {
  signed_out: 'signed out',
  limit: 'limit reached',
  overloaded: 'provider down',
  budget: 'over budget',
  ended: 'ended',
  lost: 'not running',
  gave_up: 'needs help',
  silent: 'stuck',
  expired: 'not answered',
  held_back: 'held back',
  other: 'error',
}

const KIND_WORDS: Readonly<Record<NeedKind, string>> = {
  permission: 'permission',
  question: 'question',
  error: 'error',
  finished: 'finished',
  review: 'review',
  merge: 'ready to merge',
}

export function isCause(shown: ShownStatus): shown is ErrorCause {
  return shown in CAUSE_WORDS
}

/** What the queue calls it. */
export function needWord({ kind, cause }: { kind: NeedKind; cause: ErrorCause | null }): string {
  return cause === null ? KIND_WORDS[kind] : CAUSE_WORDS[cause]
}

/** As commands print it: one word beside `needs_input`. */
export function statusName(shown: ShownStatus): string {
  return isCause(shown) ? CAUSE_WORDS[shown].replaceAll(' ', '_') : shown
}
