// What the session changes, including uncommitted work: read, commented, and sent to its agent as one message.
import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useRef, useState } from 'react'
import type { DiffAnswer } from '../../../../src/contract/dashboard/answers.ts'
import type { SessionCard } from '../../../../src/contract/dashboard/cards.ts'
import { useAnswer } from '../../api/answered.tsx'
import { ask, pathOf } from '../../api/client.ts'
import { DiffView } from '../../diff/diff-view.tsx'
import { type DiffFile, parseDiff } from '../../diff/parse-diff.ts'
import { DiffKeysHint } from '../../review/diff-keys-hint.tsx'
import { LostLines } from '../../review/lost-lines.tsx'
import { ALL, commitScopes, ScopeSelect, scopeQuery } from '../../review/scope-select.tsx'
import { SendReviewDialog } from '../../review/send-review-dialog.tsx'
import { useDiffKeys } from '../../review/use-diff-keys.ts'
import { useReview } from '../../review/use-review.tsx'
import { Button } from '../../ui/button.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { ScrollArea } from '../../ui/scroll-area.tsx'
import { Skeleton } from '../../ui/spinner.tsx'

export function ChangesTab({ card }: { card: SessionCard }) {
  const [scope, setScope] = useState(ALL)
  const readAt = useRef(card.lastActivityAt)
  const all = useSessionDiff(card, ALL, readAt)
  const part = useSessionDiff(card, scope, readAt)
  if (all.isPending) return <Skeleton label="Reading the changes" />
  if (!all.data) return <ErrorState error={all.error} onRetry={() => void all.refetch()} />
  const mayBeOld = card.lastActivityAt !== readAt.current
  const readAgain = (
    <Button
      size="sm"
      variant={mayBeOld ? 'secondary' : 'ghost'}
      icon="restore"
      busy={all.isFetching}
      onClick={() => void Promise.all([all.refetch(), part.refetch()])}
    >
      {mayBeOld ? 'The agent has continued: read again' : 'Read again'}
    </Button>
  )
  return (
    <ScrollArea label="Changes" className="pb-4">
      <CommentedChanges
        card={card}
        answer={all.data}
        shown={part.data ?? all.data}
        scope={scope}
        setScope={setScope}
        readAgain={readAgain}
      />
    </ScrollArea>
  )
}

/** Nothing reports an agent's changes: they are read when the tab is opened. */
function useSessionDiff(card: SessionCard, scope: string, readAt: { current: string | null }) {
  return useQuery({
    queryKey: ['session-diff', card.id, scope],
    queryFn: ({ signal }) => {
      readAt.current = card.lastActivityAt
      return ask('GET /api/sessions/:id/diff', { params: { id: card.id }, query: scopeQuery(scope), signal })
    },
    staleTime: 0,
  })
}

interface Props {
  card: SessionCard
  /** All changes, whatever part of them is shown. */
  answer: DiffAnswer
  shown: DiffAnswer
  scope: string
  setScope: (scope: string) => void
  readAgain: React.ReactNode
}

function CommentedChanges({ card, answer, shown, scope, setScope, readAgain }: Props) {
  const files = useMemo(() => parseDiff(answer.diff), [answer.diff])
  const review = useReview(`session.${card.id}`, { files, state: useStateName(answer.diff) })
  const scopes = useScopes(card)
  const [isSending, setSending] = useState(false)
  useDiffKeys()
  const loadFile = useCallback(
    async (file: DiffFile, context: number) => {
      const query = { ...scopeQuery(scope), path: file.path, oldPath: file.oldPath, context }
      return (await ask('GET /api/sessions/:id/diff', { params: { id: card.id }, query })).diff
    },
    [card.id, scope],
  )
  const at = useStateName(shown.diff)
  const imageUrl = useCallback(
    (file: DiffFile, side: 'old' | 'new') => {
      const query = { ...scopeQuery(scope), side, path: side === 'old' ? file.oldPath : file.path, at }
      return pathOf('GET /api/sessions/:id/image', { params: { id: card.id }, query })
    },
    [card.id, scope, at],
  )
  // The lines of an older commit have other numbers.
  const canComment = !scope.startsWith('commit:')
  const { ready } = review
  return (
    <div className="flex flex-col gap-3">
      <LostLines review={review} />
      <DiffView
        diff={shown.diff}
        comments={review.comments}
        onAddComment={canComment ? review.add : undefined}
        viewedAs={`session.${card.id}.${scope}`}
        loadFile={loadFile}
        imageUrl={imageUrl}
        note={
          <>
            <ScopeSelect value={scope} scopes={scopes} onChange={setScope} />
            <span className="min-w-0 text-xs text-muted">
              <span className="font-mono">{shortName(shown.base)}</span> →{' '}
              <span className="font-mono">{shortName(shown.head)}</span>
            </span>
            {shown.truncated && (
              <span className="text-xs text-attention">Too long: the rest is only in the branch.</span>
            )}
            {readAgain}
            <DiffKeysHint canComment={canComment} />
          </>
        }
        actions={
          <Button variant={ready.length > 0 ? 'primary' : 'secondary'} icon="send" onClick={() => setSending(true)}>
            {ready.length === 0 ? 'Review' : `Send review (${ready.length})`}
          </Button>
        }
      />
      {isSending && <SendReviewDialog card={card} review={review} files={files} onClose={() => setSending(false)} />}
    </div>
  )
}

/** Changes whenever the diff does: comments then look for their lines again. */
function useStateName(diff: string): string {
  return useMemo(() => {
    let hash = 0
    for (let at = 0; at < diff.length; at += 1) hash = Math.imul(hash ^ diff.charCodeAt(at), 0x01000193)
    return `${diff.length}.${(hash >>> 0).toString(36)}`
  }, [diff])
}

function useScopes(card: SessionCard) {
  const { data } = useAnswer(
    ['session-commits', card.id],
    'GET /api/sessions/:id/commits',
    { params: { id: card.id } },
    { staleTime: 0 },
  )
  const commits = commitScopes(data?.commits ?? [])
  return [...(commits.length > 0 ? [{ value: 'uncommitted', label: 'Not committed yet' }] : []), ...commits]
}

function shortName(name: string): string {
  return /^[0-9a-f]{40,64}\^?$/.test(name) ? name.slice(0, 7) : name
}
