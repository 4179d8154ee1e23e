// How a turn ends: the last event of its history, and what the session's metadata says afterwards.
import type { EventBody, EventContents } from '../../../contract/agh/events.ts'
import type { SessionFailure, SessionMeta } from '../../../contract/agh/session-meta.ts'
import { classifyFailure } from './classify-failure.ts'
import type { Turn } from './turn.ts'

export interface TurnEnd {
  /** The last event of its history. */
  event: EventBody<'done' | 'error'>
  /** What its tools were doing has come to nothing. */
  interrupted: boolean
  failure: SessionFailure | null
}

export function answeredTurn(turn: Turn, answer: { stopReason: string | null; usage: object | null }): TurnEnd {
  const { stopReason, usage } = answer
  return {
    event: { type: 'done', content: { stop_reason: stopReason, usage, canceled_by: turn.cancel?.why ?? null } },
    interrupted: stopReason === 'cancelled',
    failure: null,
  }
}

/** `more` stands in its event beside the failure. */
export function failedTurn(failure: SessionFailure, more: Partial<EventContents['error']> = {}): TurnEnd {
  const content = { error: failure.summary, ...more, failure }
  return { event: { type: 'error', content }, interrupted: true, failure }
}

/** Of a prompt that the agent refused. Only what somebody cancelled is a cancellation. */
export function classifyRefusal(turn: Turn, rpcCode: number | undefined) {
  const why = turn.cancel?.why
  if (why === 'inactivity') return 'timeout'
  return classifyFailure({ phase: 'prompt', rpcCode, canceled: why !== undefined })
}

export function metaAfterTurn(turn: Turn, end: TurnEnd): Partial<SessionMeta> {
  return {
    activity: null,
    last_activity_at: new Date(turn.lastActivityAt).toISOString(),
    failure: end.failure,
    ...(end.event.type === 'done' ? { preface: [] } : {}),
  }
}
