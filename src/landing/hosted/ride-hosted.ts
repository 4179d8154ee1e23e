// One ride of a train on a forge elsewhere: it goes as far as it can without waiting. The forge's CI takes its time; the next
// round of the loop, or a webhook, brings the next ride. Everything in between is on disk.
import { errorText } from '../../contract/errors.ts'
import type { Pull } from '../../contract/pull.ts'
import type { Car, Train } from '../../core/landing/decide-train.ts'
import { tryGitOn } from '../../git/repository.ts'
import type { LandingRules } from '../../slots/scm.ts'
import { readChangedChecks } from '../checks/read-changed-checks.ts'
import { addsTheSame } from '../make-merge-commit.ts'
import type { TrainOutcome } from '../own-train.ts'
import { buildCars, type CarSource, createCarMemory } from '../train/build-cars.ts'
import { learnSolution } from '../train/learn-solution.ts'
import { onlyTrain } from '../train/only-train.ts'
import { readCars, writeCars, writeWaiting } from '../train/ride-files.ts'
import { openSolutions } from '../train/solutions.ts'
import { stepTrain, type TrainPorts } from '../train/step-train.ts'
import { openTrainFile } from '../train/train-file.ts'
import { boardForgeQueue } from './board-queue.ts'
import type { HostedMemory, HostedOptions, HostedTrain } from './hosted-train.ts'
import { landHosted, pushesCars } from './land-car.ts'
import { openLedger } from './ledger.ts'
import { noteEvent } from './note-event.ts'
import { observeHosted } from './observe-hosted.ts'
import { proveHosted } from './prove-hosted.ts'
import { readRemote, whyNoPush } from './remote-branches.ts'
import { readRuns, resultOf, runGates, sweepBranches, testCars } from './test-cars.ts'

export function createHostedMemory(): HostedMemory {
  return { cars: createCarMemory(), rules: null, changedChecks: new Map() }
}

const FORGE_QUEUE: LandingRules = { hasQueue: true, isProtected: true, obstacles: [] }
/** More than any honest ride has. */
const MOST_STEPS = 100
const RULES_MS = 10 * 60_000

export async function rideHosted(options: HostedOptions, memory: HostedMemory): Promise<TrainOutcome> {
  const { projectDir, clock, candidates } = options
  const file = openTrainFile({ projectDir, clock })
  const ledger = openLedger(projectDir)
  const { branches } = ledger.read()
  // Nobody is aboard, nobody wants to be, and nothing is to be tidied: the forge is not asked.
  if (file.read().riders.length === 0 && candidates().length === 0 && Object.keys(branches).length === 0)
    return { kind: 'done' }
  const ride = async (): Promise<TrainOutcome> => {
    if (options.onlyFollow) return boardForgeQueue({ ...options, file, ledger, rules: FORGE_QUEUE, memory })
    const rules = await rulesOf(options, memory)
    const isBlocked = rules.obstacles.length > 0
    // Then nobody is asked by this train, and each hears of its conflict by itself.
    if ((isBlocked || rules.hasQueue) && ledger.read().line !== undefined) ledger.change({ line: undefined })
    if (isBlocked) return { kind: 'blocked', why: rules.obstacles.join('; ') }
    const train: HostedTrain = { ...options, file, ledger, rules, memory }
    return rules.hasQueue ? boardForgeQueue(train) : drive(train)
  }
  return (await onlyTrain(projectDir, ride)) ?? { kind: 'busy' }
}

/** What the forge and git allow, asked before the first car. */
export async function examineHosted({
  project,
  scm,
  method,
  remote,
}: Pick<HostedOptions, 'project' | 'scm' | 'method' | 'remote'>): Promise<LandingRules> {
  const rules = await scm.landing.readRules(project, method)
  const { base } = await readRemote(remote, project.defaultBranch)
  if (base === null) return withObstacle(rules, `${remote.name} has no branch ${project.defaultBranch}`)
  if (rules.hasQueue) return rules
  const why = await whyNoPush(remote, base)
  return why === null ? rules : withObstacle(rules, `git may not push to ${remote.name}: ${why}`)
}

function withObstacle(rules: LandingRules, obstacle: string): LandingRules {
  return { ...rules, obstacles: [...rules.obstacles, obstacle] }
}

async function rulesOf(options: HostedOptions, memory: HostedMemory): Promise<LandingRules> {
  const now = options.clock.now().getTime()
  if (memory.rules && memory.rules.until > now) return memory.rules.value
  const value = await examineHosted(options)
  // A person who has just allowed something need not wait.
  memory.rules = value.obstacles.length > 0 ? null : { value, until: now + RULES_MS }
  return value
}

async function drive(train: HostedTrain): Promise<TrainOutcome> {
  const problems = await readRuns(train)
  const { ports, built } = createPorts(train)
  for (let step = 0; step < MOST_STEPS && !train.signal.aborted; step++) {
    const outcome = await stepTrain(ports, train.rule)
    if (outcome.kind === 'again') continue
    // Heads and base branch may have moved meanwhile: everything is read again after each.
    if (outcome.kind === 'waiting' && (await runGates(train, built()))) continue
    await sweepBranches(train)
    if (outcome.kind === 'blocked') return outcome
    return problems.length > 0 ? { kind: 'blocked', why: problems.join('; ') } : { kind: 'done' }
  }
  return { kind: 'done' }
}

function createPorts(train: HostedTrain): { ports: TrainPorts; built(): Pick<Train, 'cars'> } {
  const { file, memory, method, remote } = train
  const repository = () => remote.repository
  const solutions = openSolutions(file.directory)
  let built: Train | null = null
  let snapshots: ReadonlyMap<number, Pull> = new Map()
  const source: CarSource = {
    projectId: train.project.id,
    repository,
    pullOf: (number) => toMerged(snapshots.get(number)),
    // The forge's own merge would not know how a conflict was solved.
    solutions: pushesCars(train) ? solutions : null,
    resolver: null,
    // A squash or rebase by the forge is another commit than the car; whoever built on that would conflict with it.
    mayBuildOn: method === 'merge',
  }
  const ports: TrainPorts = {
    read: file.read,
    now: () => train.clock.now().getTime(),
    built: () => readCars(file.directory),
    report: (waiting) => writeWaiting(file.directory, waiting),
    async append(event) {
      if (event.type === 'left' && event.onto) await train.offer?.(event.pull, event.onto.commit)
      if (event.type === 'boarded')
        await learnSolution(remote.repository, solutions, { state: file.read(), event, say: train.say })
      // Before the event: a process that dies in between finds the merge, and comes here again.
      if (event.type === 'landed') {
        const car = built?.cars.find(({ pull }) => pull === event.pull)
        const changedChecks = car && built ? await changedChecksOf(train, built.base, car) : []
        await proveHosted(train, event, { snapshot: snapshots.get(event.pull), changedChecks })
      }
      await noteEvent(train, event)
    },
    async observe(state) {
      const view = await observeHosted(train, state)
      if (view) snapshots = view.snapshots
      // A base that could not be fetched says nothing: whoever waits in line waits on.
      if (view)
        noteLine(
          train,
          view.pulls.map(({ number }) => number),
        )
      return view
    },
    async build(base, order, batch) {
      built = await buildCars(source, memory.cars, { base, order, batch, method })
      const marked = built.cars.map(async (car) => ({ ...car, changedChecks: await changedChecksOf(train, base, car) }))
      writeCars(file.directory, await Promise.all(marked))
      return built
    },
    resultOf: (tree, attempt) => resultOf(train, tree, attempt),
    async test(wanted, keep) {
      if (built) await testCars(train, { built, snapshots }, { wanted, keep })
    },
    isSameChange(base, { headSha }, below) {
      const start = file.read().landed.findLast(({ pull }) => pull === below)?.headSha
      if (start === undefined) return Promise.resolve(false)
      return addsTheSame(remote.repository, { start, head: headSha, base })
    },
    async retarget(pull) {
      const { scm, project } = train
      const pr = snapshots.get(pull)?.pr
      if (!scm.retargetPR || pr === undefined) return `the forge does not make it for ${project.defaultBranch}`
      try {
        await scm.retargetPR(pr, project.defaultBranch, project)
        return null
      } catch (error) {
        return errorText(error)
      }
    },
    land: (base, car, attempt) => landHosted(train, { base, car, attempt, snapshot: snapshots.get(car.pull) }),
  }
  return { ports, built: () => built ?? { cars: [] } }
}

function noteLine({ candidates, ledger }: HostedTrain, seen: readonly number[]): void {
  const wanted = candidates().flatMap(({ pr }) => pr?.number ?? [])
  const line = { unseen: wanted.filter((number) => !seen.includes(number)) }
  if (JSON.stringify(ledger.read().line) !== JSON.stringify(line)) ledger.change({ line })
}

/** For people only: without a common commit nothing is marked. */
async function changedChecksOf(
  { remote, project, memory }: HostedTrain,
  base: string,
  { headSha }: Car,
): Promise<string[]> {
  const cached = memory.changedChecks.get(`${headSha} ${base}`)
  if (cached) return cached
  const { repository } = remote
  const from = await tryGitOn(repository, ['merge-base', base, headSha], { read: true })
  const found = from.ok ? await readChangedChecks(project, { repository, from: from.stdout.trim(), to: headSha }) : []
  if (memory.changedChecks.size >= MOST_MARKS) memory.changedChecks.clear()
  memory.changedChecks.set(`${headSha} ${base}`, found)
  return found
}

const MOST_MARKS = 500

function toMerged(snapshot: Pull | undefined): ReturnType<CarSource['pullOf']> {
  if (snapshot === undefined) return null
  const { number, title = '', branch = '', baseBranch = '' } = snapshot.pr
  return { number, title, body: '', head: branch, base: baseBranch }
}
