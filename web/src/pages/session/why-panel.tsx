// Why the session has its status, in the words of `ao why`, and its usage.
import type { ReactNode } from 'react'
import type { SessionDetail } from '../../../../src/contract/dashboard/answers.ts'
import type { SessionCard } from '../../../../src/contract/dashboard/cards.ts'
import { StatusBadge } from '../../session/badges.tsx'
import { Panel } from '../../ui/panel.tsx'
import { formatCost, formatCount, withLocalTimes } from '../../ui/text/format.ts'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { Readable } from '../../ui/text/visible.tsx'
import { namePulls } from './name-pulls.ts'
import { StackPanel } from './stack-panel.tsx'

export function WhyPanel({ card, why }: { card: SessionCard; why: SessionDetail['why'] }) {
  return (
    <div className="flex flex-col gap-3">
      <Panel title="Why" actions={<StatusBadge card={card} />}>
        <div className="flex flex-col gap-3 p-4">
          {card.evidence.length > 0 && (
            <Section
              title={
                <>
                  As seen <TimeAgo at={card.statusSince} ago />
                </>
              }
            >
              <Lines lines={card.evidence} strong />
            </Section>
          )}
          <Section title="Facts of now">
            <Lines lines={why.facts.map((fact) => namePulls(fact, card))} />
          </Section>
          <Section title="Reactions">
            {why.reactions.length === 0 && <p className="text-xs text-muted">Nothing by itself.</p>}
            <Lines lines={why.reactions} />
            {why.lastReaction && <p className="mt-1 text-xs text-muted">Last: {why.lastReaction}</p>}
          </Section>
        </div>
      </Panel>
      <StackPanel id={card.id} />
      <UsagePanel card={card} />
    </div>
  )
}

function UsagePanel({ card }: { card: SessionCard }) {
  const { cost } = card
  return (
    <Panel title="Tokens and cost">
      {cost === null ? (
        <p className="p-4 text-sm text-muted">The agent has not reported its usage.</p>
      ) : (
        <dl className="grid grid-cols-2 gap-x-4 gap-y-2 p-4 text-sm">
          <Amount name="Input" value={formatCount(cost.inputTokens)} />
          <Amount name="Output" value={formatCount(cost.outputTokens)} />
          <Amount name="Cache read" value={formatCount(cost.cacheReadTokens)} />
          <Amount name="Cache write" value={formatCount(cost.cacheWriteTokens)} />
          <Amount
            name="Estimated cost"
            value={cost.estimatedCostUsd === null ? 'Price not known' : formatCost(cost.estimatedCostUsd)}
          />
        </dl>
      )}
    </Panel>
  )
}

function Amount({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="font-medium">{value}</dd>
    </div>
  )
}

function Section({ title, children }: { title: ReactNode; children: ReactNode }) {
  return (
    <div>
      <h3 className="mb-1 text-xs font-semibold text-muted">{title}</h3>
      {children}
    </div>
  )
}

function Lines({ lines, strong = false }: { lines: readonly string[]; strong?: boolean }) {
  return (
    <ul className={`flex flex-col gap-1 ${strong ? 'text-sm font-medium' : 'text-xs text-muted'}`}>
      {lines.map((line) => (
        <li key={line}>
          <Readable text={withLocalTimes(line)} />
        </li>
      ))}
    </ul>
  )
}
