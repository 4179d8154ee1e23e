// npm run torture -- partition: a train on a forge elsewhere, which is cut off, answers late, loses its answers after it has acted or
// refuses, while its git side is gone or a person pushes. Every ride is a new process in all that it remembers. Whatever happens,
// the base branch has only trees that the forge's CI has passed, everything good lands once, and no branch of the train is left.
import { renameSync } from 'node:fs'
import type { HostedWorld } from '../test/forges/git-remote.ts'
import { githubScmWorld } from '../test/forges/github-world.ts'
import { type Fault, type Forge, startForge } from '../test/forges/start-forge.ts'
import { createRide, type Ride } from '../test/landing/hosted-ride.ts'
import { git } from '../test/support/git-repo.ts'
import { type Campaign, campaign, triesOr } from './campaign.ts'

const PULLS = 4
const RIDES = 14
const HEALING_MS = 90_000

campaign('partitioned train', async (one) => {
  const forge = await startForge('github-server.mjs')
  one.afterwards(() => forge.stop())
  for (let world = 0; world * RIDES < triesOr(84); world++) {
    await live(one, forge, world)
    one.judged()
  }
})

async function live(one: Campaign, forge: Forge, n: number): Promise<void> {
  const world = await githubScmWorld(forge)
  const { random } = one
  try {
    const train = await createRide(world, n % 2 === 0 ? 'merge' : 'squash')
    const passed = new Set<string>()
    const bad = new Set<number>()
    const opened: number[] = []
    for (let pull = 0; pull < PULLS; pull++) {
      const number = await train.open(`file-${n}-${pull}.txt`)
      opened.push(number)
      if (random.chance(0.2)) bad.add(number)
    }
    for (let round = 0; round < RIDES; round++) {
      await checkCars(world, train, { passed, bad })
      const heal = await cutOff(one, forge, world)
      one.tried('rides')
      await train.ride().then(
        () => one.noted('rides that ended well'),
        () => one.noted('rides that failed'),
      )
      await heal()
      if (random.chance(0.15)) {
        one.noted('pushes to main')
        await world.pushToBase('people.txt', `${n} ${round}\n`)
      }
    }
    const until = performance.now() + HEALING_MS
    const good = opened.filter((number) => !bad.has(number))
    while (performance.now() < until && !(await isAtRest(train, good))) await checkCars(world, train, { passed, bad })
    await inspect(one, world, train, { passed, bad, opened, where: `world ${n}` })
  } finally {
    await world.cleanup()
  }
}

/** Everything good has landed and nothing is left to tidy. A ride that fails is tried again: the plugin pauses after refusals. */
async function isAtRest(train: Ride, good: readonly number[]): Promise<boolean> {
  try {
    await train.ride()
    const states = await Promise.all(good.map((number) => train.stateOf(number)))
    const isLanded = states.every((state) => state === 'merged') && train.train().riders.length === 0
    return isLanded && train.branches().length === 0
  } catch {
    await new Promise((resolve) => setTimeout(resolve, 500))
    return false
  }
}

interface Known {
  passed: Set<string>
  bad: ReadonlySet<number>
}

/** The forge's CI: a car is red when a bad one is in it. */
async function checkCars(world: HostedWorld, train: Ride, { passed, bad }: Known): Promise<void> {
  for (const branch of train.branches()) {
    const names = git(world.remote.bare, world.env, 'ls-tree', '-r', '--name-only', `ao/train/${branch}`)
    const isBad = [...bad].some((number) => names.includes(fileOf(world, number)))
    if (!isBad) passed.add(train.treeOf(`ao/train/${branch}`))
    await world.check(`ao/train/${branch}`, 'unit', isBad ? 'failed' : 'passed')
  }
}

function fileOf({ remote, env }: HostedWorld, number: number): string {
  return git(remote.bare, env, 'for-each-ref', '--format=%(refname:lstrip=3)', 'refs/heads/feat').split('\n')[
    number - 1
  ]!
}

/** Returns how to heal it. */
async function cutOff(one: Campaign, forge: Forge, { remote }: HostedWorld): Promise<() => Promise<void>> {
  const { random, noted } = one
  const kind = random.pick(['api', 'lost answers', 'refusals', 'git', 'both'] as const)
  noted(`cuts: ${kind}`)
  const match = random.pick(['.', 'POST', 'PUT', 'graphql', 'check-runs'])
  const times = 1 + random.below(6)
  const faults: Record<string, Fault[]> = {
    api: [{ match, times, drop: true }],
    'lost answers': [{ match: 'PUT|POST', times, drop: true, apply: true }],
    refusals: [{ match, times, status: random.pick([500, 502, 503]) }],
    both: [{ match, times, drop: true }],
  }
  if (faults[kind]) await forge.faults(...faults[kind])
  const isGitGone = kind === 'git' || kind === 'both'
  if (isGitGone) renameSync(remote.bare, `${remote.bare}.away`)
  return async () => {
    if (isGitGone) renameSync(`${remote.bare}.away`, remote.bare)
    await forge.clear()
  }
}

async function inspect(
  one: Campaign,
  { remote, env }: HostedWorld,
  train: Ride,
  { passed, bad, opened, where }: Known & { opened: number[]; where: string },
): Promise<void> {
  const { landed, riders } = train.train()
  for (const { pull } of riders) one.broken(`${where}: #${pull} is still aboard`)
  for (const branch of train.branches()) one.broken(`${where}: the branch ao/train/${branch} is left`)
  for (const number of opened) {
    const state = await train.stateOf(number)
    if (state !== (bad.has(number) ? 'open' : 'merged')) one.broken(`${where}: #${number} is ${state}`)
  }
  for (const { pull, commit, untested } of landed) {
    const tree = git(remote.bare, env, 'rev-parse', `${commit}^{tree}`)
    if (!passed.has(tree) && untested === undefined)
      one.broken(`${where}: #${pull} landed as ${commit}, which was never green`)
  }
  const counts = Map.groupBy(landed, ({ pull }) => pull)
  for (const [pull, list] of counts) if (list.length > 1) one.broken(`${where}: #${pull} landed ${list.length} times`)
}
