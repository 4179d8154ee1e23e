import { describe, expect, it } from 'vitest'
import type { PullDetail, PullRemark, PullReview } from '../../../../src/contract/dashboard/answers.ts'
import { missingForMerge } from './missing-for-merge.ts'
import { sinceScopes } from './since-scopes.ts'

const HEAD = 'b'.repeat(40)
const OLD = 'a'.repeat(40)

const review = (author: string, commit: string | null, state: PullReview['state'] = 'commented'): PullReview => ({
  id: `${author}-${commit}`,
  author,
  state,
  body: '',
  commit,
  submittedAt: '2026-01-01T00:00:00.000Z',
})

function detail(more: {
  pull?: Partial<PullDetail['pull']>
  reviews?: PullReview[]
  remarks?: Array<Partial<PullRemark>>
}): PullDetail {
  const pull = { headSha: HEAD, review: 'pending', ci: 'passing', sessionId: 'app-1', ...more.pull }
  return { viewer: 'sam', reviews: [], remarks: [], ...more, pull } as unknown as PullDetail
}

describe('what a merge would skip', () => {
  it.each([
    ['nothing of an approved one with green checks', detail({ pull: { review: 'approved' } }), []],
    ['a review', detail({}), ['Nobody has reviewed it']],
    [
      'a review of the last push',
      detail({ reviews: [review('sam', OLD)] }),
      ['Nobody has reviewed it since the last push'],
    ],
    ['an approval', detail({ reviews: [review('sam', HEAD)] }), ['Nobody has approved it']],
    ['checks', detail({ pull: { review: 'approved', ci: 'none' } }), ['No checks ran on it']],
    [
      'open remarks of people',
      detail({
        pull: { review: 'approved' },
        remarks: [
          { isResolved: false },
          { isResolved: false, isReply: true },
          { isResolved: true },
          { isResolved: false, isBot: true },
        ],
      }),
      ['One remark is still open'],
    ],
  ])('%s', (_, given, missing) => expect(missingForMerge(given)).toEqual(missing))
})

describe('since a review', () => {
  it('is offered for each person whose newest review is of an earlier head, one’s own first', () => {
    const reviews = [
      review('ann', 'c'.repeat(40)),
      review('sam', OLD),
      review('dan', OLD),
      review('bob', OLD),
      review('bob', HEAD),
      review('app-1', OLD),
      review('eve', null),
    ]
    expect(sinceScopes(detail({ reviews }))).toEqual([
      { value: `since:${OLD}`, label: 'Since your review' },
      { value: `since:${'c'.repeat(40)}`, label: 'Since the review by ann' },
    ])
  })
})
