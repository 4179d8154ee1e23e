// The conversation, in order: the description, commits, reviews with their comments, and separate comments.
import type { CommitRow, PullDetail, PullReview } from '../../../../src/contract/dashboard/answers.ts'
import { Badge, TONE_TEXT } from '../../ui/badge.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Markdown } from '../../ui/markdown/markdown.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { Visible } from '../../ui/text/visible.tsx'
import { REVIEW_LABELS } from '../pulls/pull-labels.ts'
import { ApplyAllBar } from './apply-suggestions.tsx'
import { Findings } from './findings.tsx'
import { groupThreads, spokenReviews, type Thread } from './group-threads.ts'
import { type Entry, orderEntries } from './order-entries.ts'
import { ThreadCard } from './thread-card.tsx'
import { usePullCommits } from './use-pull-commits.ts'

export function Conversation({ detail }: { detail: PullDetail }) {
  const { pull, body, remarks } = detail
  const threads = groupThreads(remarks)
  const reviews = spokenReviews(detail.reviews, threads)
  const reviewIds = new Set(reviews.map(({ id }) => id))
  const alone = threads.filter(({ first }) => first.reviewId === null || !reviewIds.has(first.reviewId))
  const commits = usePullCommits(pull)
  const entries: Entry[] = [
    ...reviews.map((review) => ({ at: review.submittedAt, review })),
    ...alone.map((thread) => ({ at: thread.first.createdAt, thread })),
    ...detail.commitReviews.map((byAgent) => ({ at: byAgent.startedAt, byAgent })),
  ]
  const all = orderEntries(entries, commits)
  return (
    <ol className="flex flex-col gap-3" aria-label="Conversation">
      {(pull.author !== null || body !== '') && (
        <li className="rounded-lg border bg-surface p-4 shadow-card">
          <div className="mb-2 flex flex-wrap items-center gap-2 text-xs text-muted">
            <span className="font-medium text-ink">{pull.author ?? 'Somebody'}</span> opened it
            {pull.createdAt && <TimeAgo at={pull.createdAt} />}
          </div>
          {body.trim() === '' ? <p className="text-sm text-muted">It has no text.</p> : <Markdown text={body} />}
        </li>
      )}
      <li className="empty:hidden">
        <ApplyAllBar detail={detail} />
      </li>
      {all.map(({ review, thread, byAgent, commit }: Entry) => (
        <li key={review?.id ?? thread?.first.id ?? byAgent?.reviewer ?? commit?.sha}>
          {commit && <CommitItem commit={commit} />}
          {byAgent && <Findings review={byAgent} head={pull.headSha ?? byAgent.head} />}
          {review && (
            <ReviewItem
              detail={detail}
              review={review}
              threads={threads.filter(({ first }) => first.reviewId === review.id)}
            />
          )}
          {thread && <ThreadCard detail={detail} thread={thread} showLines />}
        </li>
      ))}
      {entries.length === 0 && <li className="px-1 text-sm text-muted">Nobody has reviewed it yet.</li>}
      {pull.canReview && pull.state === 'open' && (
        <li>
          <LinkButton href="?tab=files" icon="eye">
            Review the changes
          </LinkButton>
        </li>
      )}
    </ol>
  )
}

/** A push is seen by its commits. */
function CommitItem({ commit: { sha, subject, author, at } }: { commit: CommitRow }) {
  return (
    <div className="flex flex-wrap items-baseline gap-x-2 px-1 text-xs text-muted">
      <Icon name="branch" className="size-3 self-center" />
      <code className="font-mono">{sha.slice(0, 10)}</code>
      <span className="min-w-0 text-sm text-ink">
        <Visible text={subject} />
      </span>
      <Visible text={author} /> <TimeAgo at={at} />
    </div>
  )
}

interface ReviewProps {
  detail: PullDetail
  review: PullReview
  threads: readonly Thread[]
}

function ReviewItem({ detail, review, threads }: ReviewProps) {
  const { word, tone, icon } = REVIEW_LABELS[review.state]
  const isOld = review.commit !== null && review.commit !== detail.pull.headSha && detail.pull.state === 'open'
  return (
    <section aria-label={`Review by ${review.author}`} className="rounded-lg border bg-surface p-4 shadow-card">
      <div className="flex flex-wrap items-center gap-2 text-xs text-muted">
        <Icon name={icon} className={TONE_TEXT[tone]} />
        <span>
          <span className="font-medium text-ink">{review.author}</span> {word}
        </span>
        {review.commit && <code className="font-mono">{review.commit.slice(0, 10)}</code>}
        {isOld && <Badge title="New commits were pushed after this review">Before the last push</Badge>}
        <TimeAgo at={review.submittedAt} />
      </div>
      {review.body.trim() !== '' && <Markdown text={review.body} className="mt-2" />}
      {threads.length > 0 && (
        <div className="mt-3 flex flex-col gap-2">
          {threads.map((thread) => (
            <ThreadCard key={thread.first.id} detail={detail} thread={thread} showLines />
          ))}
        </div>
      )}
    </section>
  )
}
