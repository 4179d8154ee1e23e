// Cars on a forge elsewhere: each is pushed to a branch of its own, `ao/train/{n}`, so that the forge's CI runs on it, and the
// results are read back for exactly that commit. They belong to the tree: a tree is tested once.
import { AoError } from '../../contract/errors.ts'
import type { Check, Pull } from '../../contract/pull.ts'
import type { Train, TreeResult } from '../../core/landing/decide-train.ts'
import { judgeChecks, requiredChecks } from '../../core/landing/judge-checks.ts'
import { attemptOf } from '../../core/landing/train-state.ts'
import { gitOn } from '../../git/repository.ts'
import { failpoint } from '../../lib/failpoint.ts'
import type { HostedTrain } from './hosted-train.ts'
import { type CarRun, findRun } from './ledger.ts'
import { pushBranch, readRemote, TRAIN_BRANCHES } from './remote-branches.ts'

const LOG_CHARACTERS = 16 * 1024
/** A check that is required and that the forge has not started for this long will not come. */
const MISSING_MS = 15 * 60_000

/** Of the forge's CI and of ao's own gates together. */
export function resultOf({ ledger, gates }: HostedTrain, tree: string, attempt: number): TreeResult | null {
  const run = findRun(ledger.read(), tree, attempt)
  if (run === undefined) return null
  if (run.result?.state === 'failed') return { state: 'failed', check: run.result.check }
  const ofGates = gates?.onCars(attempt)
  const own = ofGates ? ofGates.resultOf(tree) : PASSED
  if (own?.state === 'failed') return own
  return run.result?.state === 'passed' && own?.state === 'passed' ? PASSED : { state: 'running' }
}

const PASSED: TreeResult = { state: 'passed' }

/** Runs the gates of the first car that has none yet. false: nothing is left to run. */
export async function runGates(train: HostedTrain, { cars }: Pick<Train, 'cars'>): Promise<boolean> {
  const { gates, ledger, file, signal, say } = train
  for (const { commit, tree, pull } of cars) {
    const attempt = attemptOf(file.read(), tree)
    const ofGates = gates?.onCars(attempt)
    const run = findRun(ledger.read(), tree, attempt)
    if (!ofGates || run === undefined || run.result?.state === 'failed' || ofGates.resultOf(tree) !== null) continue
    say(`the train: the gates run on the car of #${pull}, ${commit.slice(0, 10)}`)
    await ofGates.run({ commit, tree, signal })
    // Interrupted, or another process is at it: the next ride continues.
    return ofGates.resultOf(tree) !== null
  }
  return false
}

/** What the forge says now about the runs that have not ended. Returns what a person has to see to. */
export async function readRuns(train: HostedTrain): Promise<string[]> {
  const problems: string[] = []
  for (const run of train.ledger.read().runs.filter(({ result }) => result === null)) {
    if (!run.pushed) await push(train, run)
    const problem = await readRun(train, run)
    if (problem !== null) problems.push(problem)
  }
  return problems
}

async function readRun(train: HostedTrain, run: CarRun): Promise<string | null> {
  const { scm, project, clock } = train
  const checks = await scm.readChecks(run.commit, project)
  const { state, check, missing } = judgeChecks(checks, run.required, { only: isNamed(train) })
  if (state === 'passed') settle(train, run, { state: 'passed' })
  if (state === 'failed' && check !== null)
    settle(train, run, { state: 'failed', check, log: await readLog(train, run, checks, check) })
  const waited = clock.now().getTime() - Date.parse(run.at)
  if (state !== 'running' || missing.length === 0 || waited < MISSING_MS) return null
  return `${run.branch} waits for ${missing.join(', ')}, which the forge has not started in ${Math.floor(waited / 60_000)} min. Let CI run on pushes to ${TRAIN_BRANCHES}**, or name the checks that count in landing.checks`
}

/** The configuration says which checks count. */
function isNamed({ project }: HostedTrain): boolean {
  return (project.landing?.checks ?? []).length > 0
}

/** The agent gets the message without it: it can run the check itself. */
async function readLog(
  { scm, project, say }: HostedTrain,
  run: CarRun,
  checks: Check[],
  name: string,
): Promise<string> {
  const failed = checks.find((check) => check.name === name && check.status === 'failed')
  if (failed === undefined) return ''
  try {
    return (await scm.landing.readLog(run.commit, failed, project)).slice(-LOG_CHARACTERS)
  } catch (error) {
    say(`the train: the log of ${name} on ${run.branch} could not be read: ${(error as Error).message}`)
    return ''
  }
}

function settle({ ledger }: HostedTrain, run: CarRun, result: CarRun['result']): void {
  replace(ledger, { ...run, result })
}

function replace(ledger: HostedTrain['ledger'], run: CarRun): void {
  const others = ledger.read().runs.filter((one) => one.tree !== run.tree || one.attempt !== run.attempt)
  ledger.change({ runs: [...others, run] })
}

interface Wanted {
  commit: string
  tree: string
  attempt: number
}

/** Starts what is not running yet, and no longer waits for what nobody wants. */
export async function testCars(
  train: HostedTrain,
  { built, snapshots }: { built: Train; snapshots: ReadonlyMap<number, Pull> },
  { wanted, keep }: { wanted: readonly Wanted[]; keep: ReadonlySet<string> },
): Promise<void> {
  const { ledger, rule } = train
  const { runs } = ledger.read()
  const kept = runs.filter(({ result, tree }) => result !== null || keep.has(tree))
  if (kept.length < runs.length) ledger.change({ runs: kept })
  const room = rule.batch - kept.filter(({ result }) => result === null).length
  for (const one of wanted.slice(0, Math.max(0, room))) await start(train, one, { built, snapshots })
}

async function start(
  train: HostedTrain,
  { commit, tree, attempt }: Wanted,
  { built, snapshots }: { built: Train; snapshots: ReadonlyMap<number, Pull> },
): Promise<void> {
  const { project, ledger, clock } = train
  const car = built.cars.find((one) => one.tree === tree)
  const judged = car ? [car] : built.cars
  const required = judged.flatMap(({ pull }) =>
    requiredChecks(snapshots.get(pull)?.checks ?? [], project.landing?.checks),
  )
  if (required.length === 0 && car && repairs(train, car.pull)) required.push(...(await checksAt(train, built.base)))
  const run: CarRun = {
    tree,
    attempt,
    commit: attempt === 1 ? commit : await again(train, commit, attempt),
    branch: `${TRAIN_BRANCHES}${car?.pull ?? 'base'}`,
    required: [...new Set(required)],
    at: clock.now().toISOString(),
    pushed: false,
    result: null,
  }
  // Without CI there is nothing to test, and what is approved lands in order.
  if (run.required.length === 0) return replace(ledger, { ...run, pushed: true, result: { state: 'passed' } })
  await push(train, run)
}

/** Opened a moment ago: what has to pass is what runs on the base branch. */
async function checksAt({ scm, project }: HostedTrain, base: string): Promise<string[]> {
  return (await scm.readChecks(base, project)).map(({ name }) => name)
}

function repairs({ file }: HostedTrain, pull: number): boolean {
  return file.read().riders.some((rider) => rider.pull === pull && rider.first === true)
}

/** A commit of its own with the same tree: forges remember results by commit. */
async function again({ remote }: HostedTrain, commit: string, attempt: number): Promise<string> {
  const { repository } = remote
  const format = '--format=%T%n%P%n%an%n%ae%n%cn%n%ce%n%ct'
  const [tree = '', parents = '', name = '', email = '', committer = '', committerEmail = '', seconds = '0'] = (
    await gitOn(repository, ['log', '-1', format, commit], { read: true })
  ).split('\n')
  const date = `${seconds} +0000`
  const args = [
    'commit-tree',
    tree,
    ...parents
      .split(' ')
      .filter(Boolean)
      .flatMap((one) => ['-p', one]),
    '-F',
    '-',
  ]
  const made = await gitOn(repository, args, {
    input: `Run ${attempt} of ${commit}\n`,
    extraEnv: {
      GIT_AUTHOR_NAME: name,
      GIT_AUTHOR_EMAIL: email,
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_NAME: committer,
      GIT_COMMITTER_EMAIL: committerEmail,
      GIT_COMMITTER_DATE: date,
    },
  })
  return made.trim()
}

/** Announced first. Done again it is the same: the branch may have any commit that the train put there. */
async function push(train: HostedTrain, run: CarRun): Promise<void> {
  const { ledger, remote, project } = train
  const { branch, commit } = run
  const { branches } = ledger.read()
  const own = new Set([...(branches[branch] ?? []), commit])
  ledger.change({ branches: { ...branches, [branch]: [...own] } })
  replace(ledger, { ...run, pushed: false })
  failpoint('train.car.announced')
  const expected = (await readRemote(remote, project.defaultBranch)).train.get(branch) ?? null
  if (expected !== null && !own.has(expected)) throw foreign(branch)
  const outcome =
    expected === commit ? { kind: 'done' as const } : await pushBranch(remote, branch, { to: commit, expected })
  if (outcome.kind === 'moved') throw foreign(branch)
  if (outcome.kind === 'refused') {
    throw new AoError('SCM_FAILED', `The forge does not take the branch ${branch}: ${outcome.why}`, {
      hint: `Allow the token to push branches below ${TRAIN_BRANCHES}`,
    })
  }
  failpoint('train.car.pushed')
  replace(ledger, { ...run, pushed: true })
}

function foreign(branch: string): AoError {
  return new AoError('SCM_FAILED', `The branch ${branch} on the forge has commits that this train did not push`, {
    hint: `If no other ao runs a train there, remove it: git push origin :refs/heads/${branch}`,
    details: { branch },
  })
}

/** Branches whose run is over are removed, if they still are what the train made of them. */
export async function sweepBranches(train: HostedTrain): Promise<void> {
  const { ledger, remote, project, say } = train
  const { branches, runs } = ledger.read()
  const wanted = new Set(runs.filter(({ result }) => result === null).map(({ branch }) => branch))
  const over = Object.keys(branches).filter((branch) => !wanted.has(branch))
  if (over.length === 0) return
  const { train: there } = await readRemote(remote, project.defaultBranch)
  for (const branch of over) {
    const tip = there.get(branch) ?? null
    const isOurs = tip !== null && branches[branch]!.includes(tip)
    if (isOurs) {
      const removed = await pushBranch(remote, branch, { to: null, expected: tip })
      // The next sweep tries again.
      if (removed.kind !== 'done') continue
      failpoint('train.branch.removed')
    } else if (tip !== null) say(`the train leaves the branch ${branch} alone: it has been pushed to`)
    const { [branch]: _, ...rest } = ledger.read().branches
    ledger.change({ branches: rest })
  }
}
