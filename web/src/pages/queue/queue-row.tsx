// One item of the queue in one line of 40 pixels: what it is about, and whose it is. Focus or a click opens it beside the list; Enter and a
// click with Ctrl open the session, as on every card.
import { type MouseEvent, useRef } from 'react'
import { Link } from 'wouter'
import type { SessionCard } from '../../../../src/contract/dashboard/cards.ts'
import type { QueueItem } from '../../../../src/core/queue/rank-queue.ts'
import { needWord } from '../../../../src/core/queue/shown-status.ts'
import { matterLine } from '../../session/matter.ts'
import { NeedBadge } from '../../session/need-view.tsx'
import { useKeepFocus } from '../../session/use-keep-focus.ts'
import { useGuarded } from '../../steady/guarded.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { Spelled, Visible } from '../../ui/text/visible.tsx'
import { GONE } from '../board/board-card.tsx'

interface Props {
  item: QueueItem
  cards: readonly SessionCard[]
  isGone: boolean
  isOpen: boolean
  onOpen: () => void
}

const REST = 'max-w-fit flex-1 basis-24 truncate text-xs max-xl:hidden'

export function QueueRow({ item, cards, isGone, isOpen, onOpen }: Props) {
  const article = useRef<HTMLElement>(null)
  const id = item.sessions[0]!
  const title = cards.length === 1 ? cards[0]?.title : undefined
  useGuarded(article)
  useKeepFocus(article, id)
  function choose(event: MouseEvent): void {
    // By key: 0.
    if (event.detail === 0 || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    onOpen()
  }
  return (
    <article
      ref={article}
      data-card={id}
      data-gone={isGone || undefined}
      aria-current={isOpen || undefined}
      className={`${isGone ? GONE : 'bg-surface'} relative flex h-10 shrink-0 items-center gap-2.5 rounded-md border border-l-2 px-2.5 hover:border-line-strong aria-[current]:border-l-accent! aria-[current]:bg-hover has-[[data-open]:focus-visible]:outline-2 has-[[data-open]:focus-visible]:outline-accent`}
    >
      <span className="flex w-32 shrink-0 *:max-w-full">
        <NeedBadge need={item} />
      </span>
      {/* What it is about is cut last; the rest wraps out of sight where it would only be a letter. */}
      <div className="flex h-5 min-w-0 flex-1 flex-wrap items-baseline gap-x-2.5 overflow-hidden">
        <h3 className="max-w-full shrink-0 truncate text-sm font-medium">
          <Link
            href={`/sessions/${id}`}
            data-open
            onClick={choose}
            onFocus={onOpen}
            className="outline-none after:absolute after:inset-0 after:rounded-md"
          >
            {cards.length > 1 ? `${cards.length} agents: ${needWord(item)}` : <Spelled text={matterLine(item)} />}
          </Link>
        </h3>
        {title !== undefined && title !== item.matter && (
          <span className={`${REST} text-muted`}>
            <Visible text={title} />
          </span>
        )}
        {item.why && (
          <span title={item.why} className={`${REST} text-faint`}>
            {item.why}
          </span>
        )}
      </div>
      <span className="max-w-40 shrink-0 truncate text-xs text-muted">{cards.map((card) => card.id).join(', ')}</span>
      <TimeAgo at={item.since} className="w-7 shrink-0 text-right text-xs text-faint" />
    </article>
  )
}
