// The line under a session's title: status and what belongs to it.

import type { ReactNode } from 'react'
import type { SessionCard } from '../../../../src/contract/dashboard/cards.ts'
import { readableText } from '../../../../src/core/text/visible-text.ts'
import { Activity, CardPulls, StatusBadge } from '../../session/badges.tsx'
import { LimitWait, SpentFact } from '../../session/money.tsx'
import { PinMark } from '../../session/pins.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Icon } from '../../ui/icon.tsx'
import { withLocalTimes } from '../../ui/text/format.ts'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { Visible } from '../../ui/text/visible.tsx'

export function SessionFacts({ card, archivedAt }: { card: SessionCard; archivedAt: string | null }) {
  const why = readableText(withLocalTimes(card.evidence.join('; ')))
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-0.5 text-sm text-muted">
      <StatusBadge card={card} />
      {archivedAt !== null && <Badge icon="archive">Archived</Badge>}
      <TimeAgo at={card.need?.kind === 'finished' ? card.need.since : card.statusSince} />
      <Activity card={card} />
      <Fact>
        <PinMark id={card.id} />
        {card.id}
      </Fact>
      <span className="contents max-sm:hidden">
        <Fact>
          {card.agent}
          {card.account !== null && ` (${card.account})`}
          {card.model && `, ${card.model}`}
        </Fact>
        <Fact>{card.projectId}</Fact>
        {card.branch && (
          <span className="flex min-w-0 items-center gap-1">
            <Icon name="branch" className="size-3.5 text-faint" />
            <span className="min-w-0 font-mono text-xs break-all select-all">
              <Visible text={card.branch} />
            </span>
          </span>
        )}
      </span>
      <CardPulls card={card} />
      <SpentFact card={card} />
      <LimitWait card={card} />
      {/* What it needs is said below, with its buttons. */}
      {card.evidence.length > 0 && card.need?.kind !== 'error' && (
        <span title={why} className="min-w-0 flex-1 basis-full truncate max-sm:hidden md:basis-60 2xl:hidden">
          <span className="font-medium">
            Why, as seen <TimeAgo at={card.statusSince} ago />:
          </span>{' '}
          {why}
        </span>
      )}
    </div>
  )
}

function Fact({ children }: { children: ReactNode }) {
  return <span className="whitespace-nowrap">{children}</span>
}
