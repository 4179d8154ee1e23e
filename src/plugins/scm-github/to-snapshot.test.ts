import { describe, expect, it } from 'vitest'
import type { Pull } from '../../contract/pull.ts'
import { summarizeChecks, toCheck } from './check-state.ts'
import type { PullRequestData } from './pull-request-data.ts'
import { toSnapshot } from './to-snapshot.ts'

const data = (changes: Partial<PullRequestData>): PullRequestData => ({
  number: 7,
  url: 'https://github.com/acme/app/pull/7',
  title: 'Seven',
  state: 'OPEN',
  isDraft: false,
  updatedAt: '2026-01-01T00:00:00Z',
  headRefName: 'feat/7',
  headRefOid: 'a'.repeat(40),
  baseRefName: 'main',
  mergeable: 'MERGEABLE',
  mergeStateStatus: 'CLEAN',
  reviewDecision: null,
  reviewRequests: { totalCount: 0 },
  author: { __typename: 'User', login: 'acme' },
  comments: { nodes: [] },
  commits: { nodes: [] },
  latestOpinionatedReviews: { nodes: [] },
  baseChanges: { nodes: [] },
  reviews: { nodes: [] },
  reviewThreads: { pageInfo: { hasNextPage: false, endCursor: null }, nodes: [] },
  ...changes,
})
const snapshot = (changes: Partial<PullRequestData>): Pull =>
  toSnapshot({
    data: data(changes),
    name: { owner: 'acme', repo: 'app' },
    contexts: [],
    threads: [],
    failingAtBase: new Set(),
  })

describe('whether it can be merged', () => {
  it.each([
    ['MERGEABLE', 'CLEAN', false, true],
    ['MERGEABLE', 'HAS_HOOKS', false, true],
    ['MERGEABLE', 'UNSTABLE', false, true],
    ['MERGEABLE', 'BLOCKED', false, false],
    ['MERGEABLE', 'BEHIND', false, false],
    ['MERGEABLE', 'DRAFT', false, false],
    ['MERGEABLE', 'UNKNOWN', false, null],
    ['CONFLICTING', 'DIRTY', true, false],
    ['UNKNOWN', 'UNKNOWN', null, null],
    ['UNKNOWN', 'CLEAN', null, null],
    ['UNKNOWN', 'DIRTY', true, null],
  ] as const)('D12 %s and %s: conflicts %s, mergeable %s', (mergeable, mergeStateStatus, hasConflicts, expected) => {
    expect(snapshot({ mergeable, mergeStateStatus })).toMatchObject({ hasConflicts, mergeable: expected })
  })

  it('is never so for a draft or what is no longer open', () => {
    expect(snapshot({ isDraft: true }).mergeable).toBe(false)
    expect(snapshot({ state: 'MERGED' })).toMatchObject({ state: 'merged', mergeable: false })
    expect(snapshot({ state: 'CLOSED' })).toMatchObject({ state: 'closed', mergeable: false })
  })
})

describe('the decision of the reviewers', () => {
  const opinions = (...states: string[]) => opinionsOf('a'.repeat(40), ...states)
  const opinionsOf = (oid: string, ...states: string[]) => ({
    latestOpinionatedReviews: {
      nodes: states.map((state) => ({ state, submittedAt: '2026-01-01T00:00:00Z', commit: { oid } })),
    },
  })
  it.each<[string, Partial<PullRequestData>, Pull['review']]>([
    ['approved by the rules', { reviewDecision: 'APPROVED', ...opinions('APPROVED') }, 'approved'],
    [
      'approved by the rules, but before the last push',
      { reviewDecision: 'APPROVED', ...opinionsOf('b', 'APPROVED') },
      'pending',
    ],
    [
      'approved by the rules, but for another base',
      { reviewDecision: 'APPROVED', ...opinions('APPROVED'), baseChanges: { nodes: [{ createdAt: '2026-01-02' }] } },
      'pending',
    ],
    ['no rule, and approved before the last push', opinionsOf('b', 'APPROVED'), 'pending'],
    ['changes requested by the rules', { reviewDecision: 'CHANGES_REQUESTED' }, 'changes_requested'],
    [
      'S0.24 changes requested by the rules, and pushed since',
      { reviewDecision: 'CHANGES_REQUESTED', ...opinionsOf('b', 'CHANGES_REQUESTED') },
      'pending',
    ],
    ['S0.24 no rule, changes requested, and pushed since', opinionsOf('b', 'CHANGES_REQUESTED'), 'pending'],
    ['more reviews required', { reviewDecision: 'REVIEW_REQUIRED', ...opinions('APPROVED') }, 'pending'],
    ['no rule and nobody said anything', {}, 'none'],
    ['no rule, but somebody was asked', { reviewRequests: { totalCount: 1 } }, 'pending'],
    ['no rule and an approval', opinions('APPROVED'), 'approved'],
    ['no rule, an approval and a refusal', opinions('APPROVED', 'CHANGES_REQUESTED'), 'changes_requested'],
    ['nothing is known of reviews', { latestOpinionatedReviews: null, reviewRequests: null }, 'none'],
  ])('%s', (_what, changes, expected) => {
    expect(snapshot(changes).review).toBe(expected)
  })

  it('leaves out what somebody is still writing, and knows a deleted author', () => {
    const review = { id: 'r', body: 'x', authorAssociation: 'NONE', author: null, commit: null }
    const nodes = [
      { ...review, state: 'PENDING', submittedAt: null },
      { ...review, state: 'COMMENTED', submittedAt: '2026-01-01T00:00:00Z' },
    ]
    expect(snapshot({ reviews: { nodes } }).reviews).toMatchObject([
      { state: 'commented', author: { login: 'ghost', isBot: false, isMember: false }, commit: null },
    ])
  })
})

describe('checks and statuses', () => {
  const run = (status: string, conclusion: string | null = null) =>
    toCheck({ __typename: 'CheckRun', databaseId: 1, name: 'ci', status, conclusion, detailsUrl: null })
  const status = (state: string) =>
    toCheck({ __typename: 'StatusContext', id: 's', context: 'ci', state, targetUrl: 'https://ci.example/1' })

  it.each([
    [run('QUEUED'), 'pending'],
    [run('IN_PROGRESS'), 'running'],
    [run('WAITING'), 'pending'],
    [run('REQUESTED'), 'pending'],
    [run('COMPLETED', 'SUCCESS'), 'passed'],
    [run('COMPLETED', 'FAILURE'), 'failed'],
    [run('COMPLETED', 'TIMED_OUT'), 'failed'],
    [run('COMPLETED', 'CANCELLED'), 'failed'],
    [run('COMPLETED', 'ACTION_REQUIRED'), 'failed'],
    [run('COMPLETED', 'STARTUP_FAILURE'), 'failed'],
    [run('COMPLETED', 'SKIPPED'), 'skipped'],
    [run('COMPLETED', 'NEUTRAL'), 'skipped'],
    [run('COMPLETED', 'STALE'), 'skipped'],
    [run('COMPLETED', 'SOMETHING_NEW'), 'skipped'],
    [run('COMPLETED', null), 'skipped'],
    [status('EXPECTED'), 'pending'],
    [status('PENDING'), 'pending'],
    [status('SUCCESS'), 'passed'],
    [status('FAILURE'), 'failed'],
    [status('ERROR'), 'failed'],
  ] as const)('%j is %s', (check, expected) => {
    expect(check.status).toBe(expected)
  })

  const passed = run('COMPLETED', 'SUCCESS')
  const failed = run('COMPLETED', 'FAILURE')
  const skipped = run('COMPLETED', 'SKIPPED')
  it.each([
    ['a failure among passes', [passed, failed], 'FAILURE', 'failing'],
    ['a failure while others run', [run('IN_PROGRESS'), failed], 'PENDING', 'failing'],
    ['something that runs', [passed, run('IN_PROGRESS')], 'PENDING', 'pending'],
    ['all passed', [passed, skipped], 'SUCCESS', 'passing'],
    ['all skipped', [skipped], 'SUCCESS', 'none'],
    ['nothing', [], null, 'none'],
    ['nothing listed, but expected', [], 'EXPECTED', 'pending'],
    ['passes listed, but GitHub says failure', [passed], 'FAILURE', 'failing'],
  ] as const)('%s', (_what, checks, rollup, expected) => {
    expect(summarizeChecks(checks, rollup)).toBe(expected)
  })
})
