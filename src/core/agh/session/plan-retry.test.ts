import { describe, expect, it } from 'vitest'
import { sampleMeta } from '../../../../test/agh/sample-meta.ts'
import type { EventRow, EventType } from '../../../contract/agh/events.ts'
import { planRepair } from '../repair/plan-repair.ts'
import { joinMcpServers, planMcpServers } from './mcp-servers.ts'
import { planRetry } from './plan-retry.ts'
import { NOT_DELIVERED, NOT_DELIVERED_HERE, undeliveredTurn, waitingPromptId } from './waiting-prompt.ts'

const row = (type: EventType, content: object, turn_id: string | null = 't1'): EventRow => ({
  ...{ sequence: 1, turn_id, type, timestamp: '', content: JSON.stringify(content) },
})
const prompt = row('user_message', { text: 'go', source: 'driver' })
const failed = row('error', { error: 'x' })

describe('the newest turn', () => {
  it.each<[string, EventRow, string | undefined]>([
    ['failed', failed, undefined],
    ['is the one that was seen to fail', failed, 't1'],
    ['was cancelled for its silence', row('done', { canceled_by: 'inactivity' }), undefined],
  ])('is repeated when it %s', (_when, end, wanted) => {
    expect(planRetry('s1', { prompt, end }, wanted)).toEqual({ retries: 't1', text: 'go', source: 'driver' })
  })

  it.each<[string, Parameters<typeof planRetry>[1], string | undefined, string]>([
    ['there is none', null, undefined, 'no_turn'],
    ['it has no name', { prompt: { ...prompt, turn_id: null }, end: failed }, undefined, 'no_turn'],
    ['another one is meant', { prompt, end: failed }, 't0', 'not_newest'],
    ['it is running', { prompt, end: null }, 't1', 'running'],
    ['it ended well', { prompt, end: row('done', { canceled_by: null }) }, undefined, 'not_failed'],
    ['a person cancelled it', { prompt, end: row('done', { canceled_by: 'user' }) }, undefined, 'not_failed'],
    ['something else ended it', { prompt, end: row('usage', { canceled_by: 'inactivity' }) }, undefined, 'not_failed'],
    ['its words are gone', { prompt: row('user_message', { text: '' }), end: failed }, undefined, 'unreadable'],
  ])('is not repeated when %s', (_when, last, wanted, reason) => {
    const plan = planRetry('s1', last, wanted)
    expect(plan).toMatchObject({ refusal: { code: 'STATE_REFUSED', details: { sessionId: 's1', reason } } })
    expect('refusal' in plan && plan.refusal.message).toMatch(/nothing to retry in session s1: .{10}/)
    expect('refusal' in plan && plan.refusal.hint).toContain('agh session prompt s1')
  })
})

describe('a prompt whose turn never came', () => {
  const waiting = { id: waitingPromptId('t9'), text: 'later' }

  it('has a turn in the log that says so', () => {
    const error = { failure: null, error: NOT_DELIVERED }
    expect(undeliveredTurn(waiting)).toEqual([
      { turn_id: 't9', type: 'user_message', content: { text: 'later', source: 'user' } },
      { turn_id: 't9', type: 'error', content: error },
    ])
    expect(undeliveredTurn(waiting, { isRepair: true })[1]?.content).toEqual({ ...error, repair: true })
    const [ended, left] = [NOT_DELIVERED, NOT_DELIVERED_HERE].map((text) => text.toLowerCase())
    expect([ended, left]).toEqual([expect.stringContaining('session ended'), expect.stringContaining('daemon ended')])
  })

  it('is recorded by a repair, and messages of a driver are not', () => {
    const outline = { lastSequence: null, turns: new Map(), issues: [], isBroken: false }
    const plan = planRepair(sampleMeta({ state: 'stopped' }), outline, [waiting, { id: 'm1', text: 'x' }])
    expect(plan.undelivered).toEqual([waiting])
    expect(plan.actions).toEqual([{ code: 'append_undelivered_prompt', turn_id: 't9' }])
    expect(plan.issues).toEqual([])
  })
})

describe('MCP servers', () => {
  const local = { name: 'local', command: 'serve', args: ['-x'], env: { KEY: 'v' } }
  const web = { name: 'web', type: 'http' as const, url: 'https://a.example', headers: { Token: 't' } }
  const old = { name: 'old', type: 'sse' as const, url: 'https://b.example', headers: {} }

  it('are named to an agent as far as it can reach them', () => {
    const acp = [
      { ...local, env: [{ name: 'KEY', value: 'v' }] },
      { ...web, headers: [{ name: 'Token', value: 't' }] },
      { ...old, headers: [] },
    ]
    expect(planMcpServers([local, web, old], { http: true, sse: true })).toEqual({ servers: acp, skipped: [] })
    expect(planMcpServers([local, web, old], { http: true })).toEqual({ servers: acp.slice(0, 2), skipped: ['old'] })
    expect(planMcpServers([local, web, old], {})).toEqual({ servers: acp.slice(0, 1), skipped: ['web', 'old'] })
  })

  it('of the same name are one, the later', () => {
    expect(joinMcpServers([local, web], [{ ...web, url: 'https://c.example' }])).toEqual([
      local,
      { ...web, url: 'https://c.example' },
    ])
  })
})
