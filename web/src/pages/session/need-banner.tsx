// What the session needs, on its own page: the matter, and the same buttons as in the queue.
import type { SessionCard } from '../../../../src/contract/dashboard/cards.ts'
import { Matter, NeedActions, NeedBadge } from '../../session/need-view.tsx'
import { useSessionAct } from '../../session/use-session-act.ts'
import { TimeAgo } from '../../ui/text/time-ago.tsx'

/** A permission has its own box. In a transcript the question is the last thing that was said. */
export function NeedBanner({ card }: { card: SessionCard }) {
  const acting = useSessionAct(card)
  const { need } = card
  if (card.column !== 'needs_you' || !need || need.kind === 'permission') return null
  const isInTranscript = card.can.view === 'transcript' && need.kind !== 'error'
  return (
    <section
      aria-label="What it needs"
      className="mb-2 flex max-h-[40vh] shrink-0 flex-wrap items-center gap-x-3 gap-y-1.5 overflow-y-auto rounded-lg border border-l-2 border-l-attention! bg-surface px-3 py-2"
    >
      <div className="flex items-center gap-2">
        <NeedBadge need={need} />
        <TimeAgo at={need.since} className="text-xs text-faint" />
      </div>
      {!isInTranscript && <Matter need={need} whole />}
      <div className="ml-auto flex flex-wrap gap-1.5">
        <NeedActions card={card} need={need} acting={acting} />
      </div>
    </section>
  )
}
