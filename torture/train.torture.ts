// npm run torture -- train: the train is killed at any moment, beside people who push to the base branch and agents who open
// more pull requests. Whatever happens, the base branch has only trees that passed, nothing twice, nothing lost.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openTrainFile } from '../src/landing/train/train-file.ts'
import { systemClock } from '../src/lib/clock.ts'
import { projectDirectory } from '../src/lib/process/own-home.ts'
import { createForgeWorld, type ForgeWorld } from '../test/contract/local-forge-world.ts'
import { testProgram } from '../test/support/test-program.ts'
import { type Campaign, campaign, learntBefore, triesOr } from './campaign.ts'
import { failpointsIn, MOST_MISSED, nextLongest, ON_THE_WAY } from './failpoints.ts'

/** A tree is noted when it has passed, and only then. */
const CHECK = 'sleep 0.05; if grep -qrs BAD .; then exit 1; fi; git rev-parse "HEAD^{tree}" >> "$HOME/passed"'
const OPTIONS = { ci: { commands: [{ name: 'test', run: CHECK }] } }
const POINTS = [...failpointsIn(['forge']), 'train.landed', 'train.left', 'train.rerun'].flatMap((name) => [
  name,
  `${name}:2`,
])
const MOST_ABOARD = 5
const KILLS_FOR_EACH = 2
const JUDGED_EVERY = 20
const LONGEST_MS = 800

interface Made {
  number: number
  file: string
  isBad: boolean
}

campaign('killed train', async (one) => {
  const world = createForgeWorld({ config: OPTIONS })
  one.afterwards(() => world.cleanup().then(() => []))
  const projectDir = projectDirectory(world.context, world.project.id)
  const train = openTrainFile({ projectDir, clock: systemClock })
  const made: Made[] = []
  // On a busy machine a ride takes longer until it comes to anything.
  made.push(await open(world, one, 1))
  const started = performance.now()
  if ((await ride(world, null)) !== 'done') one.broken('a ride that nobody kills does not end well')
  const longest = Math.max(LONGEST_MS, performance.now() - started)
  const { learnt, keep } = learntBefore<{ missed: Record<string, number>; lasts: number }>(one.name, {
    ...{ missed: {}, lasts: longest },
  })
  let [kill, sinceOpened] = [0, 0]
  while (kill < triesOr(200)) {
    const aboard = train.read().riders.length
    // Nobody is killed while it is opened, which takes longer than a ride.
    if (aboard === 0 || (aboard < MOST_ABOARD && sinceOpened >= KILLS_FOR_EACH)) {
      made.push(await open(world, one, made.length + 1))
      sinceOpened = 0
    }
    if (one.random.chance(0.1)) {
      one.noted('pushes to main')
      await world.pushToBase('people.md', `${kill}\n`)
    }
    // Those that rides do not come to are mostly left out after a while.
    const points = POINTS.filter((name) => (learnt.missed[name] ?? 0) < MOST_MISSED || one.random.chance(0.03))
    const point = one.random.chance(0.7) && points.length > 0 ? one.random.pick(points) : null
    const outcome = await ride(world, point ?? one.random.below(Math.ceil(learnt.lasts)))
    if (outcome === 'failed') one.broken(`kill ${kill}: the train ended by itself with an error`)
    if (point === null) learnt.lasts = nextLongest(learnt.lasts, outcome !== 'killed')
    else learnt.missed[point] = outcome === 'killed' ? ON_THE_WAY : (learnt.missed[point] ?? 0) + 1
    keep()
    if (outcome !== 'killed') {
      one.noted('rides that ended before')
      continue
    }
    one.tried('kills')
    one.noted(point ?? 'at any moment')
    kill++
    sinceOpened++
    if (kill % JUDGED_EVERY !== 0) continue
    inspect(world, one, made, `after kill ${kill}`)
    one.judged()
  }
  for (let round = 0; round < 20 && (round === 0 || train.read().riders.length > 0); round++) await ride(world, null)
  inspect(world, one, made, 'at the end')
  for (const { number, isBad } of made) {
    const state = world.forge.pulls.read(number)?.state
    if (state !== (isBad ? 'open' : 'merged')) one.broken(`#${number} (${isBad ? 'bad' : 'good'}) is ${state}`)
  }
  one.log(`${made.length} pull requests, ${made.filter(({ isBad }) => isBad).length} of them bad`)
})

/** Approved, and green alone: a bad one breaks only what the train builds. */
async function open(world: ForgeWorld, { random, noted }: Campaign, count: number): Promise<Made> {
  const isBad = random.chance(0.15)
  const file = `file-${count}.txt`
  const branch = `feat/${file}`
  await world.push(branch, file, isBad ? 'BAD\n' : `${count}\n`)
  const { number } = await world.openPR({ branch, title: `Add ${file}` })
  // What its own CI has seen is not what lands: main moves on all the time.
  await world.check(branch, 'test', 'passed', 'fine\n')
  await world.review(number, { state: 'approved' })
  await world.pushToBase('news.md', `${count}\n`)
  noted('pull requests')
  return { number, file, isBad }
}

/** Killed after so many milliseconds, or at the point with this name. */
function ride(world: ForgeWorld, killAt: number | string | null): Promise<'killed' | 'done' | 'failed'> {
  const { project, context, temp } = world
  const given = { project, dataDir: context.dataDir, configDir: context.configDir, options: OPTIONS }
  const env = { ...temp.env, USER: 'sam', ...(typeof killAt === 'string' ? { AO_FAILPOINT: killAt } : {}) }
  const argv = [testProgram('run-train'), JSON.stringify(given)]
  const child = spawn(process.execPath, argv, { env, stdio: 'ignore' })
  const timer = typeof killAt === 'number' ? setTimeout(() => child.kill('SIGKILL'), killAt) : undefined
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      clearTimeout(timer)
      resolve(signal === 'SIGKILL' ? 'killed' : code === 0 ? 'done' : 'failed')
    })
  })
}

function inspect(world: ForgeWorld, one: Campaign, made: readonly Made[], when: string): void {
  const path = join(world.temp.home, 'passed')
  const passed = new Set(existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [])
  const commits = world
    .git('log', '--first-parent', '--format=%T %s', 'main')
    .split('\n')
    .map((line) => ({ tree: line.slice(0, line.indexOf(' ')), subject: line.slice(line.indexOf(' ') + 1) }))
    .filter(({ subject }) => subject.startsWith('Add '))
  for (const { tree, subject } of commits) if (!passed.has(tree)) one.broken(`${when}: ${subject} landed untested`)
  const twice = commits.filter(({ subject }, at) => commits.findIndex((other) => other.subject === subject) !== at)
  for (const { subject } of twice) one.broken(`${when}: ${subject} landed twice`)
  const files = new Set(world.git('ls-tree', '--name-only', 'main').split('\n'))
  for (const { number, file, isBad } of made) {
    const isMerged = world.forge.pulls.read(number)?.state === 'merged'
    if (isMerged && !files.has(file))
      one.broken(`${when}: #${number} is recorded as merged, and its work is not in main`)
    if (isBad && files.has(file)) one.broken(`${when}: #${number} is bad and in main`)
  }
}
