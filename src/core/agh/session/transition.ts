// Which state may follow which while a session lives. Failed starts and crash repair are finalizations, not transitions.

import type { SessionState } from '../../../contract/agh/words.ts'
import { AoError } from '../../../contract/errors.ts'

const NEXT: Readonly<Record<SessionState, SessionState | null>> = {
  starting: 'active',
  active: 'stopping',
  stopping: 'stopped',
  stopped: null,
}

export function canTransition(from: SessionState, to: SessionState): boolean {
  return NEXT[from] === to
}

export function requireTransition(sessionId: string, from: SessionState, to: SessionState): void {
  if (canTransition(from, to)) return
  throw new AoError('STATE_REFUSED', `Session ${sessionId} is ${from} and cannot become ${to}`, {
    details: { sessionId, from, to },
  })
}

/** Prompts and approvals are for active sessions only. */
export function requireActive(sessionId: string, state: SessionState): void {
  if (state === 'active') return
  const hint = state === 'stopped' ? `Restore it with: agh session resume ${sessionId}` : 'Try again in a moment'
  throw new AoError('SESSION_NOT_ACTIVE', `Session ${sessionId} is ${state}, not active`, {
    hint,
    details: { sessionId, state },
  })
}
