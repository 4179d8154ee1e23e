// One look at everything: what runs, what it does, what failed.
import type { Observed } from '../../../contract/agh/answers.ts'
import { AO_VERSION } from '../../../lib/version.ts'
import { listSessions } from '../../runtime.ts'
import type { AghContext } from '../../session/context.ts'

const RECENT_FAILURES = 10

export async function observeHealth(context: AghContext): Promise<Observed> {
  const sessions = await listSessions(context)
  const live = sessions.filter(({ state }) => state !== 'stopped')
  const failures = sessions.flatMap(({ id, agent_name, state, failure, updated_at }) =>
    failure ? [{ session_id: id, agent_name, state, failure, updated_at }] : [],
  )
  return {
    // A failure of the past does not make the daemon ill.
    status: live.some(({ health }) => health.health === 'degraded') ? 'degraded' : 'ok',
    version: AO_VERSION,
    active_sessions: live.length,
    total_sessions: sessions.length,
    sessions: live.map(({ health, activity }) => ({ ...health, activity })),
    failures: failures.slice(-RECENT_FAILURES),
  }
}
