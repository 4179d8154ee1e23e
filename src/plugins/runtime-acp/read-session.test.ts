import { describe, expect, it } from 'vitest'
import type { SessionView } from '../../contract/agh/answers.ts'
import { EMPTY_DIGEST } from '../../core/agh/transcript/digest.ts'
import type { AcpHandle } from './acp-handle.ts'
import { judgeLife, type Observed } from './observe-sessions.ts'
import { readAcpSession } from './read-session.ts'

const handle: AcpHandle = { name: 'h-app-1', session: 'sess-1', spawnId: 'spawn-1', workspacePath: '/w', home: '/h' }
const at = { now: new Date('2026-01-01T00:10:00Z'), readyThresholdMs: 60_000 }
const recent = '2026-01-01T00:09:59Z'
const old = '2026-01-01T00:00:00Z'

function view(changes: Partial<SessionView> = {}): Observed {
  const base = {
    id: 'sess-1',
    state: 'active',
    driver: { name: 'ao', key: 'h-app-1', spawn_id: 'spawn-1' },
    digest: { ...EMPTY_DIGEST, last_event_at: recent },
    activity: null,
    process: null,
    failure: null,
    stop_reason: null,
    stop_detail: null,
    acp_session_id: 'acp-1',
    updated_at: recent,
    pending_permissions: [],
    health: { state: 'idle' },
    ...changes,
  }
  return { kind: 'view', view: base as unknown as SessionView }
}

const turn = (last_activity_at: string) =>
  ({ last_activity_at, last_activity_kind: 'tool_call', current_tool: 'ls' }) as SessionView['activity']
const question = {
  request_id: 'perm-1',
  turn_id: null,
  title: 'may I',
  kind: 'execute',
  options: [{ option_id: 'yes', name: 'Yes', decision: 'allow-once' }],
  asked_at: recent,
  expires_at: recent,
}

const DETACHED = { state: 'detached' } as SessionView['health']

describe('what a session on agh does', () => {
  it.each<[string, Observed, string | null]>([
    ['is active while its turn shows signs of life', view({ activity: turn(recent) }), 'active'],
    ['is idle when its turn has been silent for long', view({ activity: turn(old) }), 'idle'],
    ['is ready after a turn', view(), 'ready'],
    ['is idle long after a turn', view({ digest: { ...EMPTY_DIGEST, last_event_at: old } }), 'idle'],
    [
      'is blocked after a turn that failed',
      view({ digest: { ...EMPTY_DIGEST, last_event_at: recent, last_turn_failed: true } }),
      'blocked',
    ],
    [
      'waits for input while a question does',
      view({ activity: turn(old), pending_permissions: [question] }),
      'waiting_input',
    ],
    ['is active while it starts', view({ state: 'starting' }), 'active'],
    ['has exited when it is stopped', view({ state: 'stopped', stop_reason: 'completed' }), 'exited'],
    ['is unknown until agh has reached its agent again', view({ health: DETACHED }), null],
    ['is active while it starts, when agh has no agent yet', view({ state: 'starting', health: DETACHED }), 'active'],
    ['is unknown when agh does not answer', { kind: 'unknown', why: 'busy' }, null],
  ])('%s', (_what, observed, state) => {
    expect(readAcpSession(observed, at)?.activity?.state ?? null).toBe(state)
  })

  it('says why the last turn failed, in the words of the agent', () => {
    const digest = { ...EMPTY_DIGEST, last_event_at: recent, last_turn_failed: true, last_error: 'Rate limited' }
    expect(readAcpSession(view({ digest }), at)?.activity?.evidence).toBe('agh: the last turn failed: Rate limited')
  })

  it('reports what is asked and what was used', () => {
    const tokens = { input: 1, output: 2, cache_read: 3, cache_write: 4 }
    const digest = { ...EMPTY_DIGEST, tokens, cost: { earlier_usd: 1, current_usd: 0.5 }, first_prompt: 'Fix it' }
    const reading = readAcpSession(view({ digest, pending_permissions: [question] }), at)
    expect(reading?.permissions).toMatchObject([{ requestId: 'perm-1', options: [{ decision: 'allow-once' }] }])
    expect(reading?.info).toMatchObject({
      summary: 'Fix it',
      agentSessionId: 'acp-1',
      cost: { inputTokens: 1, cacheWriteTokens: 4, estimatedCostUsd: 1.5 },
      pendingPermissions: [{ title: 'may I' }],
    })
    expect(readAcpSession(view(), at)?.info?.cost).toBeUndefined()
  })
})

describe('whether a session on agh is alive', () => {
  const meta = (observed: Observed) =>
    observed.kind === 'view' ? { kind: 'left' as const, meta: observed.view } : observed
  it.each<[string, Observed, object]>([
    [
      'is unknown while agh has no hold of it',
      view({ health: { state: 'detached' } as SessionView['health'] }),
      { state: 'unknown', why: expect.stringContaining('agh session repair sess-1') },
    ],
    ['lives while agh runs it', view(), { state: 'alive' }],
    [
      'is dead with its exit code',
      view({ state: 'stopped', exit: { code: 7, signal: null } }),
      { state: 'dead', exitCode: 7 },
    ],
    [
      'is dead when another start took its place',
      view({ driver: { name: 'ao', key: 'k', spawn_id: 'later' } }),
      { state: 'dead' },
    ],
    ['is dead when its daemon is', meta(view()), { state: 'dead' }],
    ['is dead when agh knows no such session', { kind: 'none' }, { state: 'dead' }],
    ['is unknown when agh cannot be asked', { kind: 'unknown', why: 'x' }, { state: 'unknown' }],
  ])('%s', (_what, observed, expected) => {
    expect(judgeLife(handle, observed)).toMatchObject(expected)
  })
})
