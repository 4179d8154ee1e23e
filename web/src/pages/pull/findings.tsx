// What another agent found in one commit of the pull request.
import type { CommitReviewAnswer } from '../../../../src/contract/dashboard/answers.ts'
import type { DiffComment } from '../../diff/diff-comment.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Icon } from '../../ui/icon.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { Spelled } from '../../ui/text/visible.tsx'

const TONES: Record<CommitReviewAnswer['findings'][number]['severity'], Tone> = {
  note: 'neutral',
  minor: 'attention',
  major: 'bad',
  critical: 'bad',
}

/** `head`: of the pull request now. */
export function Findings({ review, head }: { review: CommitReviewAnswer; head: string }) {
  const { reviewer, agent, findings, endedAt, failed, summary, startedAt } = review
  return (
    <section aria-label={`Review by the agent ${reviewer}`} className="rounded-lg border bg-surface p-4 shadow-card">
      <div className="flex flex-wrap items-center gap-2 text-xs text-muted">
        <Icon name="eye" className="text-review" />
        <span>
          <span className="font-medium text-ink">{reviewer}</span> ({agent}, an agent){' '}
          {failed ?? (endedAt === null ? 'is reading it' : found(findings.length))}
        </span>
        <code className="font-mono">{review.head.slice(0, 10)}</code>
        {review.head !== head && <Badge title="New commits were pushed after this review">Before the last push</Badge>}
        <TimeAgo at={endedAt ?? startedAt} />
      </div>
      {summary !== null && (
        <p className="mt-2 whitespace-pre-wrap text-sm">
          <Spelled text={summary} />
        </p>
      )}
      {findings.length > 0 && (
        <ul className="mt-3 flex flex-col gap-2">
          {findings.map((finding, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two may be the same, and none is taken back
            <li key={at} className="rounded-md bg-sunken p-2 text-sm">
              <Finding finding={finding} where={whereOf(finding)} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

type FindingAnswer = CommitReviewAnswer['findings'][number]

function Finding({ finding: { severity, text }, where }: { finding: FindingAnswer; where: string }) {
  return (
    <>
      <div className="mb-1 flex flex-wrap items-center gap-2">
        <Badge tone={TONES[severity]}>{severity}</Badge>
        <span className="min-w-0 font-mono text-xs break-all text-muted">
          <Spelled text={where} />
        </span>
      </div>
      <p className="break-words whitespace-pre-wrap">
        <Spelled text={text} />
      </p>
    </>
  )
}

function whereOf({ file, line }: FindingAnswer): string {
  return file === null ? 'The change as a whole' : `${file}${line === null ? '' : `:${line}`}`
}

/** Those about this very head, at their lines. */
export function findingComments(reviews: readonly CommitReviewAnswer[], head: string): DiffComment[] {
  return reviews
    .filter((review) => review.head === head)
    .flatMap(({ reviewer, agent, findings }) =>
      findings.flatMap((finding, at): DiffComment[] => {
        const { file, line } = finding
        if (file === null) return []
        const body = (
          <article
            key={finding.text}
            aria-label={`Finding of ${reviewer}`}
            className="rounded-md border bg-surface p-3 text-sm"
          >
            <Finding finding={finding} where={`${reviewer} (${agent}, an agent)`} />
          </article>
        )
        return [{ id: `finding ${reviewer} ${at}`, path: file, line, body }]
      }),
    )
}

function found(count: number): string {
  if (count === 0) return 'found nothing'
  return count === 1 ? 'found one thing' : `found ${count} things`
}
