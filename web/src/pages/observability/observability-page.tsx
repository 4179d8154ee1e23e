// How ao itself is doing: health, counters, traces, and the fleet over time.
import { useState } from 'react'
import type { ObservabilityAnswer } from '../../../../src/contract/dashboard/pages.ts'
import { Answered, useAnswer } from '../../api/answered.tsx'
import { NO_LINE_YET, Page } from '../../shell/page.tsx'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { DamagedFiles } from '../../ui/damaged-files.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import type { IconName } from '../../ui/icon.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { SessionLink } from '../../ui/text/session-link.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { Select } from '../../ui/text-field.tsx'
import { CostTable } from './cost-table.tsx'
import { Counters } from './counters.tsx'
import { FleetPlots } from './fleet-plots.tsx'
import { Traces } from './traces.tsx'

const SPANS = [
  ['1', 'Last hour'],
  ['6', 'Last 6 hours'],
  ['24', 'Last 24 hours'],
  ['168', 'Last 7 days'],
] as const

export function ObservabilityPage() {
  const [wish, setWish] = useState('')
  const summary = useAnswer(['observability', 'summary'], 'GET /api/observability')
  const series = useAnswer(['observability', wish], 'GET /api/observability/series', {
    query: { hours: wish || undefined },
  })
  // All of it at once: none of the panels moves when another is there.
  const isFirst = summary.isPending || series.isPending
  const askAgain = () => void Promise.all([summary.refetch(), series.refetch()])
  return (
    <Page
      title="Observability"
      subtitle={
        summary.data ? <Overall status={summary.data.overallStatus} health={summary.data.health} /> : NO_LINE_YET
      }
      actions={
        <>
          <Select
            label="Time shown"
            hideLabel
            options={SPANS}
            value={wish || String(series.data?.hours ?? '')}
            onPick={setWish}
          />
          <Button icon="restore" busy={summary.isFetching || series.isFetching} onClick={askAgain}>
            Read again
          </Button>
        </>
      }
    >
      {isFirst && <Skeleton label="Loading" />}
      <div className={`flex flex-col gap-4 ${isFirst ? 'hidden' : ''}`}>
        <Panel title="The fleet over time">
          <Answered query={series}>{(answer) => <FleetPlots series={answer} />}</Answered>
        </Panel>
        <Answered query={summary}>
          {(answer) => (
            <>
              <DamagedFiles files={answer.damaged} />
              <div className="grid items-start gap-4 xl:grid-cols-2">
                <HealthList health={answer.health} processes={answer.processes} />
                <Counters metrics={answer.metrics} />
              </div>
              <CostTable />
              <RecentSessions sessions={answer.sessions} />
              <Traces traces={answer.traces} />
            </>
          )}
        </Answered>
      </div>
    </Page>
  )
}

/** It names what it is about: the list of all surfaces is further down. */
function Overall({
  status,
  health,
}: { status: ObservabilityAnswer['overallStatus'] } & Pick<ObservabilityAnswer, 'health'>) {
  const names = Object.keys(health).filter((name) => health[name]?.status === status)
  const about = names.length > 3 ? `${names.length} surfaces` : names.sort().join(', ')
  const headlines = {
    ok: Object.keys(health).length === 0 ? 'Nothing has reported yet' : 'Everything is healthy',
    warn: `Needs attention: ${about}`,
    error: `Broken: ${about}`,
  }
  return (
    <Badge tone={HEALTH_TONES[status]} icon={HEALTH_ICONS[status]}>
      {headlines[status]}
    </Badge>
  )
}

type Status = ObservabilityAnswer['overallStatus']

const HEALTH_TONES: Record<Status, Tone> = { ok: 'good', warn: 'attention', error: 'bad' }
const HEALTH_ICONS: Record<Status, IconName> = { ok: 'check', warn: 'clock', error: 'warning' }
const WORST_FIRST: readonly Status[] = ['error', 'warn', 'ok']

/** The surfaces that report their health, and the processes that wrote them. */
function HealthList({ health, processes }: Pick<ObservabilityAnswer, 'health' | 'processes'>) {
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

const SHOWN = 20

/** The sessions that were changed last, and the result. */
function RecentSessions({ sessions }: Pick<ObservabilityAnswer, 'sessions'>) {
  const rows = Object.entries(sessions).slice(0, SHOWN)
  return (
    <Panel title="Sessions, by their last operation">
      {rows.length === 0 && <EmptyState title="Nothing has been done to a session yet" />}
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
