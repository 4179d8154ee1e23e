// A complete meta.json to start from.
import type { ServedParts } from '../../src/agh/daemon/serve.ts'
import type { DaemonStatus } from '../../src/contract/agh/answers.ts'
import type { SessionMeta } from '../../src/contract/agh/session-meta.ts'

export function sampleMeta(changes: Partial<SessionMeta> = {}): SessionMeta {
  return {
    schema: 'agh.session.v1',
    id: 'sess-1234',
    name: null,
    agent_name: 'general',
    type: 'user',
    workspace_id: null,
    workspace_path: '/repo',
    permissions: 'approve-reads',
    state: 'active',
    stop_reason: null,
    stop_detail: null,
    failure: null,
    acp_session_id: 'acp-1',
    started_with: 'new',
    process: null,
    activity: null,
    lineage: {
      parent_session_id: null,
      root_session_id: 'sess-1234',
      spawn_depth: 0,
      spawn_role: null,
      ttl_expires_at: null,
    },
    last_sequence: 0,
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
    ...changes,
  }
}

const SAMPLE_STATUS: DaemonStatus = {
  status: 'running',
  protocol: 2,
  pid: 1,
  version: 'test',
  started_at: '2026-01-01T00:00:00.000Z',
  socket: '/dev/null',
  http: 'http://127.0.0.1:0',
  http_problem: null,
  repairs_left: 0,
  active_sessions: 0,
  total_sessions: 0,
  memory_bytes: 0,
  event_loop_delay: null,
}

/** Of a daemon with nothing to repair. */
export const SAMPLE_PARTS: ServedParts = {
  status: async () => SAMPLE_STATUS,
  repairs: Promise.resolve({ left: () => 0, ready: async () => undefined }),
}
