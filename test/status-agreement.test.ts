// Every surface that says something about a session follows from the same facts: over all combinations of facts, none of
// them may contradict another one or claim what nobody knows.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { attentionGroup } from '../src/cli/print/attention.ts'
import type { PullFacts } from '../src/contract/pull.ts'
import { writeRecord } from '../src/contract/record.ts'
import type { Session } from '../src/contract/session.ts'
import { ACTIVITY_STATES, isTerminalSession, SESSION_STATUSES } from '../src/contract/status.ts'
import { isCalling, needOfRecord } from '../src/core/queue/find-need.ts'
import { rankQueue } from '../src/core/queue/rank-queue.ts'
import { type CardFacts, toCard } from '../src/core/status/board-card.ts'
import { deriveActivity, deriveStatus, type StatusFacts } from '../src/core/status/derive-status.ts'
import { explainStatus } from '../src/core/status/explain-status.ts'
import { sampleSession } from './support/sample-session.ts'

const NOW = new Date('2026-03-04T12:00:00.000Z')
const URL = 'http://localhost/acme/app/pull/7'

const pull: fc.Arbitrary<PullFacts> = fc.record(
  {
    state: fc.constantFrom('open', 'merged', 'closed'),
    ci: fc.constantFrom('passing', 'failing', 'pending', 'none'),
    review: fc.constantFrom('approved', 'changes_requested', 'pending', 'none'),
    mergeable: fc.constantFrom(true, false, null),
    isDraft: fc.constant(true as const),
    left: fc.constant('it conflicts with #4 ahead of it'),
    byHand: fc.constant(true as const),
  },
  { requiredKeys: ['state', 'ci', 'review', 'mergeable'] },
)

const runtime: fc.Arbitrary<StatusFacts['runtime']> = fc.oneof(
  fc.constantFrom({ state: 'alive' as const }, { state: 'unknown' as const }, null),
  fc.constantFrom(0, 1, 137, null).map((exitCode) => ({ state: 'dead' as const, exitCode })),
)

const facts: fc.Arbitrary<StatusFacts> = fc
  .record({
    stored: fc.constantFrom(...SESSION_STATUSES),
    operation: fc.option(
      fc.record({ kind: fc.constantFrom('spawn', 'kill', 'restore', 'cleanup'), ownerAlive: fc.boolean() }),
      { freq: 4 },
    ),
    runtime,
    activity: fc.option(
      fc.record({ state: fc.constantFrom(...ACTIVITY_STATES), at: fc.constantFrom(0, NOW.getTime() - 1_000, null) }),
    ),
    isOrchestrator: fc.boolean(),
    pr: fc.option(pull),
    turnSince: fc.constantFrom(null, 0, NOW.getTime() - 1_000),
  })
  // The loop writes that word only together with the facts behind it.
  .filter(({ stored, pr }) => stored !== 'mergeable' || pr !== null)
  .map((some) => ({ ...some, hasPr: some.pr !== null, readyThresholdMs: 300_000 }))

function sessionOf(from: StatusFacts): Session {
  const status = deriveStatus(from, NOW.getTime())
  const record = writeRecord({
    role: from.isOrchestrator ? 'orchestrator' : 'worker',
    ...(from.operation && { operation: from.operation.kind }),
    ...(from.pr && { pr: URL, prFacts: { url: URL, ...from.pr }, prState: from.pr.state }),
  })
  return sampleSession({
    id: from.isOrchestrator ? 'app-orchestrator' : 'app-1',
    status,
    activity: deriveActivity(status, from.runtime, from.activity?.state ?? null),
    pr: from.pr ? { url: URL, number: 7 } : null,
    metadata: { ...filled(record), status },
  })
}

function filled(pairs: Record<string, string | null>): Record<string, string> {
  return Object.fromEntries(Object.entries(pairs).filter((pair): pair is [string, string] => pair[1] !== null))
}

const history = fc.record({ escalated: fc.boolean(), endedByCommand: fc.boolean(), canMerge: fc.boolean() })

function surfaces(from: StatusFacts, more: { escalated: boolean; endedByCommand: boolean; canMerge: boolean }) {
  const session = sessionOf(from)
  const known: CardFacts = {
    session,
    since: NOW.toISOString(),
    evidence: [],
    permissions: [],
    now: NOW,
    view: 'terminal',
    ...more,
  }
  const card = toCard(known)
  return {
    session,
    card,
    group: attentionGroup(session, NOW),
    isQueued: rankQueue([card], NOW.getTime()).length > 0,
    why: explainStatus({ session, archivedAt: null }, NOW).join('\n'),
  }
}

function always(check: (from: StatusFacts, shown: ReturnType<typeof surfaces>) => void): void {
  fc.assert(
    fc.property(facts, history, (from, more) => check(from, surfaces(from, more))),
    { numRuns: 3_000 },
  )
}

it('only what is approved, green, mergeable and did not leave the train is ready to merge', () => {
  always(({ pr }, { session, card, group }) => {
    const saysReady = [
      card.column === 'ready_to_merge',
      group === 'Ready to merge',
      session.status === 'mergeable',
      card.need?.kind === 'merge',
    ]
    if (!saysReady.includes(true)) return
    expect(pr).toMatchObject({ state: 'open', review: 'approved', mergeable: true })
    expect(['passing', 'none']).toContain(pr?.ci)
    expect(pr?.left).toBeUndefined()
  })
})

it('what left the train is in no other group than that, or needs a person, and `ao why` says so', () => {
  always(({ pr }, { session, card, group, why }) => {
    if (pr?.state !== 'open' || pr.left === undefined) return
    expect(why).toContain('left the train: it conflicts with #4 ahead of it')
    if (session.status !== 'approved') return
    expect(['Left the train', 'Needs you']).toContain(group)
    expect(['working', 'needs_you']).toContain(card.column)
  })
})

it('the board says that it needs a person exactly when the queue does', () => {
  always((_from, { card, isQueued }) => {
    const isCalled = card.need !== null && isCalling(card.need.kind)
    expect(card.column === 'needs_you').toBe(isCalled)
    expect(isQueued).toBe(card.need !== null)
  })
})

it('`ao status` and the board agree about who needs a person, as far as the session itself shows it', () => {
  always((_from, { session, card, group }) => {
    const need = needOfRecord(session, NOW)
    expect(group === 'Needs you').toBe(need !== null && isCalling(need.kind))
    // The board also knows the history.
    if (group === 'Needs you') expect(card.column).toBe('needs_you')
  })
})

it('a session that has ended is not shown as working, and one that is running is not shown as ended', () => {
  always((_from, { session, card, group }) => {
    const isOver = isTerminalSession({ status: session.status, activity: null })
    if (isOver) expect(['done', 'needs_you']).toContain(card.column)
    if (card.column === 'done') expect(['Ended', 'Needs you']).toContain(group)
    if (group === 'Ended') expect(['done', 'needs_you']).toContain(card.column)
  })
})

it('nothing has finished that asks something or has a pull request', () => {
  always(({ activity }, { session, card }) => {
    if (card.need?.kind !== 'finished') return
    expect(activity?.state).toBe('ready')
    expect(session.pr).toBeNull()
    expect(session.status).toBe('working')
  })
})

it('nothing is merged while its pull request is open or closed', () => {
  always(({ pr, stored }, { session }) => {
    if (session.status !== 'merged' || stored === 'merged') return
    expect(pr?.state).toBe('merged')
  })
})

it('a commit that reached the base branch by hand is not silently merged', () => {
  always(({ pr }, { why }) => {
    if (pr?.byHand) expect(why).toContain('was moved by hand')
  })
})
