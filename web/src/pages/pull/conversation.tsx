// The conversation, in order: the description, reviews with their comments, and separate comments.
import type { PullDetail, PullRemark, PullReview } from '../../../../src/contract/dashboard/answers.ts'
import { Badge, TONE_TEXT } from '../../ui/badge.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Markdown } from '../../ui/markdown/markdown.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { REVIEW_WORDS } from '../pulls/pull-words.ts'
import { RemarkCard } from './remark-card.tsx'

export function Conversation({ detail }: { detail: PullDetail }) {
  const { pull, body, reviews, remarks } = detail
  const known = new Set(reviews.map(({ id }) => id))
  const alone = remarks.filter(({ reviewId }) => reviewId === null || !known.has(reviewId))
  const said = [
    ...reviews.map((review) => ({ at: review.submittedAt, review, remark: null })),
    ...alone.map((remark) => ({ at: remark.createdAt, review: null, remark })),
  ].sort((a, b) => a.at.localeCompare(b.at))
  return (
    <ol className="flex flex-col gap-3" aria-label="Conversation">
      {(pull.isLocal || body !== '') && (
        <li className="rounded-lg border bg-surface p-4 shadow-card">
          <div className="mb-2 flex flex-wrap items-center gap-2 text-xs text-muted">
            <span className="font-medium text-ink">{pull.author ?? 'Somebody'}</span> opened it
            {pull.createdAt && <TimeAgo at={pull.createdAt} />}
          </div>
          {body.trim() === '' ? <p className="text-sm text-muted">It has no text.</p> : <Markdown text={body} />}
        </li>
      )}
      {said.map(({ review, remark }) => (
        <li key={review?.id ?? remark?.id}>
          {review && (
            <ReviewItem detail={detail} review={review} remarks={remarks.filter((one) => one.reviewId === review.id)} />
          )}
          {remark && <RemarkCard pull={pull} remark={remark} showPlace />}
        </li>
      ))}
      {said.length === 0 && <li className="px-1 text-sm text-muted">Nobody has reviewed it yet.</li>}
      {pull.isLocal && pull.state === 'open' && (
        <li>
          <LinkButton href="?tab=files" icon="eye">
            Review the changes
          </LinkButton>
        </li>
      )}
    </ol>
  )
}

interface ReviewProps {
  detail: PullDetail
  review: PullReview
  remarks: readonly PullRemark[]
}

function ReviewItem({ detail, review, remarks }: ReviewProps) {
  const { word, tone, icon } = REVIEW_WORDS[review.state]
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
      {remarks.length > 0 && (
        <div className="mt-3 flex flex-col gap-2">
          {remarks.map((remark) => (
            <RemarkCard key={remark.id} pull={detail.pull} remark={remark} showPlace />
          ))}
        </div>
      )}
    </section>
  )
}
