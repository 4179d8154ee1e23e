// The surfaces that report their health, and the processes that wrote them.
import type { ObservabilityAnswer } from '../../../../src/contract/dashboard/pages.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import type { IconName } from '../../ui/icon.tsx'
import { Panel } from '../../ui/panel.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'

type Status = ObservabilityAnswer['overallStatus']

export const HEALTH_TONES: Record<Status, Tone> = { ok: 'good', warn: 'attention', error: 'bad' }
export const HEALTH_ICONS: Record<Status, IconName> = { ok: 'check', warn: 'clock', error: 'warning' }
const WORST_FIRST: readonly Status[] = ['error', 'warn', 'ok']

export function HealthList({ health, processes }: Pick<ObservabilityAnswer, 'health' | 'processes'>) {
  const surfaces = Object.entries(health).sort(
    ([a, one], [b, other]) => WORST_FIRST.indexOf(one.status) - WORST_FIRST.indexOf(other.status) || a.localeCompare(b),
  )
  return (
    <Panel title="Health">
      {surfaces.length === 0 && <EmptyState title="No surface has reported yet" />}
      <ul className="divide-y">
        {surfaces.map(([name, { status, reason, updatedAt }]) => (
          <li key={name} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 text-sm">
            <Badge tone={HEALTH_TONES[status]} icon={HEALTH_ICONS[status]}>
              {status}
            </Badge>
            <span className="font-medium">{name}</span>
            <span className="min-w-0 flex-1 text-muted">{reason}</span>
            <TimeAgo at={updatedAt} className="text-xs text-faint" />
          </li>
        ))}
      </ul>
      <div className="border-t px-4 py-2 text-xs text-muted">
        {processes
          .filter(({ running }) => running)
          .map(({ component, pid }) => `${component} (${pid})`)
          .join(', ') || 'No recording process runs now'}
      </div>
    </Panel>
  )
}
