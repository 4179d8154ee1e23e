// Work that starts by itself, at certain times or when something happens: a small table below the issues.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ScheduleRowAnswer } from '../../../../src/contract/dashboard/pages.ts'
import { useAnswer } from '../../api/answered.tsx'
import { ask } from '../../api/client.ts'
import { TONE_TEXT, type Tone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { toastError } from '../../ui/overlay/toast.tsx'
import { Panel } from '../../ui/panel.tsx'
import { formatDate, formatTime } from '../../ui/text/format.ts'
import { SessionLink } from '../../ui/text/session-link.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { Visible } from '../../ui/text/visible.tsx'

const RUN = 'POST /api/projects/:project/schedules/:name/run'
const PAUSE = 'POST /api/projects/:project/schedules/:name/pause'
const SCHEDULES = ['schedules']

export function Schedules({ projectId }: { projectId: string | undefined }) {
  const { data } = useAnswer(SCHEDULES, 'GET /api/schedules', {}, { refetchInterval: 30_000 })
  const rows = data?.schedules.filter(({ project }) => project === projectId) ?? []
  const problems = data?.problems.filter((problem) => problem.projectId === projectId) ?? []
  if (rows.length === 0 && problems.length === 0) return null
  return (
    <section aria-label="Work that starts by itself" className="mt-6">
      <h2 className="mb-2 text-sm font-medium">Work that starts by itself</h2>
      <Panel>
        {problems.map(({ message }) => (
          <p key={message} role="alert" className="px-4 py-2.5 text-sm break-words text-bad">
            <Visible text={message} />
          </p>
        ))}
        <ul className="divide-y">
          {rows.map((row) => (
            <Row key={`${row.kind} ${row.name}`} row={row} />
          ))}
        </ul>
      </Panel>
    </section>
  )
}

function Row({ row }: { row: ScheduleRowAnswer }) {
  const { project, name, kind, paused, last, runs } = row
  const queries = useQueryClient()
  const how = {
    onSuccess: () => queries.invalidateQueries({ queryKey: SCHEDULES }),
    onError: (error: Error) => toastError(error),
  }
  const params = { project, name }
  const run = useMutation({ mutationFn: () => ask(RUN, { params }), ...how })
  const pause = useMutation({ mutationFn: () => ask(PAUSE, { params, body: { paused: !paused } }), ...how })
  return (
    <li className="px-4 py-2.5 text-sm">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <span className="min-w-0 font-medium break-all">{name}</span>
        <span className="min-w-0 font-mono text-xs break-all text-muted">
          <Visible text={row.timezone === null ? row.when : `${row.when} ${row.timezone}`} />
        </span>
        <span className={`text-xs ${row.invalid === null ? 'text-muted' : 'text-bad'}`}>{stateOf(row)}</span>
        <span className="ml-auto flex gap-2">
          {kind === 'schedule' && (
            <Button size="sm" icon="play" does={RUN} runs={run}>
              Run now
            </Button>
          )}
          <Button
            size="sm"
            icon={paused ? 'play' : 'pause'}
            aria-label={`${paused ? 'Resume' : 'Pause'} ${name}`}
            does={PAUSE}
            runs={pause}
          >
            {paused ? 'Resume' : 'Pause'}
          </Button>
        </span>
      </div>
      {last && <PastRun run={last} />}
      {runs.length > 1 && (
        <details className="mt-1 text-xs">
          <summary className="w-fit cursor-pointer text-muted hover:text-ink">Earlier</summary>
          <ol className="mt-1 max-h-48 overflow-y-auto border-l-2 pl-3" aria-label={`Earlier runs of ${name}`}>
            {runs.slice(1).map((one) => (
              <li key={one.due}>
                <PastRun run={one} />
              </li>
            ))}
          </ol>
        </details>
      )}
    </li>
  )
}

const RUN_TONES: Readonly<Record<string, Tone>> = { started: 'good', failed: 'bad', starting: 'live' }

function PastRun({ run: { due, state, session, why, missed } }: { run: ScheduleRowAnswer['runs'][number] }) {
  return (
    <p className="flex flex-wrap items-center gap-x-1.5 py-0.5 text-xs text-muted">
      <TimeAgo at={due} ago />
      <span className={TONE_TEXT[RUN_TONES[state] ?? 'neutral']}>{state}</span>
      {session !== undefined && <SessionLink id={session} />}
      {why !== undefined && (
        <span className="min-w-0 break-words">
          <Visible text={why} />
        </span>
      )}
      {missed !== undefined && <span className="text-attention">{missed} missed before</span>}
    </p>
  )
}

function stateOf({ kind, paused, invalid, next, waiting }: ScheduleRowAnswer): string {
  if (invalid !== null) return invalid
  if (paused) return 'paused'
  if (kind === 'trigger') return waiting === 0 ? 'nothing waits' : `${waiting} waiting`
  return next === null ? 'never again' : `next ${formatDate(next)}, ${formatTime(next)}`
}
