// How ao itself is doing: health, counters, traces, and the fleet over time.
import { useState } from 'react'
import type { ObservabilityAnswer } from '../../../../src/contract/dashboard/pages.ts'
import { Answered, useAnswer } from '../../api/answered.tsx'
import { Page } from '../../shell/page.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { DamagedFiles } from '../../ui/damaged-files.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Select } from '../../ui/text-field.tsx'
import { CostTable } from './cost-table.tsx'
import { Counters } from './counters.tsx'
import { FleetPlots } from './fleet-plots.tsx'
import { HEALTH_ICONS, HEALTH_TONES, HealthList } from './health-list.tsx'
import { RecentSessions } from './recent-sessions.tsx'
import { Traces } from './traces.tsx'

const SPANS = [
  [1, 'Last hour'],
  [6, 'Last 6 hours'],
  [24, 'Last 24 hours'],
  [168, 'Last 7 days'],
] as const

export function ObservabilityPage() {
  const [wish, setWish] = useState('')
  const summary = useAnswer(['observability', 'summary'], 'GET /api/observability')
  const series = useAnswer(['observability', wish], 'GET /api/observability/series', {
    query: { hours: wish || undefined },
  })
  const askAgain = () => void Promise.all([summary.refetch(), series.refetch()])
  return (
    <Page
      title="Observability"
      subtitle={summary.data && <Overall status={summary.data.overallStatus} health={summary.data.health} />}
      actions={
        <>
          <Select
            label="Time shown"
            hideLabel
            value={wish || (series.data?.hours ?? '')}
            onChange={(event) => setWish(event.target.value)}
          >
            {SPANS.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
          <Button icon="restore" busy={summary.isFetching || series.isFetching} onClick={askAgain}>
            Read again
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Panel title="The fleet over time">
          <Answered query={series}>{(answer) => <FleetPlots series={answer} />}</Answered>
        </Panel>
        <CostTable />
        <Answered query={summary}>
          {(answer) => (
            <>
              <DamagedFiles files={answer.damaged} />
              <div className="grid items-start gap-4 xl:grid-cols-2">
                <HealthList health={answer.health} processes={answer.processes} />
                <Counters metrics={answer.metrics} />
              </div>
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
  const headlines = { ok: 'Everything is healthy', warn: `Needs attention: ${about}`, error: `Broken: ${about}` }
  return (
    <Badge tone={HEALTH_TONES[status]} icon={HEALTH_ICONS[status]}>
      {headlines[status]}
    </Badge>
  )
}
