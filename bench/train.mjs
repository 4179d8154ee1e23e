// The train against merging one by one, on the same 40 scripted pull requests: 3 guilty ones, 6 that conflict. The train's
// own code in the world of its simulation; time is counted in runs of the checks, which is what takes time.
import { stepTrain } from '../src/landing/train/step-train.ts'
import { createWorld, isGreen, startProcess } from '../src/rehearsal/train-world.ts'

const PULLS = 40
/** Runs of the checks until an agent has repaired its pull request and it is approved and green again. */
const REPAIR = 3

export async function run() {
  console.log(`train: ${PULLS} pull requests, 3 guilty, 6 in conflict; time in runs of the checks`)
  const single = await oneByOne(true)
  report('one by one, each tested on the base branch', single)
  report('one by one, tested only by itself', await oneByOne(false))
  for (const batch of [4, 8]) report(`train, batch ${batch}`, await train(batch), single, batch === 4 ? 3 : undefined)
}

function report(what, { rounds, reds, landed }, against, aim) {
  const rate = landed / rounds
  const ratio = against ? rate / (against.landed / against.rounds) : null
  const compared =
    ratio === null ? '' : `  ${ratio.toFixed(2)} ×${aim ? `  aim ≥ ${aim}${ratio >= aim ? '' : '  MISSED'}` : ''}`
  console.log(
    `  ${what.padEnd(44)} ${String(rounds).padStart(4)} runs, ${landed} landed, base red ${reds} times${compared}`,
  )
}

const headOf = ({ number, version }) => `h${number}.${version}`

function createPulls() {
  return Array.from({ length: PULLS }, (_, index) => ({
    number: index + 1,
    version: 1,
    // Alone, with an earlier one, and with another.
    bad: index === 9,
    badWith: index === 19 ? 5 : index === 31 ? 30 : null,
    conflictsWith: [6, 12, 18, 24, 30, 36].includes(index) ? index : null,
    landed: false,
    labels: [],
  }))
}

/** Agents repair what left or conflicts, while everything else goes on. */
function createAgents(world) {
  const busy = new Map()
  return {
    pass() {
      for (const [pull, rounds] of busy) {
        if (rounds > 1) busy.set(pull, rounds - 1)
        else {
          busy.delete(pull)
          Object.assign(pull, { version: pull.version + 1, bad: false, badWith: null, conflictsWith: null })
          // What it was red with is repaired on its side.
          for (const other of world.pulls.values()) if (other.badWith === pull.number) other.badWith = null
        }
      }
    },
    ask(pull) {
      if (!busy.has(pull)) busy.set(pull, REPAIR)
    },
    conflicts: () =>
      [...world.pulls.values()].filter((pull) => !pull.landed && world.pulls.get(pull.conflictsWith)?.landed),
  }
}

async function train(batch) {
  const world = createWorld(() => 1, createPulls())
  const agents = createAgents(world)
  const process = startProcess(world, () => false)
  let rounds = 0
  let reds = 0
  let base = world.disk.base
  while ([...world.pulls.values()].some(({ landed }) => !landed) && rounds < 1_000) {
    const { kind } = await stepTrain(process.ports, { batch, order: 'safe', priority: [] })
    if (world.disk.base !== base && !isGreen(world, world.disk.base)) reds += 1
    base = world.disk.base
    if (kind === 'again') continue
    rounds += 1
    for (const { pull, headSha, why } of world.disk.state.left) {
      const left = world.pulls.get(pull)
      if (why === 'red' && !left.landed && headSha === headOf(left)) agents.ask(left)
    }
    for (const pull of agents.conflicts()) agents.ask(pull)
    agents.pass()
    process.finishChecks()
  }
  return { rounds, reds, landed: [...world.pulls.values()].filter(({ landed }) => landed).length }
}

/** The next one that merges is tested on the base branch, or was tested by itself before, and merged. */
async function oneByOne(retested) {
  const world = createWorld(() => 1, createPulls())
  const agents = createAgents(world)
  const queue = [...world.pulls.values()]
  let rounds = 0
  let reds = 0
  while (queue.length > 0) {
    const conflicting = new Set(agents.conflicts())
    const next = queue.findIndex((pull) => !conflicting.has(pull) && !pull.waits)
    for (const pull of conflicting) agents.ask(pull)
    rounds += 1
    agents.pass()
    for (const pull of queue) if (pull.waits && pull.version > pull.waits) pull.waits = 0
    if (next === -1) continue
    const [pull] = queue.splice(next, 1)
    const content = [...world.disk.base, headOf(pull)]
    const isFine = isGreen(world, retested ? content : ['start', headOf(pull)])
    if (!isFine) {
      // Its second chance, then it waits for its agent.
      rounds += 1
      agents.ask(pull)
      queue.push(Object.assign(pull, { waits: pull.version }))
      continue
    }
    world.disk.base = content
    pull.landed = true
    if (!isGreen(world, content)) {
      reds += 1
      agents.ask(pull)
      agents.pass()
    }
  }
  return { rounds, reds, landed: PULLS }
}
