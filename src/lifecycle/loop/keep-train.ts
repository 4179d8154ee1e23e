// The train beside the rounds, and the watch over the base branch: they run until there is nothing to do, and the next news
// from the forge starts them again.
import type { ProjectConfig } from '../../contract/config.ts'
import type { RadarPicture } from '../../contract/dashboard/radar.ts'
import { pullNumber } from '../../contract/ids.ts'
import type { PullRef } from '../../contract/pull.ts'
import { pullUrls } from '../../core/status/recorded-facts.ts'
import { whyNotAlone } from '../../core/task/decide-landing.ts'
import { hasOwnTrain, type OwnTrain, type TrainOutcome, type TrainRide } from '../../landing/own-train.ts'
import type { Origin } from '../../landing/proof/write-note.ts'
import { withObstacle } from '../../landing/train/ride-files.ts'
import { openTrainFile } from '../../landing/train/train-file.ts'
import { measure } from '../../lib/measures.ts'
import { scmOf } from '../../manager/context.ts'
import { keepHostedTrain } from '../landing/keep-hosted-train.ts'
import { notifyHandMoves } from '../landing/notify-hand-moves.ts'
import { notifyStop } from '../landing/notify-stop.ts'
import { offerCommit } from '../landing/offer-commit.ts'
import { keepWatch } from './keep-watch.ts'
import type { LoopContext } from './loop-context.ts'

export async function keepTrain(loop: LoopContext, project: ProjectConfig, signal: AbortSignal): Promise<void> {
  const projectDir = loop.context.paths.project(project.id).dir
  const { directory } = openTrainFile({ projectDir, clock: loop.context.clock })
  await withObstacle({ directory, signal }, () => rideAndWatch(loop, { project, projectDir, signal }))
}

async function rideAndWatch(loop: LoopContext, { project, projectDir, signal }: Ride): Promise<void> {
  const { mode = 'off', watch = 'off' } = project.landing ?? {}
  // Without a train of ao's own, pull requests may be in a queue of the forge's.
  const isAboard = () => openTrainFile({ projectDir, clock: loop.context.clock }).read().riders.length > 0
  if (mode === 'off' && watch === 'off' && !isAboard()) return
  const scm = await scmOf(loop.context, project)
  if (!hasOwnTrain(scm)) {
    const origin = { originOf: (sessionId: string) => originOf(loop, project, sessionId) }
    return keepHostedTrain(loop, { project, projectDir, scm, signal, ...origin, ...sharedOf(loop, project) })
  }
  const train = scm.train(project)
  const ride = () => rideTrain(loop, train, { project, projectDir, signal })
  let outcome = await ride()
  if (mode === 'train') await notifyHandMoves(loop, train, { project, projectDir })
  const base = () => ({ project, projectDir, ...train.base({ projectDir, signal }) })
  const isRepairing = watch !== 'off' && (await keepWatch(loop, base()))
  if (isRepairing) outcome = await ride()
  if (outcome.kind === 'blocked') throw new Error(outcome.why)
}

interface Ride {
  project: ProjectConfig
  projectDir: string
  signal: AbortSignal
}

async function rideTrain(
  loop: LoopContext,
  train: OwnTrain,
  { project, projectDir, signal }: Ride,
): Promise<TrainOutcome> {
  if (project.landing?.mode !== 'train') return { kind: 'done' }
  const outcome = await train.ride({
    projectDir,
    ...sharedOf(loop, project),
    originOf: (sessionId) => originOf(loop, project, sessionId),
    signal,
  })
  await notifyStop(loop, project, projectDir)
  return outcome
}

/** What the trains of all forges are given. */
function sharedOf(
  loop: LoopContext,
  project: ProjectConfig,
): Pick<TrainRide, 'collide' | 'say' | 'onEvent' | 'offer' | 'held' | 'repairMs'> {
  return {
    repairMs: loop.rules.get(project.id)?.['landing-failed'].escalateAfterMs,
    held: (pull) => whyHeld(loop, project, pull),
    offer: (pull, commit) => offerCommit(loop, project, { pull, commit }),
    collide: (a, b) => doCollide(loop.radar.get(project.id)?.picture, a, b),
    say: (line) => loop.say(`${project.id}: ${line}`),
    onEvent(event) {
      loop.seen?.push({ kind: 'train', project: project.id, event })
      if (event.type !== 'landed' && event.type !== 'left') return
      const outcome = event.type === 'landed' ? 'landed' : event.why
      measure('train', { repository: loop.context.paths.hash, project: project.id, outcome })
    },
  }
}

function originOf(loop: LoopContext, project: ProjectConfig, sessionId: string): Origin | null {
  const record = loop.context.store(project.id).read(sessionId)?.record
  if (!record) return null
  const { agent = null, model = null, usageCostUsd: costUsd = null, issue = null } = record
  return { agent, model, costUsd, issue }
}

/** By every sign of whose it is: a session may have left out what its record says. */
function whyHeld(loop: LoopContext, project: ProjectConfig, pull: PullRef): string | null {
  const { url, session, branch } = pull
  const owners = loop.context
    .store(project.id)
    .readAll()
    // Hardly any is one of several or stands on another; of the others nothing is compared, for each pull request asks this.
    .filter(({ record }) => record.task !== undefined || record.stack?.on)
    .filter(({ id, record }) => id === session || record.branch === branch || pullUrls(record).includes(url))
  const ofTask = owners.find(({ record }) => record.task !== undefined)
  const ofStack = owners.find(({ record }) => record.stack?.on)
  return (
    (ofTask && whyNotAlone(ofTask.record, ofTask.id)) ??
    (ofStack && whyTooEarly(loop, project, { pull, on: ofStack.record.stack!.on! })) ??
    null
  )
}

/** An agent can make its pull request for the base branch at any time: what it stands on would land with it. */
function whyTooEarly(
  loop: LoopContext,
  project: ProjectConfig,
  { pull, on }: { pull: PullRef; on: string },
): string | null {
  if (pull.baseBranch !== project.defaultBranch) return null
  const store = loop.context.store(project.id)
  const lower = store.read(on)?.record ?? store.readArchived(on)?.record
  const numbers = lower ? pullUrls(lower).map(pullNumber) : []
  const projectDir = loop.context.paths.project(project.id).dir
  const { landed } = openTrainFile({ projectDir, clock: loop.context.clock }).read()
  const isLanded = lower?.status === 'merged' || landed.some((one) => numbers.includes(one.pull))
  return isLanded ? null : `it stands on ${on}, which has not landed`
}

function doCollide(picture: RadarPicture | undefined, a: number, b: number): boolean {
  if (!picture?.meetings) return false
  const idOf = (number: number) => picture.branches.find(({ pull }) => pull === number)?.id
  const [one, other] = [idOf(a), idOf(b)]
  return picture.meetings.some(
    ({ kind, a: x, b: y }) => kind === 'conflict' && ((x === one && y === other) || (x === other && y === one)),
  )
}
