import { expect, it } from 'vitest'
import { sampleSession } from '../../../test/support/sample-session.ts'
import type { SessionCard } from '../../contract/dashboard/cards.ts'
import type { SessionStatus } from '../../contract/status.ts'
import { countSessions } from './count-sessions.ts'
import { describeQueue, NEED_WORDS } from './describe-queue.ts'

const NOW = Date.parse('2026-03-04T12:00:00.000Z')
const session = (id: string, status: SessionStatus, metadata: Record<string, string> = {}) =>
  sampleSession({ id, status, metadata })

it('sessions are counted by agent and status, with what they have used', () => {
  const used = (agent: string, tokens: number, cost?: string) => ({
    agent,
    usageTokens: String(tokens),
    ...(cost && { usageCostUsd: cost }),
  })
  const { byStatus, spent } = countSessions(
    [
      ...[session('a', 'working', used('codex', 5, '0.5')), session('b', 'working', used('codex', 7))],
      ...[session('c', 'done', used('codex', 1, '0.25')), session('d', 'working')],
    ],
    NOW,
  )
  expect(byStatus).toEqual([
    { agent: 'codex', status: 'working', sessions: 2 },
    { agent: 'codex', status: 'done', sessions: 1 },
    { agent: 'unknown', status: 'working', sessions: 1 },
  ])
  expect(spent).toEqual([{ agent: 'codex', tokens: 13, costUsd: 0.75 }])
})

it('those that wait for a person are counted, unless they were put off', () => {
  const asks = (snoozedNeed?: string, snoozedUntil?: string) =>
    session('a', 'needs_input', {
      activity: 'waiting_input',
      ...(snoozedNeed && { snoozedNeed }),
      ...(snoozedUntil && { snoozedUntil }),
    })
  const needs = (...sessions: ReturnType<typeof asks>[]) => countSessions(sessions, NOW).byNeed
  expect(needs(asks(), asks(), session('b', 'working', { activity: 'active' }))).toEqual([
    { kind: 'question', sessions: 2 },
  ])
  expect(needs(asks('question', '2026-03-04T12:00:01.000Z'))).toEqual([])
  expect(needs(asks('question', '2026-03-04T12:00:00.000Z'))).toHaveLength(1)
  expect(needs(asks('question'))).toHaveLength(1)
  expect(needs(asks('error', '2026-03-04T12:00:01.000Z'))).toHaveLength(1)
})

it('the queue names its sessions, and what each needs somebody for', () => {
  expect(describeQueue([], NOW)).toEqual([])
  const card = {
    id: 'app-1',
    title: 'A button',
    column: 'needs_you',
    need: { kind: 'question', since: '2026-03-04T11:00:00.000Z', text: 'Which?' },
  }
  const [item] = describeQueue(
    [
      {
        ...card,
        projectId: 'app',
        statusSince: '2026-03-04T11:00:00.000Z',
        snoozedUntil: null,
        permissions: [],
      } as unknown as SessionCard,
    ],
    NOW,
  )
  expect(item).toMatchObject({ sessions: [{ id: 'app-1', title: 'A button' }] })
  for (const [kind, phrase] of Object.entries(NEED_WORDS))
    expect(`app-1 ${phrase}`, kind).toMatch(/^app-1 (?:asks|cannot|has|can) ?\w*/)
})
