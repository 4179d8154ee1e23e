// A pull request, and what there is to say about it: open, green and approved unless a test wants something else.
import type { Pull, PullFacts } from '../../src/contract/pull.ts'
import type { PullNews } from '../../src/core/reactions/pull-news.ts'

export function samplePull({ pr, ...more }: Partial<Omit<Pull, 'pr'>> & { pr?: Partial<Pull['pr']> } = {}): Pull {
  return {
    pr: { url: 'https://x/o/r/pull/7', number: 7, ...pr },
    state: 'open',
    headSha: 'abc',
    ci: 'passing',
    checks: [],
    review: 'approved',
    reviews: [],
    comments: [],
    hasConflicts: false,
    mergeable: true,
    failingOnBase: [],
    updatedAt: '2026-01-01T00:00:00Z',
    ...more,
  }
}

export function sampleNews({ pull = samplePull(), ...more }: Partial<PullNews> = {}): PullNews {
  const { pr, state, ci, review, mergeable } = pull
  const facts: PullFacts = { url: pr.url, state, ci, review, mergeable }
  return { pull, facts, failedChecks: [], remarks: [], requests: [], ...more }
}
