// The metadata of a session whose daemon ended without finishing it.
import type { SessionMeta } from '../../../contract/agh/session-meta.ts'
import type { FailureKind, StopReason } from '../../../contract/agh/session-terms.ts'

interface StaleRow {
  reason: StopReason
  failure: FailureKind
  detail: string
}

const STALE: Readonly<Record<'starting' | 'active' | 'stopping', StaleRow>> = {
  active: { reason: 'agent_crashed', failure: 'process_exit', detail: 'daemon crashed while session active' },
  stopping: { reason: 'agent_crashed', failure: 'process_exit', detail: 'stop did not complete' },
  starting: { reason: 'error', failure: 'startup_failure', detail: 'start did not complete' },
}

/** The same object when there is nothing to repair. */
export function repairMeta(meta: SessionMeta, nowIso: string): SessionMeta {
  if (meta.state === 'stopped') return meta
  const row = STALE[meta.state]
  return {
    ...meta,
    state: 'stopped',
    stop_reason: row.reason,
    stop_detail: row.detail,
    failure: { kind: row.failure, summary: row.detail },
    process: null,
    activity: null,
    updated_at: nowIso,
  }
}
