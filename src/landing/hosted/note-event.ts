// An event of the train, on disk and then in words.
import type { TrainEventBody } from '../../core/landing/train-state.ts'
import { gitOn } from '../../git/repository.ts'
import { carRef } from '../train/build-cars.ts'
import type { HostedTrain } from './hosted-train.ts'

export async function noteEvent(train: HostedTrain, event: TrainEventBody): Promise<void> {
  const { file, ledger, say, onEvent } = train
  await file.append(event)
  onEvent?.(event)
  if (event.type === 'landed') {
    const { pull, commit, untested } = event
    if (ledger.read().landing?.pull === pull) ledger.change({ landing: null })
    say(`the train: #${pull} landed as ${commit.slice(0, 10)}${untested ? `, untested: ${untested}` : ''}`)
  }
  if (event.type === 'left' && event.why !== 'moved')
    say(`the train: #${event.pull} leaves (${event.said ?? event.why})`)
  if (event.type === 'stopped') say(`the train stops: the base branch fails ${event.check}`)
  if (event.type === 'landed' || (event.type === 'left' && event.why !== 'red')) await forgetCar(train, event.pull)
}

/** Its agent can check the car out as long as it has to repair it. */
async function forgetCar({ remote, project }: HostedTrain, pull: number): Promise<void> {
  await gitOn(remote.repository, ['update-ref', '-d', carRef(project.id, pull)])
}
