// How a turn ends: its last event, and the session's metadata afterwards.
import type { EventBody, EventContents } from '../../../contract/agh/events.ts'
import type { SessionFailure, SessionMeta } from '../../../contract/agh/session-meta.ts'
import { classifyFailure } from './classify-failure.ts'
import type { Turn } from './turn.ts'

export interface TurnEnd {
  /** The turn's last event. */
  event: EventBody<'done' | 'error'>
  /** The work of its tools is lost. */
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

/** `more` is added to its event beside the failure. */
export function failedTurn(failure: SessionFailure, more: Partial<EventContents['error']> = {}): TurnEnd {
  const content = { error: failure.summary, ...more, failure }
  return { event: { type: 'error', content }, interrupted: true, failure }
}

/** For a prompt that the agent refused. Only a requested cancellation counts as one. */
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
