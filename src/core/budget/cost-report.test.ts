import { describe, expect, it } from 'vitest'
import { type CostEntry, costCsv, costReport } from './cost-report.ts'

const entry = (session: string, costUsd: number | null, more: Partial<CostEntry> = {}): CostEntry => ({
  session,
  project: 'app',
  agent: 'claude-code',
  model: null,
  issue: null,
  mergedPull: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  spent: { tokens: 100, costUsd },
  ...more,
})

describe('what was spent', () => {
  const entries = [
    entry('app-1', 1, { issue: '7', mergedPull: 'https://x/pull/1' }),
    entry('app-2', 2, { issue: '7', model: 'opus' }),
    entry('app-3', null, { agent: 'codex' }),
    entry('app-4', 9, { spent: null }),
  ]

  it('is summed by group, the most expensive first, and an unknown price is never 0', () => {
    expect(costReport(entries, 'agent')).toEqual([
      { name: 'claude-code', sessions: 2, tokens: 200, costUsd: 3, unpriced: 0 },
      { name: 'codex', sessions: 1, tokens: 100, costUsd: null, unpriced: 1 },
    ])
    expect(costReport(entries, 'issue')).toEqual([{ name: 'app 7', sessions: 2, tokens: 200, costUsd: 3, unpriced: 0 }])
    expect(costReport(entries, 'pull').map(({ name }) => name)).toEqual(['https://x/pull/1'])
    expect(costReport(entries, 'model').map(({ name }) => name)).toEqual(['opus', 'unknown'])
  })

  it('is CSV that no spreadsheet takes for a formula', () => {
    const rows = costReport([entry('a', 1, { agent: '=cmd|" x"!A1' }), entry('b', null, { agent: 'plain' })], 'agent')
    expect(costCsv(rows, 'agent').split('\n')).toEqual([
      'agent,sessions,tokens,cost_usd,unpriced_sessions',
      '"\'=cmd|"" x""!A1",1,100,1.0000,0',
      'plain,1,100,,1',
      '',
    ])
  })
})
