// Lives of the train in a simulated world, which dies between any two writes, while people push and agents change their heads.
import { stepTrain, type TrainRule } from '../../src/landing/train/step-train.ts'
import {
  createWorld,
  DeathError,
  headOf,
  isGreen,
  isReviewRequested,
  newHead,
  rebase,
  type SimPull,
  startProcess,
  type World,
} from '../../src/rehearsal/train-world.ts'

export function seeded(seed: number): () => number {
  let state = seed * 2_654_435_769 + 1
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0
    return state / 2 ** 32
  }
}

export const RULE: TrainRule = { batch: 4, order: 'safe', priority: ['urgent'] }

export function createPulls(random: () => number, count: number): SimPull[] {
  return Array.from({ length: count }, (_, index) => {
    const number = index + 1
    const earlier = index === 0 ? null : 1 + Math.floor(random() * index)
    return {
      number,
      version: 1,
      bad: random() < 0.15,
      badWith: random() < 0.1 ? earlier : null,
      conflictsWith: random() < 0.15 ? earlier : null,
      landed: false,
      labels: random() < 0.1 ? ['urgent'] : [],
    }
  })
}

/** Until nothing is left to do. `chaos`: deaths, pushes and moved heads for this many steps. */
export async function live(world: World, rule: TrainRule, chaos: number): Promise<void> {
  const { random } = world
  let process = startProcess(world, () => chaos > 0 && random() < 0.08)
  for (let step = 0; step < 3_000; step++) {
    chaos -= 1
    try {
      if (chaos > 0 && random() < 0.05) world.disk.base = [...world.disk.base, `push${step}`]
      const moving = chaos > 0 && random() < 0.05 ? [...world.pulls.values()].find(({ landed }) => !landed) : undefined
      if (moving) newHead(moving)
      for (const pull of world.pulls.values()) if (isReviewRequested(world, pull) && random() < 0.3) rebase(world, pull)
      const removed = chaos > 0 && random() < 0.03 ? world.disk.state.riders[0] : undefined
      if (removed) await process.ports.append({ type: 'left', ...pick(removed), why: 'removed' })
      const { kind } = await stepTrain(process.ports, rule)
      if (kind === 'waiting') process.finishChecks()
      const isAnyAsked = [...world.pulls.values()].some((pull) => isReviewRequested(world, pull))
      if (kind === 'idle' && chaos <= 0 && !isAnyAsked) return
    } catch (error) {
      if (!(error instanceof DeathError)) throw error
      process = startProcess(world, () => chaos > 0 && random() < 0.08)
    }
  }
  throw new Error('the train never came to rest')
}

function pick({ pull, headSha }: { pull: number; headSha: string }): { pull: number; headSha: string } {
  return { pull, headSha }
}

/** Heads in the base branch that came along with another pull request: nobody let them land. */
function stowaways({ disk, pulls }: World): string[] {
  const landed = new Set(disk.state.landed.map(({ headSha }) => headSha))
  const heads = disk.base.filter((one) => /^h\d/.test(one))
  const last = [...pulls.values()].filter((pull) => pull.landed).map(headOf)
  return heads.filter((head) => !landed.has(head) && !last.includes(head))
}

/** What one life broke: nothing untested or red in the base branch, nobody lost, no tree tested twice. */
export async function troubleOf(seed: number): Promise<string[]> {
  const random = seeded(seed)
  const world = createWorld(random, createPulls(random, 4 + Math.floor(random() * 10)))
  await live(world, { ...RULE, order: seed % 3 === 0 ? 'fifo' : 'safe', batch: 1 + (seed % 5) }, 60)
  const { disk } = world
  const hasPassed = (tree: string) =>
    [...disk.results].some(([key, { state }]) => key.startsWith(`${tree} #`) && state === 'passed')
  return [
    ...disk.moved.filter((tree) => !hasPassed(tree)).map((tree) => `${tree} landed untested`),
    ...(isGreen(world, disk.base) ? [] : ['the base branch is red']),
    ...disk.repeated.map((tree) => `${tree} was tested twice`),
    ...stowaways(world).map((head) => `${head} landed with another one`),
    ...disk.state.riders.map(({ pull }) => `#${pull} is still aboard`),
    ...[...world.pulls.values()].flatMap((pull) => wrongEnd(world, pull)),
  ]
}

function wrongEnd({ pulls, disk }: World, pull: SimPull): string[] {
  const why = disk.state.left.find((one) => one.pull === pull.number)?.why
  const partners = [...pulls.values()].flatMap((one) => [one.badWith, one.conflictsWith])
  const isAlone = pull.badWith === null && pull.conflictsWith === null && !partners.includes(pull.number)
  if (why === 'removed') return []
  if (!pull.bad && isAlone && !pull.landed) return [`#${pull.number} is innocent and did not land (${why})`]
  const isGuilty = pull.bad && pull.conflictsWith === null
  return isGuilty && (pull.landed || why !== 'red') ? [`#${pull.number} is bad and ended as ${why ?? 'landed'}`] : []
}
