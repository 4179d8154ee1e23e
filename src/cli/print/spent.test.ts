import { describe, expect, it } from 'vitest'
import type { AgentCost, Session } from '../../contract/session.ts'
import { metadataToSession } from '../../contract/stored-session.ts'
import { toCard } from '../../core/status/board-card.ts'
import { countSeries, type SeriesEvent, withSpent } from '../../core/status/series.ts'
import { spentOf, sumSpent } from '../../core/status/spent.ts'
import { renderStatus } from './status-report.ts'
import { createStyle } from './style.ts'

const NOW = Date.parse('2026-01-02T00:00:00Z')
const HOUR = 3_600_000

function session(id: string, pairs: Record<string, string>, cost?: Partial<AgentCost>): Session {
  const none = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, estimatedCostUsd: null }
  return {
    ...metadataToSession(id, { project: 'app', status: 'working', launched: 'yes', ...pairs }),
    agentInfo: cost ? { summary: null, agentSessionId: null, cost: { ...none, ...cost } } : null,
  }
}

const FLEET = [
  // A turn is running over ACP: its cost is known, its tokens are not yet.
  session('app-1', { usageTokens: '100' }, { inputTokens: 100, estimatedCostUsd: 12.4 }),
  // Its last turn failed, and its agent is gone: only the record knows.
  session('app-2', { usageTokens: '5000', usageCostUsd: '2.5' }),
  // Nobody knows the price of its model.
  session('app-3', {}, { inputTokens: 30, outputTokens: 7, cacheReadTokens: 3, cacheWriteTokens: 1 }),
  // It has just begun.
  session('app-4', {}),
]
const SUM = { tokens: 5_141, costUsd: 14.9 }

describe('what the fleet has used', () => {
  it('is the same for the board, the plots, `ao status` and the API', () => {
    const cards = FLEET.map((one) =>
      toCard({
        session: one,
        since: '2026-01-01T00:00:00Z',
        evidence: [],
        escalated: false,
        endedByCommand: false,
        permissions: [],
        canMerge: false,
        view: null,
        now: new Date(NOW),
      }),
    )
    expect(sumSpent(FLEET.map(spentOf))).toEqual(SUM)
    expect(sumSpent(cards.map(({ spent }) => spent))).toEqual(SUM)
    // What was written last is older, and missing for some.
    const histories: Array<{ sessionId: string; events: SeriesEvent[] }> = FLEET.map(({ id }) => ({
      sessionId: id,
      events: [{ at: NOW - HOUR, type: 'usage', tokens: 1, costUsd: 0.1 }],
    }))
    const spent = new Map(cards.map((card) => [card.id, card.spent]))
    const series = countSeries({ histories: withSpent(histories, spent, NOW), from: NOW - HOUR, to: NOW, stepMs: HOUR })
    // app-4 reported nothing by now, so its last word stands.
    expect(series.tokens.at(-1)).toBe(SUM.tokens + 1)
    expect(series.costUsd.at(-1)).toBeCloseTo(SUM.costUsd + 0.1)
    const lines = renderStatus(FLEET, {
      style: createStyle(false),
      width: 200,
      height: Number.POSITIVE_INFINITY,
      now: new Date(NOW),
      showProject: false,
    })
    expect(lines.at(-1)).toContain('$14.90 so far')
  })

  it('is unknown, not zero, when no price is known', () => {
    expect(sumSpent([{ tokens: 1, costUsd: null }, null])).toEqual({ tokens: 1, costUsd: null })
    expect(sumSpent([])).toEqual({ tokens: 0, costUsd: null })
  })
})
