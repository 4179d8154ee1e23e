// The last operations, newest first.
import { useState } from 'react'
import type { ObservabilityAnswer } from '../../../../src/contract/dashboard/pages.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Panel } from '../../ui/panel.tsx'
import { SessionLink } from '../../ui/text/session-link.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'

type Trace = ObservabilityAnswer['traces'][number]

const FIRST = 30

export function Traces({ traces }: { traces: Trace[] }) {
  const [onlyFailed, setOnlyFailed] = useState(false)
  const [all, setAll] = useState(false)
  const fitting = onlyFailed ? traces.filter(({ outcome }) => outcome === 'failure') : traces
  const shown = all ? fitting : fitting.slice(0, FIRST)
  return (
    <Panel
      title="Recent traces"
      actions={
        <Button size="sm" aria-pressed={onlyFailed} onClick={() => setOnlyFailed(!onlyFailed)}>
          {onlyFailed ? 'Show all' : 'Only failures'}
        </Button>
      }
    >
      {shown.length === 0 && <EmptyState title={onlyFailed ? 'Nothing failed' : 'Nothing was traced yet'} />}
      <ul className="divide-y">
        {shown.map((trace) => (
          <TraceRow key={trace.id} trace={trace} />
        ))}
      </ul>
      {fitting.length > shown.length && (
        <div className="border-t p-2 text-center">
          <Button size="sm" variant="ghost" onClick={() => setAll(true)}>
            {fitting.length - shown.length} more
          </Button>
        </div>
      )}
    </Panel>
  )
}

function TraceRow({ trace }: { trace: Trace }) {
  const failed = trace.outcome === 'failure'
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-1.5 text-sm">
      <Badge tone={failed ? 'bad' : 'good'} icon={failed ? 'cross' : 'check'}>
        {trace.outcome}
      </Badge>
      <span className="font-medium">{trace.operation}</span>
      {trace.sessionId && (
        <span className="text-xs">
          <SessionLink id={trace.sessionId} />
        </span>
      )}
      <span className="min-w-0 flex-1 text-xs text-muted">{trace.reason}</span>
      <span className="text-xs text-faint">{trace.component}</span>
      {trace.durationMs !== undefined && <span className="text-xs text-muted">{Math.round(trace.durationMs)} ms</span>}
      <TimeAgo at={trace.timestamp} className="w-10 text-right text-xs text-faint" />
    </li>
  )
}
