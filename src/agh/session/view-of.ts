// A session as clients see it: its metadata, plus what only the daemon knows of a live one.

import type { SessionView } from '../../contract/agh/answers.ts'
import type { SessionMeta } from '../../contract/agh/session-meta.ts'
import { isActive, turnOf } from '../../core/agh/machine/session-state.ts'
import { deriveHealth } from '../../core/agh/session/derive-health.ts'
import { activityOf } from '../../core/agh/session/turn.ts'
import { nowMs } from '../../lib/clock.ts'
import type { AghContext } from './context.ts'

export function viewOf(context: AghContext, meta: SessionMeta): SessionView {
  const live = context.live.get(meta.id)
  const turn = live ? turnOf(live.state) : null
  const current = {
    ...meta,
    ...(live ? { last_sequence: live.store.committedSequence() } : {}),
    ...(turn ? { activity: activityOf(turn, nowMs(context)) } : {}),
  }
  const facts = {
    attached: live?.process?.exit() === null && live.process.isConnected(),
    turnRunning: turn !== null,
    stalled: turn !== null && (turn.warned || turn.cancel?.why === 'inactivity'),
  }
  return {
    ...current,
    health: deriveHealth(current, facts),
    offers: live && isActive(live.state) ? live.state.offers : null,
    pending_permissions: [...(live?.permissions.pending.values() ?? [])].map(({ view }) => view),
  }
}
