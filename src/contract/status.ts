// The words for what a session is (status) and what its agent is doing (activity), and which of them end a session.

export const SESSION_STATUSES = [
  'spawning',
  'working',
  'pr_open',
  'ci_failed',
  'review_pending',
  'changes_requested',
  'approved',
  'mergeable',
  'merged',
  'cleanup',
  'needs_input',
  'stuck',
  'errored',
  'killed',
  'done',
  'terminated',
] as const
export type SessionStatus = (typeof SESSION_STATUSES)[number]

export const ACTIVITY_STATES = ['active', 'ready', 'idle', 'waiting_input', 'blocked', 'exited'] as const
export type ActivityState = (typeof ACTIVITY_STATES)[number]

/** Of a paused agent these no longer hold; what the others say about the work does. */
export const IS_ABOUT_AGENT: ReadonlySet<SessionStatus> = new Set(['spawning', 'working', 'stuck'])

export const TERMINAL_STATUSES: ReadonlySet<SessionStatus> = new Set([
  'killed',
  'terminated',
  'done',
  'cleanup',
  'errored',
  'merged',
])

export const TERMINAL_ACTIVITIES: ReadonlySet<ActivityState> = new Set(['exited'])

export const NON_RESTORABLE_STATUSES: ReadonlySet<SessionStatus> = new Set(['merged'])

type StatusAndActivity = { status: SessionStatus; activity: ActivityState | null }

export function isTerminalSession(session: StatusAndActivity): boolean {
  if (TERMINAL_STATUSES.has(session.status)) return true
  return session.activity !== null && TERMINAL_ACTIVITIES.has(session.activity)
}

export function isRestorable(session: StatusAndActivity): boolean {
  return isTerminalSession(session) && !NON_RESTORABLE_STATUSES.has(session.status)
}

export function isSessionStatus(word: string): word is SessionStatus {
  return (SESSION_STATUSES as readonly string[]).includes(word)
}

/** For an error about a session that has ended: nothing is offered that would be refused. */
export function endedHint(sessionId: string, status: SessionStatus): string {
  const inspect = `Inspect it with: ao session show ${sessionId}`
  if (NON_RESTORABLE_STATUSES.has(status)) return `${inspect}; its work is complete`
  return `${inspect}, or bring it back with: ao session restore ${sessionId}`
}
