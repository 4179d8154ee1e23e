// How a suggestion gets into the branch: as a commit, or as a message to the agent that works on it. Pure.
import type { ActivityState, SessionStatus } from '../../contract/status.ts'
import { TERMINAL_STATUSES } from '../../contract/status.ts'

export interface SuggestionFacts {
  /** Whose branch it is; null: no session's. */
  session: {
    id: string
    status: SessionStatus
    activity: ActivityState | null
    isBusy: boolean
    place: string | null
  } | null
  /** The tip of the branch here; null: it is not on this machine. */
  tip: string | null
  /** The head that the person saw. */
  head: string
  /** What is in the way in the checkout of the branch; null: nothing, or it is checked out nowhere. */
  obstacle: string | null
}

export type SuggestionWay =
  | { kind: 'commit'; hearer: string | null }
  | { kind: 'send'; to: string; why: string }
  | { kind: 'refuse'; why: string }

/** An agent may be in the middle of a thought about these very files: only one that rests gets a commit under its feet. */
export function chooseSuggestionWay({ session, tip, head, obstacle }: SuggestionFacts): SuggestionWay {
  const isOver = session === null || TERMINAL_STATUSES.has(session.status) || session.activity === 'exited'
  const why = obstacleOf({ tip, head, obstacle })
  if (isOver) return why === null ? { kind: 'commit', hearer: null } : { kind: 'refuse', why }
  const { id, activity, isBusy, place } = session
  const send = (reason: string): SuggestionWay => ({ kind: 'send', to: id, why: reason })
  if (place !== null) return send(`its agent works in the place ${place}`)
  if (isBusy || (activity !== 'ready' && activity !== 'idle')) return send('its agent is not at rest')
  return why === null ? { kind: 'commit', hearer: id } : send(why)
}

function obstacleOf({ tip, head, obstacle }: Pick<SuggestionFacts, 'tip' | 'head' | 'obstacle'>): string | null {
  if (tip === null) return 'the branch is not on this machine'
  if (tip !== head) return 'the branch here has other commits than the pull request'
  return obstacle
}
