// The health record of a session: derived from what is known, separate from the event log.
import type { SessionHealth, SessionMeta } from '../../../contract/agh/session-meta.ts'

export interface HealthFacts {
  /** Its agent's process is running under this daemon. */
  attached: boolean
  turnRunning: boolean
  /** Supervision has warned about or cancelled the running turn. */
  stalled: boolean
}

type Judged = Pick<SessionHealth, 'state' | 'health' | 'attachable' | 'ineligibility_reason'>

export function deriveHealth(meta: SessionMeta, facts: HealthFacts): SessionHealth {
  const judged = judge(meta, facts)
  return {
    session_id: meta.id,
    ...judged,
    eligible_for_wake: judged.ineligibility_reason === null,
    last_activity_at: meta.activity?.last_activity_at ?? meta.last_activity_at ?? null,
  }
}

function judge(meta: SessionMeta, facts: HealthFacts): Judged {
  if (meta.state === 'stopped') return not('stopped', 'dead', 'session_health_dead')
  if (meta.state !== 'active' || !facts.attached) return not('detached', 'unknown', 'session_health_unknown')
  if (facts.stalled) return { ...not('prompting', 'degraded', 'session_health_hung'), attachable: true }
  if (facts.turnRunning) return { ...not('prompting', 'healthy', 'session_prompt_active'), attachable: true }
  return { state: 'idle', health: 'healthy', attachable: true, ineligibility_reason: null }
}

function not(state: SessionHealth['state'], health: SessionHealth['health'], why: string): Judged {
  return { state, health, attachable: false, ineligibility_reason: why }
}
