// From the last event in an agent's files and its age to the activity. Pure.
import type { ActivityState } from '../../contract/status.ts'

/**
 * working: a turn has begun and not ended. finished: the turn ended, also by the user's Escape. waiting: it asks for a
 * permission or an answer. failed: the turn ended with an error. touched: only known that it wrote something then.
 */
export type LastEventKind = 'working' | 'finished' | 'waiting' | 'failed' | 'touched'

/** Files that only show "something was written" count as activity for this long. */
const TOUCHED_ACTIVE_MS = 30_000

/** For a reading: the turn ended well. */
export function turnEnd(kind: LastEventKind): { turnEnded?: true } {
  return kind === 'finished' ? { turnEnded: true } : {}
}

export function activityFromAge(event: {
  kind: LastEventKind
  at: Date
  now: Date
  readyThresholdMs: number
}): ActivityState {
  const age = Math.max(0, event.now.getTime() - event.at.getTime())
  switch (event.kind) {
    // These wait for a person, however long that takes.
    case 'waiting':
      return 'waiting_input'
    case 'failed':
      return 'blocked'
    case 'working':
      return age < event.readyThresholdMs ? 'active' : 'idle'
    case 'finished':
      return age < event.readyThresholdMs ? 'ready' : 'idle'
    case 'touched':
      if (age < Math.min(TOUCHED_ACTIVE_MS, event.readyThresholdMs)) return 'active'
      return age < event.readyThresholdMs ? 'ready' : 'idle'
  }
}
