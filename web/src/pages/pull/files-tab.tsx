// The diff of a pull request, with comments on its lines, and for the local forge the review being written.
import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useState } from 'react'
import type { DiffAnswer, PullDetail } from '../../../../src/contract/dashboard/answers.ts'
import { ask } from '../../api/client.ts'
import type { DiffComment } from '../../diff/diff-comment.ts'
import { DiffView } from '../../diff/diff-view.tsx'
import { parseDiff } from '../../diff/parse-diff.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { Kbd } from '../../ui/text/kbd.tsx'
import { pullParams } from '../pulls/pull-words.ts'
import { CommentBox } from './comment-box.tsx'
import { type PendingActions, type PendingReview, usePendingReview } from './pending-review.ts'
import { relocateReview, textOfLine } from './relocate-comments.ts'
import { RemarkCard } from './remark-card.tsx'
import { ReviewDialog } from './review-dialog.tsx'
import { useDiffKeys } from './use-diff-keys.ts'

export function FilesTab({ detail }: { detail: PullDetail }) {
  const { pull } = detail
  const { data, error, refetch } = useQuery({
    // Commits never change: a known diff is not fetched again.
    queryKey: ['pull-diff', pull.projectId, pull.number, pull.headSha],
    queryFn: ({ signal }) => ask('GET /api/projects/:project/pulls/:number/diff', { params: pullParams(pull), signal }),
    // The previous one stays on the screen until the new one arrives.
    placeholderData: (before) => before,
  })
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!data) return <Spinner label="Reading the diff" />
  return <ReviewedDiff detail={detail} answer={data} />
}

function ReviewedDiff({ detail, answer }: { detail: PullDetail; answer: DiffAnswer }) {
  const { pull } = detail
  const canReview = pull.isLocal && pull.state === 'open'
  const [pending, actions] = usePendingReview(pull.projectId, pull.number)
  const [isFinishing, setFinishing] = useState(false)
  useDiffKeys()
  const { change } = actions
  const [fresh, setFresh] = useState<string | null>(null)
  const files = useMemo(() => parseDiff(answer.diff), [answer.diff])
  useEffect(() => {
    if (pending.sha === null || pending.sha === answer.head) return
    change((before) => relocateReview(before, files, answer.head))
  }, [pending.sha, answer.head, files, change])
  const add = useCallback(
    (path: string, line: number, quote?: string) => {
      const body = quote === undefined ? '' : `> ${quote.trim()}\n\n`
      const text = textOfLine(files, path, line)
      const comment = { id: crypto.randomUUID(), path, line, text, body, isDraft: true }
      setFresh(comment.id)
      change((before) => ({ ...before, sha: before.sha ?? answer.head, comments: [...before.comments, comment] }))
    },
    [change, answer.head, files],
  )
  const comments = useComments(detail, { pending: canReview ? pending : null, actions, fresh, setFresh })
  const ready = pending.comments.filter(({ isDraft }) => !isDraft)
  return (
    <div className="flex flex-col gap-3">
      {canReview && <Lost pending={pending} change={change} />}
      {answer.truncated && (
        <p className="rounded-md bg-attention-soft px-3 py-2 text-sm text-attention">
          It is too large to show all of it. See the whole with: ao pr diff {pull.number}
        </p>
      )}
      <DiffView
        diff={answer.diff}
        comments={comments}
        onAddComment={canReview ? add : undefined}
        note={<Keys canReview={canReview} />}
        actions={
          canReview && (
            <Button variant="primary" icon="eye" onClick={() => setFinishing(true)}>
              {ready.length === 0 ? 'Review' : `Finish review (${ready.length})`}
            </Button>
          )
        }
      />
      {isFinishing && (
        <ReviewDialog
          pull={pull}
          head={answer.head}
          pending={pending}
          actions={actions}
          onClose={() => setFinishing(false)}
        />
      )}
    </div>
  )
}

function Keys({ canReview }: { canReview: boolean }) {
  return (
    <span className="flex items-center gap-1 text-xs text-muted max-md:hidden">
      <Kbd>n</Kbd> <Kbd>p</Kbd> file
      {canReview && (
        <>
          <Kbd>j</Kbd> <Kbd>k</Kbd> line <Kbd>c</Kbd> comment
        </>
      )}
    </span>
  )
}

/** After a push most comments find their lines again automatically. */
function Lost({ pending, change }: { pending: PendingReview; change: PendingActions['change'] }) {
  const lost = pending.comments.filter(({ isLost }) => isLost).length
  if (lost === 0) return null
  const keep = () =>
    change((before) => ({ ...before, comments: before.comments.map(({ isLost: _, ...comment }) => comment) }))
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-2 rounded-md bg-attention-soft px-3 py-2 text-sm text-attention"
    >
      <Icon name="warning" />
      <span className="min-w-0 flex-1">
        There was a push since you began this review, and{' '}
        {lost === 1 ? 'a line that you commented on has' : `${lost} lines that you commented on have`} changed. Look
        whether your words still fit.
      </span>
      <Button size="sm" onClick={keep}>
        They do
      </Button>
    </div>
  )
}

interface Writing {
  /** null: it cannot be reviewed here. */
  pending: PendingReview | null
  actions: PendingActions
  /** The comment that was opened last. */
  fresh: string | null
  setFresh: (id: string) => void
}

/** Others' comments, then those being written, each at its line. */
function useComments(detail: PullDetail, { pending, actions, fresh, setFresh }: Writing): DiffComment[] {
  const { change } = actions
  const said = useMemo(
    () =>
      detail.remarks.flatMap((remark): DiffComment[] =>
        remark.path === null
          ? []
          : [
              {
                id: remark.id,
                path: remark.path,
                line: remark.isOutdated ? null : remark.line,
                body: <RemarkCard pull={detail.pull} remark={remark} showPlace={remark.line === null} />,
              },
            ],
      ),
    [detail],
  )
  return useMemo(
    () => [
      ...said,
      ...(pending?.comments ?? []).map((comment) => ({
        id: comment.id,
        path: comment.path,
        line: comment.line,
        body: (
          <CommentBox
            comment={comment}
            isFresh={comment.id === fresh}
            onChange={(more) => {
              if (more.isDraft) setFresh(comment.id)
              change((before) => ({
                ...before,
                comments: before.comments.map((one) => (one.id === comment.id ? { ...one, ...more } : one)),
              }))
            }}
            onRemove={() =>
              change((before) => ({ ...before, comments: before.comments.filter(({ id }) => id !== comment.id) }))
            }
          />
        ),
      })),
    ],
    [said, pending, change, fresh, setFresh],
  )
}
