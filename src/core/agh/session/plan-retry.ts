// Whether the newest turn of a session may be repeated: only one that failed, and only by its next turn, so each is retried once.

import type { Attachment } from '../../../contract/agh/attachment.ts'
import { contentOf, type EventRow } from '../../../contract/agh/events.ts'
import type { TurnSource } from '../../../contract/agh/session-terms.ts'
import { AoError } from '../../../contract/errors.ts'

export interface RetryPlan {
  retries: string
  text: string
  source: TurnSource
  attachments?: readonly Attachment[] | undefined
}

export interface LastTurn {
  prompt: EventRow
  end: EventRow | null
}

/** `wanted`: the turn that the requester saw fail; undefined: whichever was the newest. */
export function planRetry(
  sessionId: string,
  last: LastTurn | null,
  wanted: string | undefined,
): RetryPlan | { refusal: AoError } {
  const turnId = last?.prompt.turn_id
  if (!last || !turnId) return refuse(sessionId, 'it has had no turn yet', 'no_turn')
  if (wanted !== undefined && wanted !== turnId)
    return refuse(sessionId, `${wanted} is not its newest turn`, 'not_newest')
  if (!last.end) return refuse(sessionId, 'its newest turn is still running', 'running')
  if (!hasFailed(last.end)) return refuse(sessionId, 'its newest turn did not fail', 'not_failed')
  const { text, source, attachments } = contentOf('user_message', last.prompt)
  if (text === '') return refuse(sessionId, 'the prompt of its newest turn cannot be read', 'unreadable')
  return { retries: turnId, text, source, attachments }
}

/** A turn that a person cancelled ended as it was meant to. */
function hasFailed(end: EventRow): boolean {
  return end.type === 'error' || (end.type === 'done' && contentOf('done', end).canceled_by === 'inactivity')
}

function refuse(sessionId: string, why: string, reason: string): { refusal: AoError } {
  return {
    refusal: new AoError('STATE_REFUSED', `There is nothing to retry in session ${sessionId}: ${why}`, {
      hint: `Send a new prompt with: agh session prompt ${sessionId} "..."`,
      details: { sessionId, reason },
    }),
  }
}
