// The page "Radar": which live branches conflict or change the same files, and where.

import { useSearchParams } from 'wouter'
import type { RadarAnswer, RadarBranch, RadarPicture } from '../../../../src/contract/dashboard/radar.ts'
import { Answered, useAnswer } from '../../api/answered.tsx'
import { Page } from '../../shell/page.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Command, EmptyState } from '../../ui/empty-state.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Visible } from '../../ui/text/visible.tsx'
import { Warning } from '../../ui/warning.tsx'
import { BranchMatrix } from './branch-matrix.tsx'
import { MeetingList } from './meeting-list.tsx'

/** A picture in which nothing has changed costs the server next to nothing. */
const AGAIN_MS = 10_000
const SOON_MS = 1_000

export function RadarPage() {
  const query = useAnswer(
    ['radar'],
    'GET /api/radar',
    {},
    { refetchInterval: ({ state }) => (state.data?.projects.some(({ pending }) => pending > 0) ? SOON_MS : AGAIN_MS) },
  )
  return (
    <Page title="Radar" subtitle="Live branches that change the same files, uncommitted work included">
      <Answered query={query}>{(answer) => <Pictures answer={answer} />}</Answered>
    </Page>
  )
}

function Pictures({ answer }: { answer: RadarAnswer }) {
  const shown = answer.projects
    .filter(({ branches, note }) => branches.length > 0 || note !== null)
    .toSorted((a, b) => conflictsOf(b) - conflictsOf(a))
  return (
    <div className="flex flex-col gap-4">
      {answer.problems.map(({ projectId, message }) => (
        <Warning key={projectId}>
          {projectId} could not be observed: {message}
        </Warning>
      ))}
      {shown.length === 0 && answer.problems.length === 0 && (
        <EmptyState icon="radar" title="No live branches">
          Branches appear here as soon as an agent works on one. Start one with <Command>ao spawn 1</Command>
        </EmptyState>
      )}
      {shown.map((picture) => (
        <Picture key={picture.projectId} picture={picture} />
      ))}
    </div>
  )
}

function Picture({ picture }: { picture: RadarPicture }) {
  const [params, setParams] = useSearchParams()
  const { projectId, base, meetings, branches, note, pending } = picture
  const chosen = params.get('project') === projectId ? params.get('pair') : null
  const choose = (pair: string | null) =>
    setParams(pair === null ? {} : { project: projectId, pair }, { replace: true })
  const conflicts = conflictsOf(picture)
  // Who has changed nothing meets nobody.
  const changed = branches.filter(({ files, problem }) => files > 0 || problem !== null)
  return (
    <Panel
      title={`${projectId} on ${base.branch}`}
      actions={
        <span className="flex gap-2">
          {pending > 0 && <Badge icon="clock">{pending} pairs to try</Badge>}
          {picture.red.length > 0 && (
            <Badge tone="bad" icon="warning">
              {picture.red.length === 1 ? '1 pair fails together' : `${picture.red.length} pairs fail together`}
            </Badge>
          )}
          <Badge tone={conflicts > 0 ? 'bad' : 'good'} icon={conflicts > 0 ? 'warning' : 'check'}>
            {conflicts === 0 ? 'No conflicts' : conflicts === 1 ? '1 conflict' : `${conflicts} conflicts`}
          </Badge>
        </span>
      }
    >
      <div className="flex flex-col gap-4 p-4">
        {note !== null && <Warning>{note}</Warning>}
        {changed.length > 0 && (
          <BranchMatrix branches={changed.toSorted(byName)} meetings={meetings} chosen={chosen} onChoose={choose} />
        )}
        {changed.length < branches.length && (
          <p className="text-sm text-muted">
            {branches.length - changed.length} of {branches.length} branches{' '}
            {branches.length - changed.length === 1 ? 'has' : 'have'} no changes yet.
          </p>
        )}
        <RedPairs red={picture.red} />
        <Ready picture={picture} />
        <MeetingList meetings={meetings} chosen={chosen} onChoose={choose} />
      </div>
    </Panel>
  )
}

/** git merges them, and their checks fail together. */
function RedPairs({ red }: Pick<RadarPicture, 'red'>) {
  if (red.length === 0) return null
  return (
    <ul className="flex flex-col gap-3" aria-label="Pairs that fail together">
      {red.map(({ a, b, check, test, log, commit }) => (
        <li key={`${a}~${b}`} className="rounded-md border">
          <h3 className="flex items-center gap-2 border-b px-3 py-1.5 text-sm font-medium">
            {a} and {b}
            <Badge tone="bad">fail together</Badge>
          </h3>
          <div className="flex flex-col gap-2 px-3 py-2 text-sm">
            <span>
              Each passes alone; together <Visible text={check} /> fails
              {test !== null && (
                <>
                  {' '}
                  in{' '}
                  <span className="font-mono text-xs text-bad">
                    <Visible text={test} />
                  </span>
                </>
              )}
              <span className="text-muted"> at {commit.slice(0, 10)}</span>
            </span>
            <details>
              <summary className="text-xs text-muted">End of the log</summary>
              <pre className="max-h-64 overflow-auto rounded bg-sunken p-2 font-mono text-2xs whitespace-pre">
                <Visible text={log} lines />
              </pre>
            </details>
          </div>
        </li>
      ))}
    </ul>
  )
}

function conflictsOf({ meetings }: RadarPicture): number {
  return meetings.filter(({ kind }) => kind === 'conflict').length
}

function byName(a: RadarBranch, b: RadarBranch): number {
  return a.id.localeCompare(b.id, 'en', { numeric: true })
}

function Ready({ picture: { ready } }: { picture: RadarPicture }) {
  if (ready.merged.length === 0 && ready.left.length === 0) return null
  return (
    <div className="flex flex-col gap-1 text-sm" role="status">
      {ready.merged.length > 0 && (
        <span className="flex items-start gap-1.5 text-good">
          <Icon name="check" className="mt-0.5" />
          Ready and merge cleanly in this order: {ready.merged.join(', ')}
        </span>
      )}
      {ready.left.map(({ id, files }) => (
        <span key={id} className="flex items-start gap-1.5 text-bad">
          <Icon name="warning" className="mt-0.5" />
          {id} is ready, but conflicts with those before it in {files.join(', ')}
        </span>
      ))}
    </div>
  )
}
