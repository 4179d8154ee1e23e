// Whether the work has moved. A reply from the agent is not progress: only a commit, a pull request, a verdict of the forge
// or a person's own step is. Requests to an agent without progress are counted, and in the end a person is notified.
import type { ReactionKey, WorkProgress } from '../../contract/reactions.ts'

/** Reactions to what the agent does or fails to do. */
export const AGENT_KEYS: readonly ReactionKey[] = [
  'agent-stuck',
  'agent-needs-input',
  'agent-idle',
  'agent-exited',
  'limit-reached',
  'limit-reset',
]

/** An unknown value, now or then, proves nothing. */
export function hasMoved(before: WorkProgress, now: WorkProgress): boolean {
  return (['head', 'pr', 'attendedAt'] as const).some(
    (part) => before[part] !== undefined && now[part] !== undefined && before[part] !== now[part],
  )
}
