// Every surface that says something about a session follows from the same facts: over all combinations of facts, none of
// them may contradict another one or claim what nobody knows.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { attentionGroup } from '../src/cli/print/attention.ts'
import { pullRef } from '../src/contract/ids.ts'
import type { PermissionRequest } from '../src/contract/permission.ts'
import type { PullFacts } from '../src/contract/pull.ts'
import { writeRecord } from '../src/contract/record.ts'
import type { Session } from '../src/contract/session.ts'
import { ACTIVITY_STATES, isTerminalSession, SESSION_STATUSES } from '../src/contract/status.ts'
import { isCalling, needOfRecord } from '../src/core/queue/find-need.ts'
import { rankQueue } from '../src/core/queue/rank-queue.ts'
import { findConditions } from '../src/core/reactions/find-conditions.ts'
import { type CardFacts, toCard } from '../src/core/status/board-card.ts'
import { deriveActivity, deriveStatus, isFinished, type StatusFacts } from '../src/core/status/derive-status.ts'
import { explainStatus } from '../src/core/status/explain-status.ts'
import { decidingPull } from '../src/core/status/recorded-facts.ts'
import { sampleNews, samplePull } from './support/sample-pull.ts'
import { sampleSession } from './support/sample-session.ts'

const NOW = new Date('2026-03-04T12:00:00.000Z')
const URL = 'http://localhost/acme/app/pull/7'

const pull: fc.Arbitrary<PullFacts> = fc.record(
  {
    url: fc.constant(URL),
    state: fc.constantFrom('open', 'merged', 'closed'),
    ci: fc.constantFrom('passing', 'failing', 'pending', 'none'),
    review: fc.constantFrom('approved', 'changes_requested', 'pending', 'none'),
    mergeable: fc.constantFrom(true, false, null),
    isDraft: fc.constant(true as const),
    left: fc.constant('it conflicts with #4 ahead of it'),
    byHand: fc.constant(true as const),
  },
  { requiredKeys: ['url', 'state', 'ci', 'review', 'mergeable'] },
)

/** A session may have several: its status is about one of them, and the others are shown beside it. */
const pulls: fc.Arbitrary<PullFacts[]> = fc
  .array(pull, { maxLength: 3 })
  .map((all) => all.map((one, index) => ({ ...one, url: `http://localhost/acme/app/pull/${7 + index}`, head: 'abc' })))

interface SeveralFacts extends StatusFacts {
  pulls: PullFacts[]
}

const runtime: fc.Arbitrary<StatusFacts['runtime']> = fc.oneof(
  fc.constantFrom({ state: 'alive' as const }, { state: 'unknown' as const }, null),
  fc.constantFrom(0, 1, 137, null).map((exitCode) => ({ state: 'dead' as const, exitCode })),
)

const facts: fc.Arbitrary<SeveralFacts> = fc
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
    pulls,
    turnSince: fc.constantFrom(null, 0, NOW.getTime() - 1_000),
  })
  // The loop writes that word only together with the facts behind it.
  .filter(({ stored, pulls }) => stored !== 'mergeable' || pulls.length > 0)
  .map((some) => {
    const pr = decidingPull(some.pulls, some.pulls[0]?.url) ?? null
    return { ...some, pr, hasPr: pr !== null, readyThresholdMs: 300_000 }
  })

/** What else is known of a session: its agent in a place that does not answer, messages that wait, requests. */
const circumstances = fc.record({
  messagesOnTheWay: fc.constantFrom<string[]>([], ['m-1']),
  promptDelivered: fc.constantFrom('held' as const, 'yes' as const),
  /** Nobody answered it, and the turn ended. */
  expired: fc.option(fc.constant({ text: 'rm -rf build', at: NOW.toISOString() }), { freq: 3 }),
  /** Its place could not be reached. */
  unknown: fc.option(fc.constant({ place: 'box', why: 'box cannot be reached', since: NOW, unreachable: true }), {
    freq: 3,
  }),
  place: fc.option(fc.constant('box')),
  asks: fc.boolean(),
  overBudget: fc.option(fc.constant('session: $5'), { freq: 3 }),
})
type Circumstances = typeof circumstances extends fc.Arbitrary<infer T> ? T : never

function sessionOf(from: SeveralFacts, around: Circumstances): Session {
  const status = deriveStatus(from, NOW.getTime())
  const { messagesOnTheWay, promptDelivered, expired, unknown, place, overBudget } = around
  const record = writeRecord({
    role: from.isOrchestrator ? 'orchestrator' : 'worker',
    messagesOnTheWay,
    promptDelivered,
    place,
    overBudget,
    ...(from.operation && { operation: from.operation.kind }),
    ...(from.pr && { pr: from.pr.url, prFacts: from.pr, prState: from.pr.state }),
    ...(from.pulls.length > 1 && { otherPulls: from.pulls.filter((one) => one !== from.pr) }),
  })
  return sampleSession({
    id: from.isOrchestrator ? 'app-orchestrator' : 'app-1',
    status,
    activity: deriveActivity(status, from.runtime, from.activity?.state ?? null),
    pr: from.pr ? pullRef(from.pr.url) : null,
    agentInfo: {
      summary: null,
      agentSessionId: null,
      ...(expired && { expiredRequest: expired }),
      ...(unknown && { unknown }),
    },
    metadata: { ...filled(record), status },
  })
}

function filled(pairs: Record<string, string | null>): Record<string, string> {
  return Object.fromEntries(Object.entries(pairs).filter((pair): pair is [string, string] => pair[1] !== null))
}

const history = fc.record({ escalated: fc.boolean(), endedByCommand: fc.boolean(), canMerge: fc.boolean() })

const REQUEST: PermissionRequest = {
  requestId: 'perm-1',
  title: 'Run a command',
  kind: 'execute',
  options: [],
  askedAt: NOW.toISOString(),
  expiresAt: null,
}

/** What the loop would notify a person of, with every reaction set to `notify`. */
function notified(from: SeveralFacts, session: Session): Map<string, string> {
  const expired = session.agentInfo?.expiredRequest?.text ?? null
  const { conditions } = findConditions({
    sessionId: session.id,
    status: session.status,
    launch: 1,
    activity: from.activity && { state: from.activity.state, at: from.activity.at ?? 0 },
    pulls: from.pulls.map((one, index) => {
      const { url, state, ci, review, mergeable } = one
      const hasConflicts = mergeable === null ? null : !mergeable
      const pull = samplePull({ pr: { url, number: 7 + index }, state, ci, review, mergeable, hasConflicts })
      const landing = one.left === undefined ? null : ({ why: 'refused', said: one.left } as const)
      return sampleNews({ pull, facts: one, isFurther: index > 0, landing })
    }),
    question: null,
    finished: isFinished({ ...session, pr: null }) ? { expired } : null,
    sharedFailures: [],
    baseBranch: 'main',
    collisions: null,
    handIn: { complete: '', update: '', request: 'pull request' },
    told: {},
    heard: {},
    now: NOW.getTime(),
  })
  return new Map(conditions.map(({ memory, summary }) => [memory, summary]))
}

function surfaces(
  from: SeveralFacts,
  more: { escalated: boolean; endedByCommand: boolean; canMerge: boolean },
  around: Circumstances,
) {
  const session = sessionOf(from, around)
  const asks = around.asks && from.activity?.state === 'waiting_input'
  const cardFacts: CardFacts = {
    session,
    since: NOW.toISOString(),
    evidence: [],
    permissions: asks ? [REQUEST] : [],
    now: NOW,
    view: 'terminal',
    ...more,
  }
  const card = toCard(cardFacts)
  return {
    session,
    card,
    group: attentionGroup(session, NOW),
    isQueued: rankQueue([card], NOW.getTime()).length > 0,
    why: explainStatus({ session, archivedAt: null }, NOW).join('\n'),
    notified: notified(from, session),
  }
}

function always(
  check: (from: SeveralFacts, shown: ReturnType<typeof surfaces>, around: Circumstances) => void,
  numRuns = 3_000,
): void {
  fc.assert(
    fc.property(facts, history, circumstances, (from, more, around) =>
      check(from, surfaces(from, more, around), around),
    ),
    { numRuns },
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

/** Whether a person is notified of this about the pull request that the status is about. */
function isNotified({ pulls, pr }: SeveralFacts, notified: Map<string, string>, key: string): boolean {
  return notified.has(pr === pulls[0] ? key : `${key} ${pr?.url}`)
}

it('only what is shown as ready to merge is notified as ready', () => {
  always((from, { session, group, notified }) => {
    if (isNotified(from, notified, 'approved-and-green')) expect(['Ready to merge', 'Needs you']).toContain(group)
    if (session.status === 'mergeable') expect(isNotified(from, notified, 'approved-and-green')).toBe(true)
  })
})

it('an open pull request keeps its session open, whatever became of the others, and all are shown', () => {
  always(({ pulls, stored, operation }, { session, card, why }) => {
    if (pulls.some(({ state }) => state === 'open') && stored !== 'merged') expect(session.status).not.toBe('merged')
    expect([card.pr, ...card.otherPulls].flatMap((one) => one?.url ?? []).sort()).toEqual(pulls.map(({ url }) => url))
    for (const { url, state } of pulls) {
      expect(why).toContain(url)
      // A record that says merged is believed about the one that it names, until the forge says otherwise.
      if (operation === null && session.status !== 'merged')
        expect(why).toContain(`${url}${url === card.pr?.url ? '' : ','} is ${state}`)
    }
  })
})

it('what a person is notified of names the pull request that it is about, where there are several', () => {
  always(({ pulls }, { notified }) => {
    if (pulls.length < 2) return
    for (const [key, summary] of notified) {
      const about = pulls.find(({ url }) => key.endsWith(` ${url}`)) ?? pulls[0]!
      const number = about.url.split('/').at(-1)
      if (/^(ci-|changes-|bugbot-|merge-|approved-|landing-|pr-)/.test(key))
        expect(summary.includes(`#${number}`) || summary.includes(about.url)).toBe(true)
    }
  })
})

it('a pull request that is ready is notified of by itself, and no other is', () => {
  always(({ pulls }, { notified }) => {
    for (const [index, { url, state, review, ci, mergeable, left }] of pulls.entries()) {
      if (!notified.has(index === 0 ? 'approved-and-green' : `approved-and-green ${url}`)) continue
      expect({ state, review, mergeable, left }).toEqual({
        state: 'open',
        review: 'approved',
        mergeable: true,
        left: undefined,
      })
      expect(['passing', 'none']).toContain(ci)
    }
  })
})

it('a person is notified of a question exactly when the session is shown as waiting for one', () => {
  always((from, { session, card, notified }) => {
    expect(notified.has('agent-needs-input')).toBe(session.status === 'needs_input')
    if (notified.has('agent-needs-input')) expect(card.column).toBe('needs_you')
    // While a command works on it nobody is notified; the next tick after it does that.
    if (card.need?.kind === 'permission' && from.operation === null)
      expect(notified.has('agent-needs-input')).toBe(true)
  })
})

it('a turn counts as finished in the notification exactly when it does in the queue, and not while a message waits', () => {
  always(({ pr }, { card, notified }, { messagesOnTheWay, promptDelivered, expired, overBudget }) => {
    const isFinishedTurn = card.need?.kind === 'finished' || card.need?.cause === 'expired'
    if (isFinishedTurn) expect(notified.has('agent-idle')).toBe(true)
    if (!notified.has('agent-idle')) return
    expect(messagesOnTheWay).toEqual([])
    expect(promptDelivered).not.toBe('held')
    expect(card.role).toBe('worker')
    // A budget that is spent, or a reaction that gave up, is what the queue says first.
    // A person has closed its pull request, and knows.
    if (overBudget === null && card.need?.cause !== 'gave_up' && pr?.state !== 'closed')
      expect(isFinishedTurn).toBe(true)
    expect(notified.get('agent-idle')?.startsWith('nobody answered in time')).toBe(expired !== null)
  })
})

it('a request that nobody answered in time is never shown as finished work', () => {
  always((_from, { card, why }, { expired }) => {
    if (expired === null) return
    expect(why).toContain('nobody answered in time')
    expect(card.need?.kind).not.toBe('finished')
  })
})

it('an agent in a place that cannot be reached is unknown on the card and in `ao why`', () => {
  always((_from, { session, card, why }, { unknown }) => {
    if (unknown === null) return
    expect(why).toContain('box cannot be reached')
    if (!isTerminalSession(session)) expect(card.unknown?.why).toBe(unknown.why)
  })
})

it('what left the train is notified of as long as it may still land', () => {
  always(({ pulls }, { notified }) => {
    for (const [index, { url, state, left }] of pulls.entries()) {
      const key = index === 0 ? 'landing-failed' : `landing-failed ${url}`
      expect(notified.has(key)).toBe(state === 'open' && left !== undefined)
    }
  })
})

it('nobody is notified of anything about work that is merged', () => {
  always(({ pr }, { session, notified }) => {
    if (session.status !== 'merged' || pr?.state !== 'merged') return
    expect([...notified]).toEqual([])
  })
})
