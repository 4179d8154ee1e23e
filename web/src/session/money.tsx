// What a session has cost, what it may cost, and a limit of its account that it waits for.
import type { SessionCard } from '../../../src/contract/dashboard/cards.ts'
import { Icon } from '../ui/icon.tsx'
import { formatCost, formatDate, formatTime } from '../ui/text/format.ts'

export function SpentFact({ card: { spent, budget } }: { card: Pick<SessionCard, 'spent' | 'budget'> }) {
  const { limitUsd, over } = budget
  const isNothing = !spent || spent.costUsd === 0 || (spent.costUsd === null && limitUsd === null)
  if (over === null && isNothing) return null
  const cost = formatCost(spent?.costUsd ?? null)
  const unknown = spent?.costUsd == null ? 'Unknown price for this model' : 'Estimated cost'
  return (
    <span
      title={over ?? (limitUsd === null ? unknown : `It may use ${formatCost(limitUsd)}`)}
      className={`whitespace-nowrap ${over === null ? '' : 'font-medium text-bad'}`}
    >
      {limitUsd === null ? cost : `${cost} of ${formatCost(limitUsd)}`}
      {over !== null && ' · over budget'}
    </span>
  )
}

export function LimitWait({ card: { limitResetsAt } }: { card: Pick<SessionCard, 'limitResetsAt'> }) {
  if (limitResetsAt === null) return null
  const at = new Date(limitResetsAt)
  const isToday = at.toDateString() === new Date().toDateString()
  const time = formatTime(at)
  return (
    <span
      className="flex items-center gap-1 text-attention"
      title="A limit of its account stopped it; it continues by itself"
    >
      <Icon name="clock" className="size-3" />
      waits for its limit until {isToday ? time : `${formatDate(at)} ${time}`}
    </span>
  )
}
