// What reviewers have to do with a pull request: whether one may read its head, and what one has found there.
import type { ProjectConfig } from '../../contract/config.ts'
import type { Pull } from '../../contract/pull.ts'
import { gateName } from '../../core/landing/gate-name.ts'
import type { PullNews } from '../../core/reactions/pull-news.ts'
import { readReviews } from '../../store/reviews.ts'

export function readReviewNews(
  projectDir: string,
  { gates = [] }: ProjectConfig,
  { snapshot, isOn }: { snapshot: Pull; isOn: boolean },
): Pick<PullNews, 'reviewable' | 'reviewed'> {
  const { pr, headSha, checks, hasConflicts } = snapshot
  // What waits for the review itself is not in its way.
  const own = gates.flatMap(({ name, reviewed }) => (reviewed ? [gateName(name)] : []))
  const isGreen = checks.every(({ name, status }) => status === 'passed' || status === 'skipped' || own.includes(name))
  const reviewed = readReviews(projectDir).findLast(
    ({ pull, head, endedAt }) => pull === pr.url && head === headSha && endedAt !== null,
  )
  return { reviewable: isOn && !pr.isDraft && hasConflicts !== true && isGreen, reviewed }
}
