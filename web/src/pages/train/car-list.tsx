// Who is aboard: the cars that are tested now, in order, then those that wait.
import { Link } from 'wouter'
import type { TrainRider, TrainView } from '../../../../src/contract/dashboard/train.ts'
import { ChangedChecks } from '../../session/changed-checks.tsx'
import { Badge, type Tone } from '../../ui/badge.tsx'
import type { IconName } from '../../ui/icon.tsx'
import { withLocalTimes } from '../../ui/text/format.ts'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { Visible } from '../../ui/text/visible.tsx'

const STATES: Record<TrainRider['state'], { word: string; tone: Tone; icon: IconName }> = {
  waiting: { word: 'Waiting', tone: 'neutral', icon: 'clock' },
  testing: { word: 'Testing', tone: 'live', icon: 'play' },
  green: { word: 'Green', tone: 'good', icon: 'check' },
  red: { word: 'Red', tone: 'bad', icon: 'cross' },
}

export function CarList({ train: { projectId, riders } }: { train: TrainView }) {
  return (
    <ol className="flex flex-col divide-y rounded-md border" aria-label="Aboard">
      {riders.map((rider) => (
        <Car key={rider.pull} projectId={projectId} rider={rider} />
      ))}
    </ol>
  )
}

function Car({ projectId, rider }: { projectId: string; rider: TrainRider }) {
  const { pull, title, session, place, state, commit, why, eta, suspect, by, at, changedChecks, reused, resolved } =
    rider
  const { word, tone, icon } = STATES[state]
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2 text-sm">
      <span className="w-14 text-xs text-faint">{place === null ? 'waits' : `car ${place}`}</span>
      <Badge tone={tone} icon={icon}>
        {word}
      </Badge>
      <Link href={`/projects/${projectId}/pull/${pull}`} className="min-w-0 truncate font-medium hover:underline">
        #{pull} <Visible text={title} />
      </Link>
      {session && (
        <Link href={`/sessions/${encodeURIComponent(session)}`} className="text-xs text-accent hover:underline">
          {session}
        </Link>
      )}
      {why !== null && suspect === null && (
        <span className="text-xs text-faint">
          <Visible text={withLocalTimes(why)} />
        </span>
      )}
      {why !== null && suspect !== null && (
        <Badge tone="attention">
          <Visible text={withLocalTimes(why)} />
        </Badge>
      )}
      {resolved.map((done) => (
        <Badge key={done} tone="neutral">
          conflict solved by rule: {done}
        </Badge>
      ))}
      {reused.length > 0 && <Badge tone="neutral">conflict in {reused.join(', ')} solved as before</Badge>}
      <span className="text-xs">
        <ChangedChecks paths={changedChecks} />
      </span>
      <span className="ml-auto flex gap-3 text-xs text-faint">
        <span>
          {eta.inMs === null ? 'landing time' : 'lands'} <Visible text={withLocalTimes(eta.text)} />
        </span>
        {commit && <code className="font-mono">{commit.slice(0, 10)}</code>}
        <span>
          {by === 'ao' ? 'boarded' : `put aboard by ${by}`} <TimeAgo at={at} />
        </span>
      </span>
    </li>
  )
}
