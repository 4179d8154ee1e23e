// How a turn ended, for a command that waited for it: an exit code, and a message where the agent's own words do not say
// it.
import type { SessionEvent } from '../../contract/agh/events.ts'

export interface Outcome {
  exitCode: number
  message: string | null
}

const LIMITS: Readonly<Record<string, string>> = {
  refusal: 'The agent refused to continue.',
  max_tokens: 'The agent reached its limit of tokens before it was done.',
  max_turn_requests: 'The agent reached its limit of requests before it was done.',
}

/** undefined: the end was not seen. */
export function judgeOutcome(end: SessionEvent | undefined): Outcome {
  if (end?.type !== 'done') return { exitCode: 1, message: null }
  const { stop_reason, canceled_by } = end.content
  if (canceled_by === 'inactivity')
    return { exitCode: 3, message: 'The turn was cancelled: nothing happened for too long.' }
  if (stop_reason === 'cancelled') return { exitCode: 5, message: 'The turn was cancelled.' }
  const limit = LIMITS[stop_reason ?? '']
  return limit === undefined ? { exitCode: 0, message: null } : { exitCode: 1, message: limit }
}
