// Several agents that cannot continue for the same reason: one matter, one act for all.
import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import { Link } from 'wouter'
import type { SessionCard } from '../../../../src/contract/dashboard/cards.ts'
import type { QueueItem } from '../../../../src/core/queue/rank-queue.ts'
import { needWord } from '../../../../src/core/queue/shown-status.ts'
import { Matter, NeedBadge } from '../../session/need-view.tsx'
import { ACT_ROUTES, carryOut } from '../../session/use-session-act.ts'
import { useGuarded } from '../../steady/guarded.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { toast, toastError } from '../../ui/overlay/toast.tsx'
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
          {cards.length} agents: {needWord(item)}
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
        {ALL.filter(({ act }) => item.acts.includes(act)).map((one) => (
          <AllButton key={one.act} {...one} item={item} cards={cards} />
        ))}
      </div>
    </article>
  )
}

const ALL = [
  { act: 'restore', word: 'Restore all', done: 'Restored', icon: 'restore' },
  { act: 'retry', word: 'Retry all', done: 'Asked to try again', icon: 'restore' },
  { act: 'snooze', word: 'Snooze all', done: 'Snoozed for an hour', icon: 'clock' },
] as const

type AllProps = (typeof ALL)[number] & Omit<Props, 'isGone'>

function AllButton({ act, word, done, icon, item, cards }: AllProps) {
  const run = useMutation({
    mutationFn: () => Promise.all(cards.map((card) => carryOut(act, { ...card, need: item }))),
    onSuccess: () => toast({ tone: 'good', title: `${done}: ${cards.map(({ id }) => id).join(', ')}` }),
    onError: (error) => toastError(error, 'It did not work for all of them'),
  })
  return (
    <Button size="sm" variant={act === 'snooze' ? 'ghost' : 'secondary'} icon={icon} does={ACT_ROUTES[act]} runs={run}>
      {word}
    </Button>
  )
}
