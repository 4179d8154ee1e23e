// npm run torture: plays campaigns, each in a process and worlds of its own, several at a time, and adds up what they prove.
//   npm run torture                        every campaign once
//   npm run torture -- loop 'full disk'    those of a file, or of a name
//   npm run torture -- --minutes 30        what has the worst bound, again and again
import { execFileSync, spawn } from 'node:child_process'
import { createWriteStream, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { sleep } from '../src/lib/clock.ts'
import { withLock } from '../src/lib/lock.ts'
import buildOnce from '../test/support/build-once.ts'
import homesInMemory from '../test/support/homes-in-memory.ts'
import { nextSlice, type Slice, type Standing, upperBound } from './bounds.ts'
import type { CampaignRun } from './campaign.ts'
import { changedFiles, originOf } from './code-path.ts'
import { codeOfCampaign } from './judge-code.ts'
import { numberOf, readOptions } from './options.ts'
import { addedSince, addRun, countOf, type Kept, percent, type Results, standingOf, withTable } from './results.ts'
import { CAMPAIGNS, ROWS } from './rows.ts'

const ROOT = join(import.meta.dirname, '..')
const KEPT = join(import.meta.dirname, 'results.json')
const DOCUMENT = join(ROOT, 'docs', 'reliability.md')

/** One more than cores: while one waits for an agent or a lock, the others compute. */
const WORLDS = availableParallelism() + 1
/** As long as cores are idle: most of the time of a loop's world is waiting. */
const MOST_WORLDS = 6 * availableParallelism()
const IDLE_SHARE = 0.15
/** Long enough that a world has begun to compute before the next one is added. */
const PAUSE_MS = 4_000
/** How often what has been proved until now is recorded: a machine that goes down takes no more with it. */
const KEEP_MS = 20_000
/** Of one slice, with what it needs to come to its end. */
const LONGEST_SECONDS = 3_600

const USAGE = `usage: npm run torture -- [campaign or file ...] [options]

  --minutes <n>   a little of every campaign, then where a minute proves most; without: each campaign once
  --finish        with --minutes: then what reaches the goal soonest, so that most rows do
  --tries <n>     how often each campaign tries, without --minutes
  --worlds <n>    how many run side by side; without: more than cores, as long as cores are idle
  --seed <n>      of the first; each further one has the next
  --record        keep the figures in torture/results.json and docs/reliability.md, each as it comes
  --help          this text

Ctrl-C ends it early: what is being played comes to its end, and counts. Campaigns:

${Object.keys(CAMPAIGNS)
  .map((name) => `  ${name.padEnd(40)} ${CAMPAIGNS[name]!.file}`)
  .join('\n')}`

const { values, positionals } = readOptions(USAGE, {
  minutes: { type: 'string' },
  finish: { type: 'boolean', default: false },
  tries: { type: 'string' },
  seed: { type: 'string' },
  worlds: { type: 'string' },
  record: { type: 'boolean', default: false },
})
const minutes = numberOf('minutes', values.minutes)
const triesOfEach = numberOf('tries', values.tries)
const worlds = numberOf('worlds', values.worlds)

const names = Object.keys(CAMPAIGNS).filter(
  (name) =>
    positionals.length === 0 || positionals.some((word) => name.includes(word) || CAMPAIGNS[name]!.file === word),
)
if (names.length === 0) {
  console.error(`error: no campaign is called ${positionals.join(' ')}; npm run torture -- --help names them`)
  process.exit(2)
}
const code = Object.fromEntries(Object.entries(CAMPAIGNS).map(([name, one]) => [name, codeOfCampaign(name, one)]))
const origin = originOf()
const changed = changedFiles()
// The commit is named as the origin of what was played.
if (values.record && changed.length > 0) {
  console.error(`error: commit first: ${changed.join(', ')}`)
  process.exit(2)
}
const results = JSON.parse(readFileSync(KEPT, 'utf8')) as Results
const logs = mkdtempSync(join(tmpdir(), 'ao-torture-'))
const runs: CampaignRun[] = []
const campaigns = new Set<ReturnType<typeof spawn>>()
/** For each slice that is being played: what it has judged since it was last asked. */
const playing = new Set<() => CampaignRun | undefined>()
let [failed, played, isStopped] = [0, 0, false]

await buildOnce()
homesInMemory()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
const keeper = setInterval(() => void record([...playing].flatMap((added) => added() ?? [])), KEEP_MS)
await (minutes === undefined ? playOnce() : playFor(minutes * 60))
clearInterval(keeper)
printRuns()
if (failed === 0) rmSync(logs, { recursive: true, force: true })
else console.log(`\nWhat broke: ${logs}`)
process.exitCode = failed === 0 ? 0 : 1

/** Once more ends it at once. */
function stop(): void {
  if (isStopped) process.exit(130)
  isStopped = true
  console.log('It ends as soon as what is being played has come to its end.')
  for (const child of campaigns) child.kill('SIGTERM')
}

async function playOnce(): Promise<void> {
  const waiting: Slice[] = names.map((campaign) => ({
    ...{ campaign, tries: triesOfEach ?? Number.NaN, seconds: Number.POSITIVE_INFINITY },
  }))
  await inWorlds(() => waiting.shift() ?? null)
}

async function playFor(seconds: number): Promise<void> {
  const until = performance.now() + seconds * 1000
  const how = values.finish ? { finish: availableParallelism() } : {}
  await inWorlds((playing) => nextSlice(standings(playing), (until - performance.now()) / 1000, how))
}

async function inWorlds(next: (playing: readonly Slice[]) => Slice | null): Promise<void> {
  const slices = new Map<Slice, Promise<void>>()
  const begin = (): boolean => {
    const slice = isStopped ? null : next([...slices.keys()])
    if (slice)
      slices.set(
        slice,
        play(slice).finally(() => slices.delete(slice)),
      )
    return slice !== null
  }
  const least = worlds ?? Math.min(WORLDS, MOST_WORLDS)
  const idle = idleSince()
  while (true) {
    while (slices.size < least && begin());
    if (slices.size === 0) return
    const isOver = await Promise.race([...[...slices.values()].map((one) => one.then(() => true)), sleep(PAUSE_MS)])
    if (isOver !== true && worlds === undefined && slices.size < MOST_WORLDS && idle() > IDLE_SHARE) begin()
  }
}

/** What share of all cores had nothing to do since it was last asked. */
function idleSince(): () => number {
  const times = () => {
    const each = cpus().map((one) => one.times)
    const all = each.reduce((sum, { user, nice, sys, irq, idle }) => sum + user + nice + sys + irq + idle, 0)
    return { all, idle: each.reduce((sum, { idle }) => sum + idle, 0) }
  }
  let before = times()
  return () => {
    const { all, idle } = times()
    const share = (idle - before.idle) / Math.max(1, all - before.all)
    before = { all, idle }
    return share
  }
}

/** How each campaign stands with what was recorded on this code, what this run has added, and what is being played. */
function standings(playing: readonly Slice[]): Standing[] {
  return names.map((campaign) => {
    const rows = ROWS.filter((row) => row.campaign === campaign)
    const standing = standingOf(campaign, code[campaign], withRuns())
    const underWay = playing.filter((slice) => slice.campaign === campaign).reduce((sum, { tries }) => sum + tries, 0)
    const counts = rows.map((row) => countOf(row, standing))
    const measured = standing ?? results.kept.findLast((one) => one.campaign === campaign)
    const tries = Object.values(measured?.kinds ?? {}).reduce((sum, one) => sum + one.tries, 0)
    return {
      campaign,
      rows: counts.map(({ tries, broken }) => ({ tries: tries + underWay / rows.length, broken })),
      secondsPerTry: measured && tries > 0 ? measured.seconds / tries : null,
      cpuPerTry: measured?.cpuSeconds !== undefined && tries > 0 ? measured.cpuSeconds / tries : null,
      secondsPlayed: standing?.seconds ?? 0,
    }
  })
}

function withRuns(): Kept[] {
  return withAdded(results.kept, runs)
}

function withAdded(kept: readonly Kept[], added: readonly CampaignRun[]): Kept[] {
  return added.reduce<Kept[]>((all, run) => addRun(all, run, { ...origin, code: code[run.campaign]! }), [...kept])
}

async function play({ campaign, tries, seconds }: Slice): Promise<void> {
  const seed = Number(values.seed ?? Date.now() % 2 ** 31) + played++
  const file = join(logs, `${played}.jsonl`)
  const log = createWriteStream(join(logs, `${played}.log`))
  const env = { ...process.env, AO_SEED: String(seed), AO_SECONDS: String(seconds), AO_TORTURE_RUNS: file }
  if (!Number.isNaN(tries)) Object.assign(env, { AO_TRIES: String(tries) })
  const { cases } = standingOf(campaign, code[campaign], withRuns()) ?? {}
  if (cases) {
    writeFileSync(`${file}.cases`, JSON.stringify(cases))
    Object.assign(env, { AO_TORTURE_CASES: `${file}.cases` })
  }
  const argv = [join(import.meta.dirname, 'play.ts'), CAMPAIGNS[campaign]!.file, campaign]
  // In a group of its own: Ctrl-C would end the commands that it plays with, too.
  const child = spawn(process.execPath, argv, {
    cwd: ROOT,
    env: { ...env, AO_TRIED: triedOf(campaign) },
    detached: true,
  })
  campaigns.add(child)
  for (const stream of [child.stdout, child.stderr]) {
    stream.pipe(log, { end: false })
    stream.on('data', (chunk: Buffer) => {
      for (const [line] of String(chunk).matchAll(/BROKEN: .*/g)) console.log(line)
    })
  }
  // One that hangs keeps no other from its turn.
  let before: CampaignRun | undefined
  const added = (): CampaignRun | undefined => {
    const left = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as CampaignRun) : undefined
    if (left === undefined || left.seconds === before?.seconds) return undefined
    const run = addedSince(left, before)
    before = left
    runs.push(run)
    return run
  }
  playing.add(added)
  const guard = setTimeout(() => child.kill('SIGKILL'), 1_000 * Math.min(LONGEST_SECONDS, 2 * seconds + 900))
  const exit = await new Promise<number | null>((resolve) => child.once('close', resolve))
  clearTimeout(guard)
  playing.delete(added)
  campaigns.delete(child)
  log.end()
  const last = added()
  if (before === undefined) console.log(`BROKEN: ${campaign}, seed ${seed}: it left no result`)
  if (exit !== 0 || before === undefined) failed++
  else rmSync(log.path)
  if (before) console.log(describeRun(before))
  await record(last ? [last] : [])
}

/** By kind, on this code. */
function triedOf(campaign: string): string {
  const { kinds = {} } = standingOf(campaign, code[campaign], withRuns()) ?? {}
  return JSON.stringify(Object.fromEntries(Object.entries(kinds).map(([kind, { tries }]) => [kind, tries])))
}

function describeRun({ campaign, kinds, seed, seconds, cpuSeconds }: CampaignRun): string {
  const all = Object.values(kinds)
  const tries = all.reduce((sum, one) => sum + one.tries, 0)
  const broken = all.reduce((sum, one) => sum + one.broken, 0)
  const each = tries === 0 ? '' : `, ${(cpuSeconds / tries).toFixed(2)} s of CPU each`
  return `${campaign}: ${tries} tries, ${broken} broken, ${seconds} s${each} (seed ${seed})`
}

function printRuns(): void {
  const all = withRuns()
  const rows = ROWS.filter(({ campaign }) => campaign !== undefined && names.includes(campaign)).map((row) => {
    const count = countOf(row, standingOf(row.campaign!, code[row.campaign!], all))
    const kind = row.kind === undefined ? '' : `, ${row.kind}`
    return [`${row.campaign}${kind}`, String(count.tries), String(count.broken), percent(upperBound(count))]
  })
  const table = [['campaign', 'tries', 'broken', 'below'], ...rows]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]!.length)))
  console.log(`\n${table.map((row) => row.map((cell, n) => cell.padEnd(widths[n]!)).join('  ')).join('\n')}`)
}

/** Beside what other runs have recorded since this one began. */
async function record(added: readonly CampaignRun[]): Promise<void> {
  if (!values.record || added.length === 0) return
  await withLock(`${KEPT}.lock`, () => {
    const { kept } = JSON.parse(readFileSync(KEPT, 'utf8')) as Results
    const after: Results = { ...origin, code, kept: withAdded(kept, added) }
    writeFileSync(KEPT, `${JSON.stringify(after, null, 2)}\n`)
    writeFileSync(DOCUMENT, withTable(readFileSync(DOCUMENT, 'utf8'), after))
    execFileSync(join(ROOT, 'node_modules/.bin/biome'), ['format', '--write', KEPT], { cwd: ROOT, stdio: 'ignore' })
  })
}
