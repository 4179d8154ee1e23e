// Whether the work has moved. A reply of the agent is not progress: only a commit, a pull request, a verdict of the forge
// or a person's own step is. What an agent is asked without progress is counted, and the count ends in a call to a person.
import type { ReactionKey, WorkProgress } from '../../contract/reactions.ts'

/** Reactions to what the agent does or leaves undone. */
export const AGENT_KEYS: readonly ReactionKey[] = ['agent-stuck', 'agent-needs-input', 'agent-idle', 'agent-exited']

/** What is not known now, or was not then, says nothing. */
export function hasMoved(before: WorkProgress, now: WorkProgress): boolean {
  return (['head', 'pr', 'attendedAt'] as const).some(
    (part) => before[part] !== undefined && now[part] !== undefined && before[part] !== now[part],
  )
}
