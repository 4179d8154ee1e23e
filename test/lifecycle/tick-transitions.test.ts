// Whole ways of a session through its statuses, as its record and its history show them tick by tick.

import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import type { Pull, Review } from '../../src/contract/pull.ts'
import { recordOf } from '../../src/contract/record.ts'
import { SESSION_STATUSES, type SessionStatus } from '../../src/contract/status.ts'
import { deriveStatus, type StatusFacts } from '../../src/core/status/derive-status.ts'
import { createLoopWorld, failing, type LoopWorld, snapshot } from './loop-world.ts'

const MINUTE = 60_000
let world: LoopWorld

afterEach(() => world.cleanup())

async function open(projectYaml = ''): Promise<string> {
  world = await createLoopWorld({ projectYaml })
  return world.spawn()
}

function answers(id: string, pr: Pull): void {
  world.forge.readings.set(id, { kind: 'read', snapshot: pr })
}

/** The changes of status that the loop made, in order. */
const way = (id: string) =>
  world.store
    .readHistory(id)
    .events.flatMap((one) =>
      one.type === 'status.changed' && one.from !== null && one.from !== 'spawning' ? [`${one.from} → ${one.to}`] : [],
    )

async function walk(id: string, ...steps: Pull[]): Promise<void> {
  for (const step of steps) {
    answers(id, step)
    await world.tick()
    world.clock.pass(MINUTE)
  }
}

const sha = (letter: string) => letter.repeat(40)

describe('the way of a session', () => {
  it('S0.11 S0.12 S0.13 is spawning until its agent is running, and working from then on while there is no pull request', async () => {
    const id = await open()
    const changes = world.store.readHistory(id).events.flatMap((one) => (one.type === 'status.changed' ? [one.to] : []))
    expect(changes.at(-1)).toBe('working')
    const started = world.store.readHistory(id).events.findIndex(({ type }) => type === 'runtime.started')
    const working = world.store
      .readHistory(id)
      .events.findIndex((one) => one.type === 'status.changed' && one.to === 'working')
    expect(started).toBeGreaterThan(-1)
    expect(working).toBeGreaterThanOrEqual(started)
    for (const state of ['active', 'ready', 'active'] as const) {
      world.activity.current = { state, timestamp: world.clock.now() }
      await world.tick()
      world.clock.pass(MINUTE)
      expect(world.status(id)).toBe('working')
    }
    expect(way(id)).toEqual([])
  })

  it('S0.14 S0.15 S0.20 S0.16 S0.17 S0.29 from a pull request over a failure and its fix to the merge, without a human', async () => {
    const id = await open()
    world.logs.set('unit', 'boom')
    await walk(
      id,
      snapshot({ headSha: sha('a') }),
      failing(['unit'], { headSha: sha('a') }),
      snapshot({ headSha: sha('b'), ci: 'pending' }),
      snapshot({ headSha: sha('b'), ci: 'passing', review: 'pending' }),
      snapshot({ headSha: sha('b'), state: 'merged' }),
    )
    expect(way(id)).toEqual([
      'working → pr_open',
      'pr_open → ci_failed',
      'ci_failed → pr_open',
      'pr_open → review_pending',
      'review_pending → merged',
    ])
    expect(world.sent.map(({ text }) => text.includes('boom'))).toEqual([true])
    expect(world.notifications.map(({ type }) => type)).toEqual(['summary.all_complete'])
    // The work is complete: nothing brings it back.
    await walk(id, failing(['unit'], { headSha: sha('c') }))
    expect(world.status(id)).toBe('merged')
    expect(world.sent).toHaveLength(1)
  })

  it('S0.22 S0.23 S0.24 S0.21 from a refusal over new commits to an approval', async () => {
    const id = await open()
    const refusal = {
      ci: 'passing' as const,
      review: 'changes_requested' as const,
      reviews: [
        {
          id: 'r1',
          author: { login: 'ann', isBot: false, isMember: true },
          state: 'changes_requested' as const,
          body: 'Name it better',
          commit: sha('a'),
          submittedAt: '2026-01-01T00:00:00Z',
        },
      ],
    }
    await walk(
      id,
      snapshot({ headSha: sha('a'), ci: 'passing', review: 'pending' }),
      snapshot({ headSha: sha('a'), ...refusal }),
      snapshot({ headSha: sha('b'), ci: 'pending', review: 'pending' }),
      snapshot({ headSha: sha('b'), ci: 'passing', review: 'pending' }),
      snapshot({ headSha: sha('b'), ci: 'pending', review: 'approved' }),
    )
    expect(way(id).slice(1)).toEqual([
      'review_pending → changes_requested',
      'changes_requested → pr_open',
      'pr_open → review_pending',
      'review_pending → approved',
    ])
    expect(world.sent.map(({ text }) => text)).toEqual([
      expect.stringMatching(/ann, on the whole:[\s\S]+Name it better/),
    ])
  })

  it('S0.25 S0.26 S0.27 is mergeable only while approval, checks and absence of conflicts hold together', async () => {
    const id = await open()
    const ready = { ci: 'passing', review: 'approved' } as const
    await walk(
      id,
      snapshot({ ...ready, ci: 'pending' }),
      snapshot(ready),
      snapshot({ ...ready, mergeable: false, hasConflicts: true }),
      snapshot({ ...ready, mergeable: null, hasConflicts: null }),
      snapshot({ ...ready, ci: 'none' }),
      snapshot({ ...ready, review: 'pending' }),
    )
    expect(way(id).slice(1)).toEqual([
      'approved → mergeable',
      'mergeable → approved',
      'approved → mergeable',
      'mergeable → review_pending',
    ])
    expect(world.merged).toEqual([])
    const told = world.notifications.filter(({ type }) => type === 'merge.ready')
    expect(told).toMatchObject([{ sessionId: id, priority: 'action' }])
  })

  it.each([
    ['pr_open', { ci: 'pending' }],
    ['review_pending', { ci: 'passing', review: 'pending' }],
    ['approved', { ci: 'pending', review: 'approved' }],
    ['mergeable', { ci: 'passing', review: 'approved' }],
  ] as const)('S0.39 an agent that has been idle for an hour is not stuck in %s', async (status, change) => {
    const id = await open()
    world.activity.current = { state: 'idle', timestamp: world.clock.now() }
    world.clock.pass(60 * MINUTE)
    await walk(id, snapshot(change), snapshot(change))
    expect(world.status(id)).toBe(status)
    expect(world.notifications.map(({ type }) => type)).not.toContain('session.stuck')
  })

  it('S0.38 S0.48 an agent with a problem is stuck after five minutes, not before, and no longer once it works', async () => {
    const id = await open()
    const since = world.clock.now()
    world.activity.current = { state: 'blocked', timestamp: since }
    world.clock.pass(5 * MINUTE)
    await world.tick()
    expect(world.status(id)).toBe('working')
    world.clock.pass(1_000)
    await world.tick()
    expect(world.status(id)).toBe('stuck')
    world.activity.current = { state: 'active', timestamp: world.clock.now() }
    await world.tick()
    expect(way(id)).toEqual(['working → stuck', 'stuck → working'])
  })

  it('S0.43 S0.44 S0.45 activity changes without the status, and the status without the activity', async () => {
    const id = await open()
    const activities: Array<string | undefined> = []
    for (const state of ['active', 'ready', 'active'] as const) {
      world.activity.current = { state, timestamp: world.clock.now() }
      await world.tick()
      world.clock.pass(MINUTE)
      activities.push(world.store.read(id)?.pairs.activity)
    }
    expect(activities).toEqual(['active', 'ready', 'active'])
    expect(way(id)).toEqual([])
    await walk(id, snapshot({ ci: 'pending' }), failing(['unit']))
    expect(way(id)).toEqual(['working → pr_open', 'pr_open → ci_failed'])
    expect(world.store.read(id)?.pairs.activity).toBe('active')
  })

  it('S0.35 a session whose spawn died cannot continue: it is errored until somebody settles it, and nothing acts on it', async () => {
    const id = await open()
    await world.store.update(id, { operation: 'spawn', operationOwner: '999999:1:none-1' })
    const before = world.store.read(id)?.pairs
    await walk(id, failing(['unit']))
    expect((await world.manager.list()).find((one) => one.id === id)?.status).toBe('errored')
    expect(world.store.read(id)?.pairs).toEqual(before)
    expect(world.sent).toEqual([])
  })

  it('S0.30 a user’s kill is killed, and the loop neither doubts nor reacts to it', async () => {
    const id = await open()
    await world.tick()
    await world.manager.kill(id, { keepWorkspace: true })
    await world.tick()
    expect(world.status(id)).toBe('killed')
    expect(world.notifications.map(({ type }) => type)).not.toContain('session.exited')
  })

  it('keeps the names of people whose reviews are not counted, for as long as there are any', async () => {
    const review = (login: string, isMember: boolean, isBot = false): Review => ({
      id: login,
      author: { login, isMember, isBot },
      state: 'approved',
      body: '',
      commit: null,
      submittedAt: '2026-01-01T00:00:00Z',
    })
    const id = await open()
    const named = async () => recordOf((await world.manager.get(id))!).uncountedReviewers
    await walk(id, snapshot({ reviews: [review('maria', false), review('ann', true), review('lint', false, true)] }))
    expect(await named()).toEqual(['maria'])
    await walk(id, snapshot({ reviews: [review('ann', true)] }))
    expect(await named()).toBeUndefined()
  })

  it('S1.59 the forge is healthy, in trouble and healthy again', async () => {
    const id = await open()
    await walk(id, snapshot())
    expect(world.health.get('forge of my-app')).toBe('ok')
    world.forge.error = new Error('502')
    await world.tick()
    expect(world.health.get('forge of my-app')).toBe('error')
    world.forge.error = null
    world.forge.readings.set(id, { kind: 'unknown', why: '429' })
    await world.tick()
    expect(world.health.get('forge of my-app')).toBe('warn')
    await walk(id, snapshot())
    expect(world.health.get('forge of my-app')).toBe('ok')
  })
})

describe('deriveStatus', () => {
  const status = fc.constantFrom(...SESSION_STATUSES)
  const facts: fc.Arbitrary<StatusFacts> = fc.record({
    stored: status,
    operation: fc.option(
      fc.record({
        kind: fc.constantFrom('spawn' as const, 'kill' as const, 'restore' as const, 'cleanup' as const),
        ownerAlive: fc.boolean(),
      }),
    ),
    runtime: fc.constantFrom<StatusFacts['runtime']>(
      null,
      { state: 'alive' },
      { state: 'unknown' },
      { state: 'dead', exitCode: 0 },
      { state: 'dead', exitCode: 1 },
    ),
    activity: fc.option(
      fc.record({
        state: fc.constantFrom('active', 'ready', 'idle', 'waiting_input', 'blocked', 'exited'),
        at: fc.option(fc.integer({ min: 0, max: 10_000_000 })),
      }),
    ),
    hasPr: fc.boolean(),
    isOrchestrator: fc.boolean(),
    pr: fc.option(
      fc.record({
        url: fc.constant('u'),
        state: fc.constantFrom('open', 'merged', 'closed'),
        ci: fc.constantFrom('passing', 'failing', 'pending', 'none'),
        review: fc.constantFrom('approved', 'changes_requested', 'pending', 'none'),
        mergeable: fc.constantFrom(true, false, null),
      }),
    ),
    turnSince: fc.option(fc.integer({ min: 0, max: 10_000_000 })),
    readyThresholdMs: fc.constant(300_000),
  })

  it('S0.33 never makes a session terminated: only a user’s force-stop does', async () => {
    world = await createLoopWorld()
    fc.assert(
      fc.property(facts, fc.integer({ min: 0, max: 20_000_000 }), (given, now) => {
        const derived: SessionStatus = deriveStatus(given, now)
        expect(derived === 'terminated').toBe(derived === 'terminated' && given.stored === 'terminated')
      }),
      { numRuns: 2_000 },
    )
  })

  it('S0.31 never calls a session dead whose liveness is unknown, whatever happened to its pull request', async () => {
    world = await createLoopWorld()
    fc.assert(
      fc.property(facts, fc.integer({ min: 0, max: 20_000_000 }), (given, now) => {
        const unknown: StatusFacts = { ...given, stored: 'working', operation: null, runtime: { state: 'unknown' } }
        fc.pre(unknown.activity?.state !== 'exited' && unknown.pr?.state !== 'merged')
        expect(['killed', 'done', 'terminated', 'errored']).not.toContain(deriveStatus(unknown, now))
      }),
      { numRuns: 2_000 },
    )
  })
})
