import { expect, it } from 'vitest'
import type { SessionEvent, SessionEventBody } from '../../contract/events.ts'
import { describeEvent } from './describe-event.ts'
import { describePause } from './describe-pause.ts'
import { pausedAgent } from './recorded-facts.ts'

const event = (body: SessionEventBody) => ({ seq: 1, at: 't', sessionId: 'app-1', ...body }) as SessionEvent
const reserved = { type: 'session.reserved', project: 'app', agent: 'codex', branch: null, role: 'worker' } as const
const started = { type: 'runtime.started', handle: { id: 'h', runtimeName: 'tmux' }, launch: 2 } as const
const queued = { type: 'message.queued', messageId: 'm', text: 'hello', source: 'user' } as const
const answered = { type: 'permission.answered', requestId: 'perm-1', decision: 'allow-once' } as const
const reaction = { type: 'reaction', key: 'ci-failed', action: 'send-to-agent', why: 'CI failed' } as const
const restored = { type: 'session.restored', launch: 2 } as const
const operation = 'kill' as const
const messageId = 'm'
const redis = { pid: 4711, command: 'redis-server *:6379' }

it.each<[SessionEventBody, string]>([
  [{ ...reserved, issue: null }, 'reserved for codex'],
  [{ ...reserved, issue: '#7' }, 'reserved for codex on #7'],
  [{ type: 'operation.started', operation }, 'kill started'],
  [{ type: 'operation.finished', operation }, 'kill finished'],
  [{ type: 'operation.failed', operation, step: 'stop', error: 'no' }, 'kill failed at stop: no'],
  [{ type: 'operation.recovered', operation, outcome: 'finished' }, 'an interrupted kill was finished'],
  [{ type: 'operation.recovered', operation, outcome: 'taken_back' }, 'an interrupted kill was rolled back'],
  [{ type: 'workspace.created', path: '/w', branch: 'feat/1' }, 'workspace on feat/1'],
  [{ type: 'workspace.rescued', ref: 'refs/ao/rescue/1', commit: 'c' }, 'uncommitted work saved as refs/ao/rescue/1'],
  [{ type: 'workspace.removed', path: '/w' }, 'workspace removed'],
  [{ type: 'hook.failed', hook: 'preRemove', error: 'exit 1' }, 'preRemove failed: exit 1'],
  [{ ...started, command: ['codex', '-x'] } as never, 'started (launch 2) in tmux: codex -x'],
  [{ type: 'runtime.stopped', why: 'killed' }, 'stopped: killed'],
  [{ type: 'runtime.stopped', why: 'killed', leftRunning: [] }, 'stopped: killed'],
  [
    { type: 'runtime.stopped', why: 'killed', leftRunning: [redis, { pid: 5, command: '' }] as never },
    "stopped: killed; left running, not proven to be the agent's: redis-server *:6379 (4711), a process (5)",
  ],
  [{ type: 'status.changed', from: null, to: 'spawning', evidence: [] }, 'new -> spawning'],
  [{ type: 'status.changed', from: 'working', to: 'stuck', evidence: ['a', 'b'] }, 'working -> stuck (a; b)'],
  [queued, 'message from user: hello'],
  [{ ...queued, by: 'maria' }, 'message from user (maria): hello'],
  [{ type: 'message.held', messageId, why: 'it asks' }, 'message held: it asks'],
  [{ type: 'message.edited', messageId, text: 'new' }, 'message edited: new'],
  [{ type: 'message.withdrawn', messageId, why: 'late' }, 'message withdrawn: late'],
  [{ type: 'message.handed_over', messageId }, 'message handed over'],
  [{ type: 'message.handed_over', messageId, note: 'cut' }, 'message handed over (cut)'],
  [{ type: 'message.seen', messageId }, 'message seen'],
  [{ type: 'message.undelivered', messageId, why: 'gone' }, 'message not delivered: gone'],
  [answered, 'perm-1: answered with allow-once'],
  [{ ...answered, title: 'rm x', option: 'Yes', by: 'maria' }, 'rm x: answered with Yes by maria'],
  [{ type: 'permission.revoked', requestId: 'r', rule: 'write files' }, 'revoked: write files'],
  [{ ...restored, how: 'resume' }, 'restored, conversation resumed'],
  [{ ...restored, how: 'fresh' }, 'restored, started afresh'],
  [{ ...restored, how: 'fork' }, "started with a copy of another session's conversation"],
  [
    {
      type: 'account.changed',
      from: { agent: 'codex', account: null },
      to: { agent: 'codex', account: 'work' },
      why: 'limit',
    },
    'continued with codex with the account work instead of codex: limit',
  ],
  [{ type: 'session.archived', file: 'f' }, 'archived'],
  [{ type: 'session.imported', from: 'x-1', exportedAt: 't0' }, 'imported; it was x-1, exported at t0'],
  [
    { type: 'data.dropped', what: 'recording', bytes: 1, detail: 'the oldest' },
    'its recording was dropped to keep the disk within its limits: the oldest',
  ],
  [{ type: 'turn.stopped', by: 'maria' }, 'turn stopped by maria'],
  [{ type: 'turn.retried', turnId: 'a', retries: 'b' }, 'failed turn retried'],
  [{ type: 'session.snoozed', need: 'finished', until: 't9' }, 'put off until t9: finished'],
  [{ type: 'session.renamed', title: 'Mine' }, 'renamed: Mine'],
  [{ type: 'session.renamed', title: null }, 'renamed after its task'],
  [{ type: 'budget.changed', usd: 2.5 }, 'budget: $2.50'],
  [{ type: 'budget.changed', usd: null }, 'budget as in the configuration'],
  [{ type: 'session.claimed_pr', url: 'u', from: [] }, 'took over u'],
  [{ type: 'session.claimed_pr', url: 'u', from: ['app-2', 'app-3'] }, 'took over u from app-2, app-3'],
  [{ ...reaction, outcome: 'done' }, 'ci-failed (CI failed) -> send-to-agent'],
  [{ ...reaction, outcome: 'failed' }, 'ci-failed (CI failed) -> send-to-agent failed: '],
  [{ ...reaction, outcome: 'failed', error: 'gone' }, 'ci-failed (CI failed) -> send-to-agent failed: gone'],
  [{ type: 'usage', tokens: 12, costUsd: null }, 'used 12 tokens'],
  [{ type: 'usage', tokens: 12, costUsd: 0.5 }, 'used 12 tokens, $0.50'],
  [{ type: 'place.asked', request: 'gh pr view', decision: 'allowed' }, 'gh pr view: allowed'],
  [{ type: 'place.asked', request: 'gh api', decision: 'refused', why: 'no' }, 'gh api: refused: no'],
  [{ type: 'metadata.damaged', setAside: 'x.bad', why: 'torn' }, 'the record was damaged (torn); kept as x.bad'],
  [{ type: 'of.tomorrow' } as never, 'of.tomorrow'],
])('%j reads: %s', (body, line) => expect(describeEvent(event(body))).toBe(line))

it('a pause says since when, by whom, why and until when', () => {
  const pause = { state: 'paused', at: 't1', by: 'maria', stopped: ['a'] } as const
  expect(describePause(pause)).toBe('Everything is paused since t1 by maria (1 agent stopped)')
  expect(describePause({ ...pause, state: 'resuming', reason: 'fire', until: 't9', stopped: [] })).toBe(
    'Everything is being resumed that was paused since t1 by maria: fire, until t9 (0 agents stopped)',
  )
})

it('a paused agent says by whom and what lets it go on; others are not paused', () => {
  const fleet = { state: 'paused', at: 't1', by: 'maria', reason: 'fire', stopped: [{ spawnId: 's1' }] } as const
  const resumes = 'it goes on with: ao resume'
  expect(pausedAgent('app-1', { spawnId: 's1' }, fleet)).toEqual({ since: 't1', why: 'by maria: fire', resumes })
  expect(pausedAgent('app-1', { spawnId: 's1' }, { ...fleet, until: 't9' })?.resumes).toContain('at t9, or with')
  expect(pausedAgent('app-1', { spawnId: 's2' }, fleet)).toBeNull()
  expect(pausedAgent('app-1', { spawnId: 's1' }, { ...fleet, state: 'resuming' })).toBeNull()
  const stopped = { state: 'stopped', at: 't2', why: 'it has used $5.20', spawnId: 's1' } as const
  expect(pausedAgent('app-1', { spawnId: 's1', stopped }, fleet)).toMatchObject({
    why: 'by the budget: it has used $5.20',
    resumes: expect.stringContaining('ao session budget app-1'),
  })
  // Of an earlier launch.
  expect(pausedAgent('app-1', { spawnId: 's3', stopped }, null)).toBeNull()
})
