// npm run landbench: how much of what agents made lands, at what price, and what the orchestrator says of it. docs/landbench.md.
//   npm run landbench -- --adapter ao,git --seed 7              a world from published rates
//   npm run landbench -- --adapter ao --real <directory>        a world of real patches
//   npm run landbench -- --verify <run>                         every figure again, from the raw log
//   npm run landbench -- --against <run> <run>                  two runs with one seed
import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createRandom } from '../../src/rehearsal/random.ts'
import type { Adapter, Day, Hand, Orchestrator, Strike } from './adapters/adapter.ts'
import { agentOrchestrator } from './adapters/agent-orchestrator.ts'
import { ao } from './adapters/ao.ts'
import { floor, gitByHand, loop } from './adapters/git.ts'
import { audit } from './audit.ts'
import { playDay, weighDay } from './day.ts'
import { append } from './log.ts'
import { createPublishedWorld, FLAKY, PUBLISHED_CHECK } from './published-world.ts'
import { createRealWorld, readTask } from './real-world.ts'
import { printFigures, printWeights } from './report.ts'
import { compareRuns, keepFigures, LOG, readKept, verifyRun } from './verify.ts'
import { git, type Workload, writeWorkload } from './workload.ts'

const ADAPTERS: Readonly<Record<string, Adapter>> = {
  ao,
  git: gitByHand,
  floor,
  loop,
  'agent-orchestrator': agentOrchestrator,
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    adapter: { type: 'string', default: 'git,ao' },
    real: { type: 'string' },
    changes: { type: 'string', default: '20' },
    seed: { type: 'string', default: '10' },
    out: { type: 'string' },
    'ci-seconds': { type: 'string', default: '1' },
    'person-seconds': { type: 'string', default: '1' },
    'quiet-seconds': { type: 'string', default: '90' },
    'limit-minutes': { type: 'string', default: '20' },
    flaky: { type: 'string', default: String(FLAKY) },
    gather: { type: 'boolean', default: false },
    messages: { type: 'string', default: '0' },
    kills: { type: 'string', default: '0' },
    reboots: { type: 'string', default: '0' },
    'full-disks': { type: 'string', default: '0' },
    weigh: { type: 'string' },
    'weigh-seconds': { type: 'string', default: '60' },
    option: { type: 'string', multiple: true, default: [] },
    verify: { type: 'string' },
    against: { type: 'string' },
  },
})

if (values.verify !== undefined) {
  conclude(verifyRun(values.verify), 'every figure is what the log says')
} else if (values.against !== undefined) {
  const [one, other] = [values.against, positionals[0]!].map((directory) => readKept(directory).figures)
  conclude(compareRuns(one!, other!), 'all counted figures agree within 5 %')
} else {
  const out = resolve(values.out ?? mkdtempSync(join(tmpdir(), 'landbench-')))
  console.log(`node ${process.version}, ${cpus().length} cores, load ${loadavg()[0]!.toFixed(1)}; logs in ${out}\n`)
  for (const name of values.adapter.split(','))
    if (values.weigh === undefined) await play(name, out)
    else for (const sessions of values.weigh.split(',')) await weigh(name, out, Number(sessions))
}

function conclude(differences: readonly string[], otherwise: string): void {
  console.log(differences.length === 0 ? otherwise : differences.join('\n'))
  process.exitCode = differences.length === 0 ? 0 : 1
}

async function play(name: string, out: string): Promise<void> {
  const [day, made] = open(
    name,
    join(out, `${name}-${values.real === undefined ? 'published' : basename(values.real)}`),
  )
  if ('work' in made) {
    await made.work()
    append(day.workload.log, { what: 'end', why: 'the work is done' })
  } else {
    const strikes = [
      ...Array<Strike>(Number(values.kills)).fill('loop'),
      ...Array<Strike>(Number(values['full-disks'])).fill('disk'),
      ...Array<Strike>(Number(values.reboots)).fill('machine'),
    ]
    await playDay(day, made, {
      quietSeconds: Number(values['quiet-seconds']),
      limitMinutes: Number(values['limit-minutes']),
      gathers: values.gather,
      messages: Number(values.messages),
      strikes,
      random: createRandom(day.workload.seed),
    })
  }
  await audit(day)
  printFigures(name, day.workload.world, keepFigures(day.directory))
}

async function weigh(name: string, out: string, sessions: number): Promise<void> {
  const [day, made] = open(name, join(out, `${name}-weigh-${sessions}`), sessions)
  if ('work' in made) throw new Error(`${name} has no sessions to weigh`)
  await weighDay(day, made, Number(values['weigh-seconds']))
  printWeights(name, keepFigures(day.directory))
}

function open(name: string, directory: string, changes = Number(values.changes)): [Day, Orchestrator | Hand] {
  const create = ADAPTERS[name]
  if (create === undefined)
    throw new Error(`No adapter is called ${name}; there are ${Object.keys(ADAPTERS).join(', ')}`)
  const day = prepare(directory, changes)
  const { workload, workloadPath } = day
  const features = workload.features.map(({ id }) => id)
  append(workload.log, { what: 'run', adapter: name, world: workload.world, seed: workload.seed, features })
  const made = create(day)
  if ('publish' in made) writeWorkload(workloadPath, Object.assign(workload, { publish: made.publish }))
  return [day, made]
}

function prepare(path: string, changes: number): Day {
  mkdirSync(path, { recursive: true })
  const directory = realpathSync(path)
  const repo = join(directory, 'app')
  const patches = join(directory, 'patches')
  for (const one of [repo, patches, join(directory, 'trees')]) mkdirSync(one)
  const { real } = values
  const seed = Number(values.seed)
  const features =
    real === undefined ? createPublishedWorld(repo, patches, seed, changes) : createRealWorld(repo, patches, real)
  const workload: Workload = {
    world: real === undefined ? `published rates, ${features.length} changes` : basename(real),
    seed,
    firstCommit: git(repo, 'rev-parse', 'main'),
    check: real === undefined ? PUBLISHED_CHECK : readTask(real).check,
    ciSeconds: Number(values['ci-seconds']),
    flaky: real === undefined ? Number(values.flaky) : 0,
    features,
    log: join(directory, LOG),
    publish: null,
  }
  const workloadPath = join(directory, 'workload.json')
  writeWorkload(workloadPath, workload)
  const options = Object.fromEntries(values.option.map((one) => one.split('=') as [string, string]))
  const hasChecks = values.weigh === undefined
  const personSeconds = Number(values['person-seconds'])
  const needsSmallDisk = Number(values['full-disks']) > 0
  return { directory, repo, workloadPath, workload, personSeconds, needsSmallDisk, hasChecks, options }
}
