import { expect, it } from 'vitest'
import type { Session } from '../../contract/session.ts'
import { metadataToSession } from '../../contract/stored-session.ts'
import { toCard } from '../status/board-card.ts'
import { leanCard, wholeCard } from './lean-card.ts'

const AT = '2026-11-19T08:00:00.000Z'

function cardOf(pairs: Record<string, string>, more: Partial<Session> = {}) {
  const session = {
    ...metadataToSession('app-1', { project: 'app', createdAt: AT, agent: 'claude-code', ...pairs }),
    ...more,
  }
  const none = { evidence: ['its agent was started'], escalated: false, endedByCommand: false, permissions: [] }
  return toCard({ session, since: AT, canMerge: false, view: 'terminal', now: new Date(AT), ...none })
}

it('what a lean card does not say is as it was in the whole card', () => {
  const cards = [
    cardOf({ status: 'working', branch: 'feat/a', issue: '7' }),
    cardOf({ status: 'needs_input', role: 'orchestrator' }, { activity: 'waiting_input' }),
    cardOf({ status: 'killed', endedAs: 'killed', overBudget: '5 USD', account: 'work', place: 'lab' }),
    cardOf({ status: 'pr_open', pr: 'https://forge.test/o/r/pull/3', usageTokens: '12', task: '' }),
  ]
  for (const card of cards) {
    const sent = JSON.parse(JSON.stringify(leanCard(card)))
    expect(wholeCard(sent)).toEqual(JSON.parse(JSON.stringify(card)))
  }
})

it('a card of which there is nothing to say but what it does has a third of the size', () => {
  const card = cardOf({ status: 'working', branch: 'feat/a' })
  expect(JSON.stringify(leanCard(card)).length * 3).toBeLessThan(JSON.stringify(card).length * 1.2)
})
