// Several agents that cannot continue for the same reason: one matter, one act for all.
import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import { Link } from 'wouter'
import type { SessionCard } from '../../../../src/contract/dashboard/cards.ts'
import type { QueueItem } from '../../../../src/core/queue/rank-queue.ts'
import { ask } from '../../api/client.ts'
import { CAUSE_LABELS, Matter, NeedBadge } from '../../session/need-view.tsx'
import { useGuarded } from '../../steady/guarded.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { toast } from '../../ui/overlay/toast.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { Visible } from '../../ui/text/visible.tsx'
import { GONE } from '../board/board-card.tsx'

interface Props {
  item: QueueItem
  cards: readonly SessionCard[]
  isGone: boolean
}

export function FoldedCard({ item, cards, isGone }: Props) {
  const article = useRef<HTMLElement>(null)
  useGuarded(article)
  const retrying = useForAll(cards, 'Asked to try again', (id) =>
    ask('POST /api/sessions/:id/retry', { params: { id } }),
  )
  const restoring = useForAll(cards, 'Restored', (id) => ask('POST /api/sessions/:id/restore', { params: { id } }))
  const snoozing = useForAll(cards, 'Snoozed for an hour', (id) =>
    ask('POST /api/sessions/:id/snooze', { params: { id }, body: { need: item.kind, minutes: 60 } }),
  )
  return (
    <article
      ref={article}
      data-card={item.sessions[0]}
      data-gone={isGone || undefined}
      className={`${isGone ? GONE : 'bg-surface shadow-card'} flex shrink-0 flex-col gap-2 rounded-lg border border-l-2 border-l-attention! p-3`}
    >
      <div className="flex items-center gap-2">
        <NeedBadge need={item} />
        <span className="text-sm font-semibold">
          {cards.length} agents: {item.cause && CAUSE_LABELS[item.cause].toLowerCase()}
        </span>
        <TimeAgo at={item.since} className="ml-auto text-xs text-faint" />
      </div>
      <Matter need={item} whole={false} />
      <ul className="flex flex-col gap-0.5 text-sm text-muted">
        {cards.map(({ id, title }, index) => (
          <li key={id} className="truncate">
            <Link href={`/sessions/${id}`} {...(index === 0 && { 'data-open': true })} className="hover:underline">
              {id} · <Visible text={title} />
            </Link>
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-1.5">
        {item.acts.includes('sign_in') && (
          <LinkButton size="sm" variant="primary" icon="terminal" href={`/sessions/${item.sessions[0]}?tab=live`}>
            Sign in
          </LinkButton>
        )}
        {item.acts.includes('restore') && (
          <Button size="sm" icon="restore" does="POST /api/sessions/:id/restore" runs={restoring}>
            Restore all
          </Button>
        )}
        {item.acts.includes('retry') && (
          <Button size="sm" icon="restore" does="POST /api/sessions/:id/retry" runs={retrying}>
            Retry all
          </Button>
        )}
        {item.acts.includes('snooze') && (
          <Button size="sm" variant="ghost" icon="clock" does="POST /api/sessions/:id/snooze" runs={snoozing}>
            Snooze all
          </Button>
        )}
      </div>
    </article>
  )
}

function useForAll(cards: readonly SessionCard[], done: string, act: (id: string) => Promise<unknown>) {
  return useMutation({
    mutationFn: () => Promise.all(cards.map(({ id }) => act(id))),
    onSuccess: () => toast({ tone: 'good', title: `${done}: ${cards.map(({ id }) => id).join(', ')}` }),
    onError: (error) => toast({ tone: 'bad', title: 'It did not work for all of them', detail: error.message }),
  })
}
