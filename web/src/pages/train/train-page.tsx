// The page "Train": what is about to land, who failed with whom, what landed; and a person's pause.

import { useMutation } from '@tanstack/react-query'
import type { TrainAnswer, TrainView } from '../../../../src/contract/dashboard/train.ts'
import { idleText } from '../../../../src/core/landing/timing/idle-time.ts'
import { Answered, useAnswer } from '../../api/answered.tsx'
import { ask } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { Page } from '../../shell/page.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Command, EmptyState } from '../../ui/empty-state.tsx'
import { toastError } from '../../ui/overlay/toast.tsx'
import { Panel } from '../../ui/panel.tsx'
import { withLocalTimes } from '../../ui/text/format.ts'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { Visible } from '../../ui/text/visible.tsx'
import { Warning } from '../../ui/warning.tsx'
import { CarList } from './car-list.tsx'
import { DepartureList, LandedList } from './past-lists.tsx'

/** Files on this machine: asking costs next to nothing. */
const AGAIN_MS = 3_000

export function TrainPage() {
  const query = useAnswer(['train'], 'GET /api/train', {}, { refetchInterval: AGAIN_MS })
  return (
    <Page
      title="Train"
      subtitle="Approved work on its way into the base branch, each tested with everything ahead of it"
    >
      <Answered query={query}>{(answer) => <Trains answer={answer} />}</Answered>
    </Page>
  )
}

function Trains({ answer: { trains, problems } }: { answer: TrainAnswer }) {
  return (
    <div className="flex flex-col gap-4">
      {problems.map(({ projectId, message }) => (
        <Warning key={projectId}>
          {projectId}: {message}
        </Warning>
      ))}
      {trains.length === 0 && problems.length === 0 && (
        <EmptyState
          icon="merge"
          title="No project has a train"
          action={
            <LinkButton variant="primary" icon="gear" href="/settings">
              Choose it in the settings
            </LinkButton>
          }
        >
          With <Command>{'landing: { mode: train }'}</Command> approved work of a project lands by itself, tested
          together.
        </EmptyState>
      )}
      {trains.map((train) => (
        <OneTrain key={train.projectId} train={train} />
      ))}
    </div>
  )
}

function OneTrain({ train }: { train: TrainView }) {
  const { projectId, branch, paused, halt, stopped, obstacle, riders, waiting, flaky } = train
  const isHalted = paused !== null || stopped !== null
  return (
    <Panel
      title={`${projectId} to ${branch}`}
      actions={
        <span className="flex items-center gap-2">
          {flaky > 0 && <Badge icon="info">{flaky === 1 ? '1 flaky check' : `${flaky} flaky checks`}</Badge>}
          <Badge tone={isHalted || halt ? 'attention' : 'good'} icon={isHalted || halt ? 'pause' : 'play'}>
            {paused ? 'Paused' : stopped ? 'Stopped' : halt ? 'Frozen' : 'Running'}
          </Badge>
          <PauseButton projectId={projectId} isHalted={isHalted} />
        </span>
      }
    >
      <div className="flex flex-col gap-4 p-4">
        {halt && (
          <Warning>
            Nothing lands: <Visible text={withLocalTimes(halt.why)} />
          </Warning>
        )}
        {stopped && (
          <Warning>
            {branch} itself fails {stopped.check} at {stopped.base.slice(0, 10)}. The train continues when {branch}{' '}
            moves.
          </Warning>
        )}
        {obstacle !== null && (
          <Warning>
            Nothing lands: <Visible text={withLocalTimes(obstacle)} />
          </Warning>
        )}
        {riders.length === 0 ? <p className="text-sm text-muted">Nothing is aboard.</p> : <CarList train={train} />}
        {waiting.map(({ pull, title, why }) => (
          <p key={pull} className="text-sm text-muted">
            #{pull} <Visible text={title} /> is not aboard: {withLocalTimes(why)}
          </p>
        ))}
        <IdleTime idle={train.idle} />
        <DepartureList train={train} />
        <LandedList train={train} />
      </div>
    </Panel>
  )
}

/** What the last day of the train was spent on. */
function IdleTime({ idle: { since, spent } }: { idle: TrainView['idle'] }) {
  const text = idleText(spent)
  if (text === null) return null
  return (
    <p className="text-sm text-muted">
      Since <TimeAgo at={since} /> ago: {text}
    </p>
  )
}

const RESUME = 'POST /api/projects/:project/train/resume'
const PAUSE = 'POST /api/projects/:project/train/pause'

function PauseButton({ projectId, isHalted }: { projectId: string; isHalted: boolean }) {
  const params = { project: projectId }
  const run = useMutation({
    mutationFn: () => (isHalted ? ask(RESUME, { params }) : ask(PAUSE, { params })),
    onError: (error) => toastError(error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['train'] }),
  })
  return (
    <Button size="sm" icon={isHalted ? 'play' : 'pause'} does={isHalted ? RESUME : PAUSE} runs={run}>
      {isHalted ? 'Resume' : 'Pause'}
    </Button>
  )
}
