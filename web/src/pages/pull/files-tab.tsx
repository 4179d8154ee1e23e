// The diff of a pull request, with comments on its lines and the review being written: for the local forge it becomes a
// review there, for others a message to the session's agent.
import { useCallback, useMemo, useState } from 'react'
import { useSearchParams } from 'wouter'
import type { DiffAnswer, PullDetail } from '../../../../src/contract/dashboard/answers.ts'
import { KEEP, useAnswer } from '../../api/answered.tsx'
import { ask, pathOf } from '../../api/client.ts'
import { useCard } from '../../api/live.ts'
import { commentLine, type DiffComment } from '../../diff/diff-comment.ts'
import type { TakeBack } from '../../diff/diff-lines.tsx'
import { DiffView } from '../../diff/diff-view.tsx'
import { type DiffFile, parseDiff } from '../../diff/parse-diff.ts'
import { DiffKeysHint } from '../../review/diff-keys-hint.tsx'
import { LostLines } from '../../review/lost-lines.tsx'
import { ALL, commitScopes, type Scope, ScopeSelect, scopeQuery } from '../../review/scope-select.tsx'
import { SendReviewDialog } from '../../review/send-review-dialog.tsx'
import { useDiffKeys } from '../../review/use-diff-keys.ts'
import { useReview } from '../../review/use-review.tsx'
import { Button } from '../../ui/button.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { pullParams } from '../pulls/pull-labels.ts'
import { ApplyAllBar } from './apply-suggestions.tsx'
import { findingComments } from './findings.tsx'
import { groupThreads } from './group-threads.ts'
import { MarkFilter, markComments } from './mark-comments.tsx'
import { ReviewDialog } from './review-dialog.tsx'
import { sinceScopes } from './since-scopes.ts'
import { type Rejected, TakeBackDialog } from './take-back-dialog.tsx'
import { ThreadCard } from './thread-card.tsx'
import { usePullCommits } from './use-pull-commits.ts'

export function FilesTab({ detail }: { detail: PullDetail }) {
  const { data, error, refetch } = usePullDiff(detail, ALL)
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton label="Reading the diff" />
  return <ReviewedDiff detail={detail} answer={data} />
}

/** Commits never change: a known diff is not fetched again. The previous one stays on the screen until a new one arrives. */
function usePullDiff({ pull }: PullDetail, scope: string) {
  return useAnswer(
    ['pull-diff', pull.projectId, pull.number, pull.headSha, scope],
    'GET /api/projects/:project/pulls/:number/diff',
    { params: pullParams(pull), query: scopeQuery(scope) },
    KEEP,
  )
}

/** `answer`: all changes, whatever part of them is shown. */
function ReviewedDiff({ detail, answer }: { detail: PullDetail; answer: DiffAnswer }) {
  const { pull } = detail
  const [scope, setScope] = useScope()
  const scopes = useScopes(detail)
  const part = usePullDiff(detail, scope)
  // Of a part that could not be read the rest is shown, with the reason.
  const shown = scope === ALL || part.error || !part.data ? answer : part.data
  const card = useCard(pull.sessionId ?? '')
  const canReview = pull.state === 'open' && (pull.canReview || card?.can.send === true)
  // The lines of an older commit have other numbers.
  const canComment = canReview && (!scope.startsWith('commit:') || shown.head === answer.head)
  const files = useMemo(() => parseDiff(answer.diff), [answer.diff])
  const commentable = useMemo(() => linesByPath(files), [files])
  const review = useReview(`${pull.projectId}.${pull.number}`, { files, state: answer.head })
  const threads = useThreads(detail)
  const marks = useMemo(
    () => [...markComments(detail.marks, files), ...findingComments(detail.commitReviews, answer.head)],
    [detail.marks, detail.commitReviews, files, answer.head],
  )
  const marked = useMemo(() => new Set(marks.map(({ path }) => path)), [marks])
  const [isMarked, setMarked] = useState(false)
  const comments = useMemo(
    () => [...marks, ...threads, ...(canReview ? review.comments : [])],
    [marks, threads, canReview, review.comments],
  )
  const [isFinishing, setFinishing] = useState(false)
  const [rejected, setRejected] = useState<Rejected | null>(null)
  // Of the whole change alone: parts of it have other lines.
  const canTakeBack = pull.state === 'open' && scope === ALL && answer.head === pull.headSha
  const takeBack: TakeBack = useCallback((file, hunk) => setRejected({ file, hunk }), [])
  useDiffKeys()
  const loadFile = useCallback(
    async (file: DiffFile, context: number) => {
      const query = { ...scopeQuery(scope), path: file.path, oldPath: file.oldPath, context }
      return (await ask('GET /api/projects/:project/pulls/:number/diff', { params: pullParams(pull), query })).diff
    },
    [pull, scope],
  )
  const { head } = shown
  const imageUrl = useCallback(
    (file: DiffFile, side: 'old' | 'new') => {
      const { uncommitted: _, ...part } = scopeQuery(scope)
      const query = { ...part, side, path: side === 'old' ? file.oldPath : file.path, at: head }
      return pathOf('GET /api/projects/:project/pulls/:number/image', { params: pullParams(pull), query })
    },
    [pull, scope, head],
  )
  const { ready } = review
  const close = () => setFinishing(false)
  return (
    <div className="flex flex-col gap-3">
      {answer.head !== pull.headSha && (
        <Note>Something was pushed: these are the changes before it, the new ones are on their way.</Note>
      )}
      {canReview && <LostLines review={review} />}
      <ApplyAllBar detail={detail} />
      {shown.truncated && <Note>It is too large to show all of it. See the whole with: ao pr diff {pull.number}</Note>}
      {shown.includesBase && scope !== ALL && (
        <Note>{pull.baseBranch ?? 'The base branch'} was brought in since then; its changes are shown too.</Note>
      )}
      {part.error && scope !== ALL && <Note>{part.error.message}. All changes are shown.</Note>}
      <DiffView
        diff={shown.diff}
        comments={comments}
        only={isMarked ? marked : undefined}
        onAddComment={canComment ? review.add : undefined}
        commentable={commentable}
        viewedAs={`pull.${pull.projectId}.${pull.number}.${scope}`}
        loadFile={loadFile}
        onTakeBack={canTakeBack ? takeBack : undefined}
        imageUrl={imageUrl}
        note={
          <>
            <ScopeSelect value={scope} scopes={scopes} onChange={setScope} />
            {marks.length > 0 && <MarkFilter isOn={isMarked} onChange={setMarked} />}
            <DiffKeysHint canComment={canComment} />
          </>
        }
        actions={
          canReview && (
            <Button
              variant="primary"
              icon="eye"
              does="POST /api/projects/:project/pulls/:number/review"
              onClick={() => setFinishing(true)}
            >
              {ready.length === 0 ? 'Review' : `Finish review (${ready.length})`}
            </Button>
          )
        }
      />
      {rejected && <TakeBackDialog {...{ pull, answer, rejected }} onClose={() => setRejected(null)} />}
      {isFinishing && pull.canReview && <ReviewDialog pull={pull} head={answer.head} review={review} onClose={close} />}
      {isFinishing && !pull.canReview && card && (
        <SendReviewDialog card={card} review={review} files={files} onClose={close} />
      )}
    </div>
  )
}

function Note({ children }: { children: React.ReactNode }) {
  return (
    <p role="status" className="rounded-md bg-attention-soft px-3 py-2 text-sm text-attention">
      {children}
    </p>
  )
}

/** In the address, so that a link leads to the same part. */
function useScope(): [string, (scope: string) => void] {
  const [params, setParams] = useSearchParams()
  const set = (scope: string) =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before)
        if (scope === ALL) next.delete('show')
        else next.set('show', scope)
        return next
      },
      { replace: true },
    )
  return [params.get('show') ?? ALL, set]
}

function useScopes(detail: PullDetail): Scope[] {
  const { pull } = detail
  const commits = usePullCommits(pull)
  // One commit is the same as all changes.
  return [...sinceScopes(detail), ...(commits.length > 1 ? commitScopes(commits) : [])]
}

function linesByPath(files: readonly DiffFile[]): ReadonlyMap<string, ReadonlySet<number>> {
  const numbers = (file: DiffFile) =>
    file.hunks.flatMap(({ lines }) => lines.flatMap((line) => commentLine(file, line) ?? []))
  return new Map(files.map((file) => [file.path, new Set(numbers(file))]))
}

/** What was said before, each thread at its line. */
function useThreads(detail: PullDetail): DiffComment[] {
  return useMemo(
    () =>
      groupThreads(detail.remarks).flatMap((thread): DiffComment[] => {
        const { id, path, startLine, line, isOutdated } = thread.first
        if (path === null) return []
        const body = <ThreadCard key={id} detail={detail} thread={thread} showLines={line === null} />
        return [{ id, path, startLine: isOutdated ? null : startLine, line: isOutdated ? null : line, body }]
      }),
    [detail],
  )
}
