import { describe, expect, it } from 'vitest'
import type { Review } from '../../contract/pull.ts'
import { storedSession } from '../../contract/stored-session.ts'
import { personReviews } from '../reactions/pull-news.ts'
import { openChanges } from './open-changes.ts'
import { type CapacityFacts, type OpenChange, reviewCapacity } from './review-capacity.ts'

const MINUTE = 60_000
const NOW = Date.parse('2026-03-04T12:00:00Z')
const every = (minutes: number, count = 20) =>
  Array.from({ length: count }, (_, at) => NOW - (at + 1) * minutes * MINUTE)
const MADE = 10 * MINUTE
/** So many are under way, of which some wait for a review and the others were begun that long ago. */
const changes = (count: number, unreviewed: number, age: number = MADE): OpenChange[] =>
  Array.from({ length: count }, (_, at) => ({ state: at < unreviewed ? 'review' : 'coming', since: NOW - age }))
const of = (...states: Array<OpenChange['state']>): OpenChange[] =>
  states.map((state) => ({ state, since: NOW - MADE }))
const FACTS: CapacityFacts = {
  capacity: 'auto',
  reviews: every(12),
  leads: [30 * MINUTE, 35 * MINUTE, 40 * MINUTE],
  changes: changes(8, 4),
  now: NOW,
}

describe('how many changes a person keeps up with', () => {
  it.each<[string, Partial<CapacityFacts>, number | null, boolean]>([
    ['as many as are read while one comes, and some to spare', {}, 5, true],
    ['more of a fast reviewer', { reviews: every(3) }, 14, false],
    ['never fewer than three', { reviews: every(110) }, 3, true],
    ['never more than fifty', { leads: [48 * 60 * MINUTE] }, 50, false],
    ['no limit as long as too few reviews were seen', { reviews: every(12, 5) }, null, false],
    ['no limit when it is off', { capacity: 'off' }, null, false],
    ['a number of the configuration', { capacity: 6, reviews: [] }, 6, true],
    ['one more while no pull request waits for a review', { changes: changes(5, 0) }, 5, false],
    ['but only one', { changes: changes(6, 0) }, 5, true],
    ['room below the limit', { changes: changes(4, 2) }, 5, false],
    ['what has taken twice as long as others not at all', { changes: changes(8, 2, 70 * MINUTE) }, 5, false],
    ['what is a minute short of that', { changes: changes(8, 2, 69 * MINUTE) }, 5, true],
    ['a pull request that waits for a review however long', { changes: changes(8, 8, 900 * MINUTE) }, 5, true],
    [
      'approved changes not as under way',
      { changes: of('landing', 'landing', 'landing', 'landing', 'landing') },
      5,
      false,
    ],
    ['nothing to start while more than half of it is open', { changes: of('review', 'mended', 'landing') }, 5, true],
    ['room while half of it is open', { changes: of('review', 'landing', 'coming', 'coming') }, 5, false],
    ['room while nothing of what is open waits', { changes: of('mended', 'landing', 'landing') }, 5, false],
    [
      'what has not landed for long as not open',
      { changes: [...of('review', 'mended'), { state: 'landing', since: NOW - 70 * MINUTE }] },
      5,
      false,
    ],
    [
      'reviews that nobody gave for long neither',
      {
        changes: of('review', 'review', 'mended').map((one, at) =>
          at < 2 ? { ...one, since: NOW - 900 * MINUTE } : one,
        ),
      },
      5,
      false,
    ],
    ['any open share of a number', { capacity: 6, changes: of('review', 'review', 'review', 'review') }, 6, false],
    ['an unknown lead as an hour', { leads: [] }, 7, true],
    ['old reviews not at all', { reviews: every(12).map((at) => at - 20 * 24 * 60 * MINUTE) }, null, false],
    ['reviews from the future not at all', { reviews: every(12).map((at) => at + 1e10) }, null, false],
    ['times that are none not at all', { reviews: Array<number>(99).fill(Number.NaN) }, null, false],
    ['negative and absurd leads not at all', { leads: [-5, Number.NaN, 1e15] }, 7, true],
    [
      'a thousand reviews in one moment as one each two minutes',
      { reviews: Array<number>(1_000).fill(NOW - 1) },
      19,
      false,
    ],
  ])('counts %s', (_what, more, limit, waits) => {
    const { limit: found, waits: why, how } = reviewCapacity({ ...FACTS, ...more })
    expect([found, why !== null]).toEqual([limit, waits])
    expect(how).not.toBe('')
  })

  it.each<[string, Partial<CapacityFacts>, RegExp]>([
    ['of one', { changes: changes(8, 1) }, /: 1 open pull request waits for a review, 8 changes/],
    ['of one minute', { capacity: 'auto', leads: [MINUTE], reviews: every(1) }, /takes 1 minute to come\)$/],
    ['of the configuration', { capacity: 6.9 }, /6 is the limit \(review\.capacity\)$/],
  ])('speaks %s', (_what, more, text) => {
    expect(reviewCapacity({ ...FACTS, ...more }).waits).toMatch(text)
  })

  it('counts reviews of the last fourteen days, also of the very first moment', () => {
    const oldest = NOW - 14 * 24 * 60 * MINUTE
    const count = (at: number) => reviewCapacity({ ...FACTS, reviews: [at, ...every(12, 4)] }).how
    expect(count(oldest)).toMatch(/^5 reviews in 14 days/)
    expect(count(oldest - 1)).toMatch(/^4 reviews in 14 days/)
    expect(count(NOW)).toMatch(/^5 reviews in 14 days/)
  })

  it('says who waits for what, and how the limit came about', () => {
    expect(reviewCapacity(FACTS).waits).toBe(
      'the backlog, schedules and triggers wait for reviews: 4 open pull requests wait for a review, 8 changes are under way, and 5 is the limit (a review every 12 minutes in 20 reviews of 14 days, and a change takes 35 minutes to come)',
    )
    expect(reviewCapacity({ ...FACTS, changes: of('review', 'landing', 'landing') }).waits).toContain(
      ': 1 open pull request waits for a review, and 3 are open, more than half of the limit of 5 (a review',
    )
  })
})

describe('the changes of sessions', () => {
  const at = new Date(NOW).toISOString()
  const session = (status: string, more: Record<string, string> = {}) =>
    storedSession({ id: 'app-1', pairs: { status, createdAt: at, ...more } }, 'app')
  const pr = 'https://github.com/o/r/pull/1'
  it.each<[string, Record<string, string>, OpenChange['state'] | null]>([
    ['working', {}, 'coming'],
    ['working', { pr }, 'mended'],
    ['pr_open', { pr }, 'mended'],
    ['ci_failed', { pr }, 'mended'],
    ['review_pending', { pr }, 'review'],
    ['changes_requested', { pr }, 'mended'],
    ['approved', { pr }, 'landing'],
    ['mergeable', { pr }, 'landing'],
    ['stuck', {}, null],
    ['needs_input', { pr }, null],
    ['merged', { pr }, null],
    ['working', { role: 'reviewer' }, null],
    ['working', { role: 'orchestrator' }, null],
  ])('of %s with %o', (status, more, state) => {
    expect(openChanges([session(status, more)]).map((one) => one.state)).toEqual(state === null ? [] : [state])
  })

  it('are as old as their work, or as their news', () => {
    const statusSince = new Date(NOW + MINUTE).toISOString()
    const since = (more: Record<string, string>) =>
      openChanges([session('working', { statusSince, ...more })])[0]?.since
    expect([since({}), since({ pr })]).toEqual([NOW, NOW + MINUTE])
  })
})

describe('the reviews of people', () => {
  const review = (login: string, more: Partial<Review> = {}, kind = {}): Review => ({
    id: '1',
    author: { login, isBot: false, isMember: true, ...kind },
    state: 'approved',
    body: '',
    commit: 'c1',
    submittedAt: '2026-03-04T11:00:00Z',
    ...more,
  })
  it.each<[string, Review[], number]>([
    ['a verdict', [review('ann')], 1],
    ['two of one person on one commit once', [review('ann'), review('ann', { state: 'changes_requested' })], 1],
    ['those of two commits', [review('ann'), review('ann', { commit: 'c2' })], 2],
    ['not what an agent approved', [review('app-2', {}, { isBot: true })], 0],
    ['not what whoever opened it approved', [review('app-1'), review('me')], 0],
    ['not what a stranger approved', [review('mallory', {}, { isMember: false })], 0],
    ['not a mere comment', [review('ann', { state: 'commented' })], 0],
    ['not one without a time', [review('ann', { submittedAt: 'soon' })], 0],
    ['at most twenty', Array.from({ length: 99 }, (_, at) => review('ann', { commit: `c${at}` })), 20],
  ])('count %s', (_what, reviews, count) => {
    expect(personReviews({ reviews, author: 'me', session: 'app-1' })).toHaveLength(count)
  })
})
