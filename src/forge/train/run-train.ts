// Runs the train of a project with a local forge until there is nothing to do. One process at a time: others find it busy.
import { AoError, errorText } from '../../contract/errors.ts'
import type { MergeMethod } from '../../contract/forges.ts'
import { resolveRules } from '../../core/landing/resolve/rules.ts'
import { haltOf } from '../../core/landing/timing/halt.ts'
import type { TrainEventBody } from '../../core/landing/train-state.ts'
import { addsTheSame } from '../../landing/make-merge-commit.ts'
import type { TrainOutcome, TrainRide } from '../../landing/own-train.ts'
import { createResolver } from '../../landing/resolve/resolver.ts'
import { buildCars, cachedTree, createCarMemory, treeOf } from '../../landing/train/build-cars.ts'
import { explainConflict } from '../../landing/train/explain-conflict.ts'
import { learnSolution } from '../../landing/train/learn-solution.ts'
import { onlyTrain } from '../../landing/train/only-train.ts'
import { type ReportedCar, readCars, writeCars, writeWaiting } from '../../landing/train/ride-files.ts'
import { openSolutions } from '../../landing/train/solutions.ts'
import { type LandOutcome, stepTrain, type TrainPorts, type TrainRule } from '../../landing/train/step-train.ts'
import { openTrainFile, type TrainFile } from '../../landing/train/train-file.ts'
import { sleep } from '../../lib/clock.ts'
import { requireTrust } from '../create-forge.ts'
import { landCommit } from '../merge/merge-pull.ts'
import { settleMerge } from '../merge/settle-merge.ts'
import { verifyView } from '../merge/verify-view.ts'
import { changedChecksOf } from '../proof/changed-checks.ts'
import { writeProof } from '../proof/write-proof.ts'
import { editPull } from '../pulls/change-pull.ts'
import { observePull } from '../pulls/observe-pulls.ts'
import type { LocalForge } from '../types.ts'
import { boardingObstacle, openRules } from './boarding.ts'
import { type CarChecks, createCarChecks, sweepSlots } from './check-cars.ts'
import { isApproved, observeRiders } from './observe-riders.ts'
import { carSource, sweepCars } from './own-cars.ts'

export interface TrainOptions extends TrainRide {
  forge: LocalForge
  rule: TrainRule
  method: MergeMethod
}

/** Heads and the base branch are compared this often while checks run. */
const WATCH_MS = 500

export async function runTrain(options: TrainOptions): Promise<TrainOutcome> {
  const file = openTrainFile({ projectDir: options.projectDir, clock: { now: () => new Date() } })
  // A project whose train never had a rider needs no directory.
  const ports = createPorts(options, file)
  const ride = async () => {
    await sweepSlots(options.forge, file.directory)
    return drive(options, ports)
  }
  return (await onlyTrain(options.projectDir, ride)) ?? { kind: 'busy' }
}

async function drive({ rule, signal }: TrainOptions, { ports, checks, trouble }: Ports): Promise<TrainOutcome> {
  try {
    while (!signal.aborted) {
      const outcome = await stepTrain(ports, rule)
      if (outcome.kind === 'idle') return { kind: 'done' }
      if (outcome.kind === 'blocked') return outcome
      // The next round tries again; without a pause it would try all the time.
      if (trouble.why !== null) return { kind: 'blocked', why: trouble.why }
      if (outcome.kind === 'waiting') await Promise.race([checks.changed(), sleep(WATCH_MS)])
    }
    return { kind: 'done' }
  } finally {
    await checks.stop()
  }
}

interface Ports {
  ports: TrainPorts
  checks: CarChecks
  /** Why checks could not run: a full disk, a commit that cannot be checked out. */
  trouble: { why: string | null }
}

function createPorts(options: TrainOptions, file: TrainFile): Ports {
  const { forge, method, rule, say } = options
  const memory = createCarMemory()
  const { directory } = file
  const solutions = openSolutions(directory)
  const { project, context } = forge
  const resolver = createResolver(resolveRules(project.landing?.resolve ?? []), {
    project,
    env: context.env,
    directory,
    signal: options.signal,
    requireTrust: () => requireTrust(forge),
  })
  const source = carSource(forge, { solutions, resolver })
  const trouble: Ports['trouble'] = { why: null }
  const onTrouble = (why: string) => {
    trouble.why = why
  }
  const checks = createCarChecks(forge, { directory, batch: rule.batch, onTrouble })
  const ports: TrainPorts = {
    read: file.read,
    now: () => Date.now(),
    async append(event) {
      // Before the event: a process that dies in between finds the merge, and comes here again.
      if (event.type === 'landed') await prove(options, file, event)
      if (event.type === 'left' && event.onto) await options.offer?.(event.pull, event.onto.commit)
      if (event.type === 'boarded')
        await learnSolution(forge.repository(), solutions, { state: file.read(), event, say })
      await file.append(event)
      options.onEvent?.(event)
      if (event.type === 'left' || event.type === 'landed') await sweepCars(forge, file)
      if (event.type === 'left' && event.why !== 'moved')
        say(`the train: #${event.pull} leaves (${event.why}${event.said === undefined ? '' : `: ${event.said}`})`)
      if (event.type === 'landed') say(`the train: #${event.pull} landed as ${event.commit.slice(0, 10)}`)
      if (event.type === 'stopped') say(`the train stops: the base branch fails ${event.check}`)
    },
    observe: (state) => observeRiders(options, state),
    async build(base, order, batch) {
      const train = await buildCars(source, memory, { base, order, batch, method })
      for (const { tree, headSha } of train.cars)
        if (tree === (await cachedTree(forge, memory, headSha))) checks.learn(tree, headSha)
      const marked = train.cars.map(async (car): Promise<ReportedCar> => {
        return { ...car, changedChecks: await changedChecksOf(forge, { head: car.headSha, base }) }
      })
      writeCars(directory, await Promise.all(marked))
      return train
    },
    built: () => readCars(directory),
    explain: (event) => explainSafely(options, file, event),
    report: (waiting) => writeWaiting(directory, waiting),
    resultOf: checks.resultOf,
    test(wanted, keep) {
      checks.keepOnly(keep)
      for (const one of wanted.slice(0, checks.room())) checks.start(one)
    },
    isSameChange(base, { headSha }, below) {
      const start = file.read().landed.findLast(({ pull }) => pull === below)?.headSha
      return start === undefined
        ? Promise.resolve(false)
        : addsTheSame(forge.repository(), { start, head: headSha, base })
    },
    async retarget(pull) {
      try {
        await editPull(forge, pull, { base: forge.project.defaultBranch })
        return null
      } catch (error) {
        if (error instanceof AoError && error.code === 'SCM_FAILED') return errorText(error)
        throw error
      }
    },
    land: (base, car, attempt) => land(options, { base, car, attempt, checks, file }),
  }
  return { ports, checks, trouble }
}

/** Its agent is asked in any case. */
async function explainSafely(
  { forge, say }: TrainOptions,
  file: TrainFile,
  event: TrainEventBody,
): Promise<TrainEventBody> {
  try {
    return await explainConflict(
      { repository: forge.repository(), projectId: forge.project.id, state: file.read() },
      event,
    )
  } catch (error) {
    say(`the train: with whom a pull request conflicts could not be found out: ${errorText(error)}`)
    return event
  }
}

/** A missing note is reported by `ao verify`; the landing stands. */
async function prove(
  { forge, originOf = () => null, say }: TrainOptions,
  { directory, read }: Pick<TrainFile, 'directory' | 'read'>,
  { pull, headSha, commit }: Extract<TrainEventBody, { type: 'landed' }>,
): Promise<void> {
  // Merged in a way that left no commit of its own: there is nothing to put a note on.
  if (forge.pulls.read(pull)?.mergeCommit !== commit) return
  try {
    const flaky = read().riders.find((rider) => rider.pull === pull)?.flaky
    const problem = await writeProof(forge, { directory, pull, headSha, commit, flaky, originOf })
    if (problem !== null) say(`the train: the proof of #${pull} is not signed: ${problem}`)
  } catch (error) {
    say(`the train: #${pull} landed without a proof: ${errorText(error)}`)
  }
}

interface Landing {
  base: string
  car: { pull: number; headSha: string; commit: string; tree: string }
  attempt: number
  checks: CarChecks
  file: TrainFile
}

/** Everything is checked again under the lock of the pull request: the base branch never moves to an untested tree. */
async function land(options: TrainOptions, { base, car, attempt, checks, file }: Landing): Promise<LandOutcome> {
  const { forge, method } = options
  const tree = await treeOf(forge, car.commit)
  if (tree !== car.tree || checks.resultOf(tree, attempt)?.state !== 'passed') return { kind: 'moved' }
  try {
    return await forge.pulls.change(car.pull, async (found, append): Promise<LandOutcome> => {
      const pull = await settleMerge(forge, found, append)
      const view = await observePull(forge, pull)
      const state = file.read()
      const { riders } = state
      const rider = riders.find((one) => one.pull === car.pull && one.headSha === car.headSha)
      if (view.state !== 'open' || view.headSha !== car.headSha || view.baseSha !== base) return { kind: 'moved' }
      if (haltOf(state, options.rule.freeze ?? [], Date.now()) || rider === undefined) return { kind: 'moved' }
      // Another branch can be at the same commit, and a review can come at this very moment.
      const mayRide = isApproved(view, rider) || rider.by !== 'ao' || rider.first === true
      if (!mayRide || (boardingObstacle(forge, view) ?? options.held?.(view.pr) ?? null) !== null)
        return { kind: 'moved' }
      await verifyView(forge, view)
      const open = openRules(forge, view)
      if (open.length > 0) return { kind: 'blocked', why: `#${car.pull} waits for ${open.join(', ')} on its head` }
      const result = await landCommit(forge, view, { commit: car.commit, method, append })
      if (result === null) return { kind: 'moved' }
      for (const warning of result.warnings) options.say(`#${car.pull}: ${warning}`)
      return { kind: 'landed', commit: result.commit }
    })
  } catch (error) {
    if (error instanceof AoError && error.code === 'CHECKOUT_DIRTY') return { kind: 'blocked', why: errorText(error) }
    throw error
  }
}
