// Where the forge has a queue of its own: what is ready boards that one, exactly with the head that was checked, and is
// followed until the forge has merged it or thrown it out.

import { AoError, errorText } from '../../contract/errors.ts'
import type { Pull } from '../../contract/pull.ts'
import { decideRiders } from '../../core/landing/decide-train.ts'
import { haltOf } from '../../core/landing/timing/halt.ts'
import type { Rider } from '../../core/landing/train-state.ts'
import { mergeHead } from '../merge.ts'
import type { TrainOutcome } from '../own-train.ts'
import type { HostedTrain } from './hosted-train.ts'
import { noteEvent } from './note-event.ts'
import { observeHosted } from './observe-hosted.ts'

export async function boardForgeQueue(train: HostedTrain): Promise<TrainOutcome> {
  const state = train.file.read()
  const view = await observeHosted(train, state)
  if (view === null) return { kind: 'done' }
  for (const event of decideRiders(state, view.pulls, view.past)) await noteEvent(train, event)
  const now = train.file.read()
  const { riders } = now
  const mayBoard = haltOf(now, train.rule.freeze ?? [], train.clock.now().getTime()) === null
  for (const rider of riders) {
    const snapshot = view.snapshots.get(rider.pull)
    if (snapshot?.state === 'open' && snapshot.headSha === rider.headSha)
      await follow(train, rider, { snapshot, mayBoard })
  }
  return { kind: 'done' }
}

async function follow(
  train: HostedTrain,
  { pull, headSha, at }: Rider,
  { snapshot: { pr }, mayBoard }: { snapshot: Pull; mayBoard: boolean },
): Promise<void> {
  const { scm, project } = train
  const queued = await scm.landing.readQueue(pr, project, at)
  if (queued.state === 'queued') return
  if (queued.state === 'none') return mayBoard ? board(train, pr, headSha) : undefined
  // It may have left the queue because it was merged a moment ago.
  if ((await scm.getPRState(pr, project)) === 'open')
    await noteEvent(train, { type: 'left', pull, headSha, why: 'refused', said: queued.why })
}

/** One that is in the queue already stays where it is. */
async function board(train: HostedTrain, pr: Pull['pr'], headSha: string): Promise<void> {
  const { scm, project, method, remote, gates } = train
  try {
    await mergeHead({ scm, project, pr }, { sha: headSha, method }, { env: remote.repository.env, gates })
  } catch (error) {
    const { refusal } = error instanceof AoError ? (error.details as { refusal?: string }) : {}
    if (refusal === undefined || refusal === 'head_moved') throw error
    await noteEvent(train, { type: 'left', pull: pr.number, headSha, why: 'refused', said: errorText(error) })
  }
}
