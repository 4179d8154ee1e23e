// Everything that is recorded of the session.

import type { SessionDetail } from '../../../../src/contract/dashboard/answers.ts'
import type { SessionCard } from '../../../../src/contract/dashboard/cards.ts'
import { Panel } from '../../ui/panel.tsx'
import { ScrollArea } from '../../ui/scroll-area.tsx'
import { Readable } from '../../ui/text/visible.tsx'
import { RulesPanel } from './rules-panel.tsx'
import { WhyPanel } from './why-panel.tsx'

export function DetailsTab({ detail, card }: { detail: SessionDetail; card: SessionCard }) {
  const rows = Object.entries(detail.metadata).sort(([a], [b]) => a.localeCompare(b))
  return (
    <ScrollArea label="Details">
      <div className="grid items-start gap-3 pb-4 xl:grid-cols-2 2xl:grid-cols-1">
        <div className="2xl:hidden">
          <WhyPanel card={card} why={detail.why} />
        </div>
        <div className="flex min-w-0 flex-col gap-3">
          {detail.archivedAt === null && <RulesPanel sessionId={card.id} />}
          <Panel title="Record">
            <dl className="divide-y text-sm">
              {detail.workspacePath && <Row name="workspace" value={detail.workspacePath} />}
              {rows.map(([name, value]) => (
                <Row key={name} name={name} value={value} />
              ))}
            </dl>
          </Panel>
        </div>
      </div>
    </ScrollArea>
  )
}

function Row({ name, value }: { name: string; value: string }) {
  return (
    <div className="grid gap-x-4 px-4 py-1.5 sm:grid-cols-[12rem_1fr]">
      <dt className="text-xs leading-5 text-muted">{name}</dt>
      <dd className="font-mono text-xs leading-5 break-all whitespace-pre-wrap">
        <Readable text={value} />
      </dd>
    </div>
  )
}
