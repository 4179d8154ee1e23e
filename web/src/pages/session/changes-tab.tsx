// The diff of the session's branch, including uncommitted changes.
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import type { SessionCard } from '../../../../src/contract/dashboard/cards.ts'
import { ask } from '../../api/client.ts'
import { DiffView } from '../../diff/diff-view.tsx'
import { Button } from '../../ui/button.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { ScrollArea } from '../../ui/scroll-area.tsx'
import { Spinner } from '../../ui/spinner.tsx'

export function ChangesTab({ card }: { card: SessionCard }) {
  const readAt = useRef(card.lastActivityAt)
  const diff = useQuery({
    queryKey: ['session-diff', card.id],
    queryFn: ({ signal }) => {
      readAt.current = card.lastActivityAt
      return ask('GET /api/sessions/:id/diff', { params: { id: card.id }, signal })
    },
    // Nothing reports an agent's changes: read when the tab is opened.
    staleTime: 0,
  })
  if (diff.isPending) return <Spinner label="Reading the changes" />
  if (!diff.data) return <ErrorState error={diff.error} onRetry={() => void diff.refetch()} />
  const { base, head, truncated } = diff.data
  const mayBeOld = card.lastActivityAt !== readAt.current
  return (
    <ScrollArea label="Changes" className="pb-4">
      <DiffView
        diff={diff.data.diff}
        note={
          <>
            <span className="min-w-0 text-xs text-muted">
              <span className="font-mono">{shortName(base)}</span> →{' '}
              <span className="font-mono">{shortName(head)}</span>
            </span>
            {truncated && <span className="text-xs text-attention">Too long: the rest is only in the branch.</span>}
            <Button
              size="sm"
              variant={mayBeOld ? 'secondary' : 'ghost'}
              icon="restore"
              busy={diff.isFetching}
              onClick={() => void diff.refetch()}
            >
              {mayBeOld ? 'The agent went on: read again' : 'Read again'}
            </Button>
          </>
        }
      />
    </ScrollArea>
  )
}

function shortName(name: string): string {
  return /^[0-9a-f]{40,64}$/.test(name) ? name.slice(0, 7) : name
}
