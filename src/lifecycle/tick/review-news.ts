// What reviewers have to do with a pull request: whether one may read its head, and what one has found there.
import type { ProjectConfig } from '../../contract/config.ts'
import type { Pull } from '../../contract/pull.ts'
import { gateName } from '../../core/landing/gate-name.ts'
import type { PullNews } from '../../core/reactions/pull-news.ts'
import { readReviews } from '../../store/reviews.ts'

interface ReviewQuestion {
  snapshot: Pull
  isOn: boolean
  /** Where the change of this head begins now; null: the forge does not say. */
  readStart(): Promise<string | null>
}

export async function readReviewNews(
  projectDir: string,
  { gates = [] }: ProjectConfig,
  { snapshot, isOn, readStart }: ReviewQuestion,
): Promise<Pick<PullNews, 'reviewable' | 'reviewed' | 'reviewFrom' | 'isReviewOutdated'>> {
  const { pr, headSha, checks, hasConflicts } = snapshot
  // What waits for the review itself is not in its way.
  const own = gates.flatMap(({ name, reviewed }) => (reviewed ? [gateName(name)] : []))
  const isGreen = checks.every(({ name, status }) => status === 'passed' || status === 'skipped' || own.includes(name))
  const ofHead = readReviews(projectDir).filter(({ pull, head }) => pull === pr.url && head === headSha)
  const reviewed = ofHead.findLast(({ endedAt }) => endedAt !== null)
  const news = { reviewable: isOn && !pr.isDraft && hasConflicts !== true && isGreen, reviewed }
  // A gate that is still open although somebody has reviewed this head: the base may have taken in part of it.
  const isOpen = checks.some(({ name, status }) => own.includes(name) && status === 'pending')
  const start = reviewed && isOpen ? await readStart() : null
  const isReviewOutdated = start !== null && !ofHead.some(({ from }) => from === start)
  const last = isReviewOutdated ? start : ofHead.at(-1)?.from
  return { ...news, reviewFrom: last === ofHead[0]?.from ? undefined : last, isReviewOutdated }
}
