// Sessions by status, tokens, cost and waiting for people, over time.
import type { SeriesAnswer } from '../../../../src/contract/dashboard/pages.ts'
import type { SessionStatus } from '../../../../src/contract/status.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Plot } from '../../ui/plot/plot.tsx'
import type { PlotSeries } from '../../ui/plot/plot-layout.ts'
import { formatCost, formatCount } from '../../ui/text/format.ts'

interface Group {
  name: string
  tone: PlotSeries['tone']
  statuses: readonly SessionStatus[]
}

/** Sixteen colours say nothing; these five show what the fleet was doing. */
const GROUPS: readonly Group[] = [
  { name: 'working', tone: 'live', statuses: ['spawning', 'working'] },
  { name: 'in review', tone: 'review', statuses: ['pr_open', 'review_pending', 'changes_requested', 'ci_failed'] },
  { name: 'ready to merge', tone: 'accent', statuses: ['approved', 'mergeable'] },
  { name: 'needs a person', tone: 'attention', statuses: ['needs_input', 'stuck', 'errored'] },
  { name: 'merged in this step', tone: 'good', statuses: ['merged'] },
]

export function FleetPlots({ series }: { series: SeriesAnswer }) {
  const sessions = GROUPS.map(({ name, tone, statuses }) => ({ name, tone, values: sum(series, statuses) }))
  if (sessions.every(({ values }) => values.every((value) => value === 0)))
    return <EmptyState icon="pulse" title="No session ran in this time" />
  const plain = (value: number) => String(Math.round(value * 10) / 10)
  return (
    <div className="grid lg:grid-cols-2">
      <Plot title="Sessions" times={series.times} series={sessions} kind="layers" format={plain} />
      <Plot
        title="Minutes waited for a person"
        times={series.times}
        series={[{ name: 'waiting', tone: 'attention', values: series.waitingMinutes }]}
        kind="bars"
        format={plain}
      />
      <Plot
        title="Tokens, all sessions"
        times={series.times}
        series={[{ name: 'tokens', tone: 'accent', values: series.tokens }]}
        kind="line"
        format={formatCount}
      />
      <Plot
        title="Cost, all sessions"
        times={series.times}
        series={[{ name: 'cost', tone: 'good', values: series.costUsd }]}
        kind="line"
        format={formatCost}
      />
      <WaitedPerDay days={series.waitedPerDay} />
    </div>
  )
}

function sum({ times, byStatus }: SeriesAnswer, statuses: readonly SessionStatus[]): number[] {
  return times.map((_, index) => statuses.reduce((total, status) => total + (byStatus[status]?.[index] ?? 0), 0))
}

/** Minutes a person was waited for, per day: the figure that says whether the fleet is held up. */
function WaitedPerDay({ days }: { days: SeriesAnswer['waitedPerDay'] }) {
  const most = Math.max(1, ...days.map(({ minutes }) => minutes))
  return (
    <section aria-label="Minutes waited for a person, per day" className="p-4">
      <h3 className="mb-2 text-sm font-semibold">Minutes waited for a person, per day</h3>
      <ul className="grid grid-cols-[auto_1fr_auto] items-center gap-x-3 gap-y-1 text-sm">
        {days.map(({ day, minutes }) => (
          <li key={day} className="contents">
            <span className="text-muted">{dayName(day)}</span>
            <span aria-hidden="true" className="h-2.5 overflow-hidden rounded-sm bg-sunken">
              <span className="block h-full bg-attention" style={{ width: `${(minutes / most) * 100}%` }} />
            </span>
            <span className="text-right font-medium">{Math.round(minutes)} min</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function dayName(day: string): string {
  return new Date(`${day}T12:00:00`).toLocaleDateString(undefined, { weekday: 'short', month: 'short', day: 'numeric' })
}
