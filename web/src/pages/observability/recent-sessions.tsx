// The sessions that were changed last, and the result.
import type { ObservabilityAnswer } from '../../../../src/contract/dashboard/pages.ts'
import { Badge } from '../../ui/badge.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Panel } from '../../ui/panel.tsx'
import { SessionLink } from '../../ui/text/session-link.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'

const SHOWN = 20

export function RecentSessions({ sessions }: Pick<ObservabilityAnswer, 'sessions'>) {
  const rows = Object.entries(sessions).slice(0, SHOWN)
  return (
    <Panel title="Sessions, by their last operation">
      {rows.length === 0 && <EmptyState title="Nothing was done to a session yet" />}
      <ul className="divide-y">
        {rows.map(([id, { lastOperation, outcome, reason, timestamp }]) => (
          <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-1.5 text-sm">
            <Badge tone={outcome === 'failure' ? 'bad' : 'good'} icon={outcome === 'failure' ? 'cross' : 'check'}>
              {outcome}
            </Badge>
            <SessionLink id={id} />
            <span>{lastOperation}</span>
            <span className="min-w-0 flex-1 text-xs text-muted">{reason}</span>
            <TimeAgo at={timestamp} className="w-10 text-right text-xs text-faint" />
          </li>
        ))}
      </ul>
    </Panel>
  )
}
