// npm run torture: plays campaigns, each in a process and worlds of its own, several at a time, and adds up what they prove.
//   npm run torture                        every campaign once
//   npm run torture -- loop 'full disk'    those of a file, or of a name
//   npm run torture -- --minutes 30        what has the worst bound, again and again
import { execFileSync, spawn } from 'node:child_process'
import { createWriteStream, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { withLock } from '../src/lib/lock.ts'
import buildOnce from '../test/support/build-once.ts'
import homesInMemory from '../test/support/homes-in-memory.ts'
import { nextSlice, type Slice, type Standing, upperBound } from './bounds.ts'
import type { CampaignRun } from './campaign.ts'
import { changedFiles, codeOf, originOf } from './code-path.ts'
import { addRun, countOf, type Kept, percent, type Results, standingOf, withTable } from './results.ts'
import { CAMPAIGNS, ROWS } from './rows.ts'

const ROOT = join(import.meta.dirname, '..')
const KEPT = join(import.meta.dirname, 'results.json')
const DOCUMENT = join(ROOT, 'docs', 'reliability.md')

/** One more than cores: while one waits for an agent or a lock, the others compute. */
const WORLDS = availableParallelism() + 1

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string' },
    tries: { type: 'string' },
    seed: { type: 'string' },
    worlds: { type: 'string' },
    record: { type: 'boolean', default: false },
  },
})

const names = Object.keys(CAMPAIGNS).filter(
  (name) =>
    positionals.length === 0 || positionals.some((word) => name.includes(word) || CAMPAIGNS[name]!.file === word),
)
if (names.length === 0) throw new Error(`No campaign is called ${positionals.join(' ')}`)
const code = Object.fromEntries(Object.entries(CAMPAIGNS).map(([name, { starts }]) => [name, codeOf(starts)]))
const origin = originOf()
const changed = changedFiles()
// The commit is named as the origin of what was played.
if (values.record && changed.length > 0) throw new Error(`Commit first: ${changed.join(', ')}`)
const results = JSON.parse(readFileSync(KEPT, 'utf8')) as Results
const logs = mkdtempSync(join(tmpdir(), 'ao-torture-'))
const runs: CampaignRun[] = []
let failed = 0
let played = 0

await buildOnce()
homesInMemory()
await (values.minutes === undefined ? playOnce() : playFor(Number(values.minutes) * 60))
printRuns()
if (failed === 0) rmSync(logs, { recursive: true, force: true })
else console.log(`\nWhat broke: ${logs}`)
process.exitCode = failed === 0 ? 0 : 1

async function playOnce(): Promise<void> {
  const waiting: Slice[] = names.map((campaign) => ({
    ...{ campaign, tries: Number(values.tries ?? Number.NaN), seconds: Number.POSITIVE_INFINITY },
  }))
  await inWorlds(() => waiting.shift() ?? null)
}

async function playFor(seconds: number): Promise<void> {
  const until = performance.now() + seconds * 1000
  await inWorlds((playing) => nextSlice(standings(playing), (until - performance.now()) / 1000))
}

async function inWorlds(next: (playing: readonly Slice[]) => Slice | null): Promise<void> {
  const playing = new Set<Slice>()
  const work = async (): Promise<void> => {
    for (let slice = next([...playing]); slice !== null; slice = next([...playing])) {
      playing.add(slice)
      await play(slice)
      playing.delete(slice)
    }
  }
  await Promise.all(Array.from({ length: Number(values.worlds ?? WORLDS) }, work))
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
    }
  })
}

function withRuns(): Kept[] {
  return runs.reduce<Kept[]>((kept, run) => addRun(kept, run, { ...origin, code: code[run.campaign]! }), results.kept)
}

async function play({ campaign, tries, seconds }: Slice): Promise<void> {
  const seed = Number(values.seed ?? Date.now() % 2 ** 31) + played++
  const file = join(logs, `${played}.jsonl`)
  const log = createWriteStream(join(logs, `${played}.log`))
  const env = { ...process.env, AO_SEED: String(seed), AO_SECONDS: String(seconds), AO_TORTURE_RUNS: file }
  if (!Number.isNaN(tries)) Object.assign(env, { AO_TRIES: String(tries) })
  const argv = ['run', '--config', 'torture/vitest.config.ts', `torture/${CAMPAIGNS[campaign]!.file}.torture.ts`]
  const pattern = `^${campaign.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
  const child = spawn(process.execPath, [vitest, ...argv, '-t', pattern], { cwd: ROOT, env })
  for (const stream of [child.stdout, child.stderr]) {
    stream.pipe(log, { end: false })
    stream.on('data', (chunk: Buffer) => {
      for (const [line] of String(chunk).matchAll(/BROKEN: .*/g)) console.log(line)
    })
  }
  const exit = await new Promise<number | null>((resolve) => child.once('close', resolve))
  log.end()
  const left = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as CampaignRun) : null
  if (left) runs.push(left)
  else console.log(`BROKEN: ${campaign}, seed ${seed}: it left no result`)
  if (exit !== 0 || left === null) failed++
  else rmSync(log.path)
  if (left) console.log(describeRun(left))
  if (values.record && left) await record(left)
}

function describeRun({ campaign, kinds, seed, seconds }: CampaignRun): string {
  const all = Object.values(kinds)
  const tries = all.reduce((sum, one) => sum + one.tries, 0)
  const broken = all.reduce((sum, one) => sum + one.broken, 0)
  const each = tries === 0 ? '' : `, ${(seconds / tries).toFixed(2)} s each`
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
async function record(run: CampaignRun): Promise<void> {
  await withLock(`${KEPT}.lock`, () => {
    const { kept } = JSON.parse(readFileSync(KEPT, 'utf8')) as Results
    const after: Results = { ...origin, code, kept: addRun(kept, run, { ...origin, code: code[run.campaign]! }) }
    writeFileSync(KEPT, `${JSON.stringify(after, null, 2)}\n`)
    writeFileSync(DOCUMENT, withTable(readFileSync(DOCUMENT, 'utf8'), after))
    execFileSync(join(ROOT, 'node_modules/.bin/biome'), ['format', '--write', KEPT], { cwd: ROOT, stdio: 'ignore' })
  })
}
