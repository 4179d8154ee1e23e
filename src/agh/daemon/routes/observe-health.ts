// A snapshot of everything: what is running, what it is doing, what failed.
import type { Observed } from '../../../contract/agh/answers.ts'
import { AO_VERSION } from '../../../lib/version.ts'
import { listSessions } from '../../runtime.ts'
import type { AghContext } from '../../session/context.ts'

const RECENT_FAILURES = 10

export async function observeHealth(context: AghContext): Promise<Observed> {
  const { sessions, damaged } = await listSessions(context)
  const live = sessions.filter(({ state }) => state !== 'stopped')
  const failures = sessions.flatMap(({ id, agent_name, state, stop_reason, failure, updated_at }) =>
    // A session that a person stopped did not fail.
    failure && stop_reason !== 'user_canceled' && stop_reason !== 'shutdown'
      ? [{ session_id: id, agent_name, state, failure, updated_at }]
      : [],
  )
  const isWell =
    damaged.length === 0 && context.postponed.size === 0 && live.every(({ health }) => health.health !== 'degraded')
  return {
    // A past failure does not make the daemon unhealthy.
    status: isWell ? 'ok' : 'degraded',
    version: AO_VERSION,
    active_sessions: live.length,
    total_sessions: sessions.length + damaged.length,
    sessions: live.map(({ health, activity, pending_permissions }) => ({ ...health, activity, pending_permissions })),
    postponed: [...context.postponed.keys()],
    damaged,
    failures: failures.slice(-RECENT_FAILURES),
  }
}
