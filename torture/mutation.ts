// npm run mutation: changes one place of src/core at a time, and asks whether the unit tests of core notice.
//   npm run mutation                                        everything
//   npm run mutation -- src/core/message --mutants 10       below a path, at most so many of each file
import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, normalize } from 'node:path'
import { createRandom } from '../src/rehearsal/random.ts'
import { type Mutant, mutantsOf } from './mutants.ts'
import { numberOf, readOptions } from './options.ts'
import { type MutantTrial, openTrial } from './try-mutant.ts'

const ROOT = join(import.meta.dirname, '..')
const AIM = 85

const USAGE = `usage: npm run mutation -- [path below src/core ...] [options]

  --mutants <n>   at most so many of each file; all without
  --seed <n>      which ones; 1 without
  --help          this text`

const { values, positionals } = readOptions(USAGE, { mutants: { type: 'string' }, seed: { type: 'string' } })
const mutantsOfEach = numberOf('mutants', values.mutants)
const random = createRandom(numberOf('seed', values.seed) ?? 1)
const sources = (positionals.length > 0 ? positionals : ['src/core'])
  .flatMap((path) => (path.endsWith('.ts') ? [path] : globSync(`${path}/**/*.ts`, { cwd: ROOT }).sort()))
  .filter((path) => !path.endsWith('.test.ts'))
const imports = readImports()
let [noticed, tried, leftOut] = [0, 0, 0]
const folders = new Map<string, [noticed: number, tried: number]>()
// Chosen before the first is tried: which is done sooner decides nothing.
const waiting = sources.map(chooseMutants).values()
await Promise.all(Array.from({ length: availableParallelism() }, tryWaiting))
for (const [folder, [ofFolder, all]] of [...folders].sort()) {
  if (folders.size > 1) console.log(`${folder.padEnd(24)} ${ofFolder} of ${all}: ${percent(ofFolder, all)} %`)
  noticed += ofFolder
  tried += all
}
console.log(`${noticed} of ${tried} mutants were noticed: ${percent(noticed, tried)} % (aim ${AIM})`)
process.exitCode = leftOut === 0 && noticed * 100 >= tried * AIM ? 0 : 1

async function tryWaiting(): Promise<void> {
  for (const chosen of waiting)
    await tryFile(chosen).catch((error: unknown) => {
      console.log(`${chosen.path}: left out, ${String(error)}`)
      leftOut++
    })
}

interface Chosen {
  path: string
  source: string
  mutants: readonly Mutant[]
}

function chooseMutants(path: string): Chosen {
  const source = readFileSync(join(ROOT, path), 'utf8')
  const all = mutantsOf(path, source)
  return { path, source, mutants: sample(all, mutantsOfEach ?? all.length) }
}

async function tryFile({ path, source, mutants }: Chosen): Promise<void> {
  if (mutants.length === 0) return
  const trial = await openTrial(join(ROOT, path), source, testsOf(path))
  const survivors = await findSurvivors(trial, source, mutants)
  await trial.close()
  const folder = path.split('/').slice(0, 3).join('/')
  const [before, triedBefore] = folders.get(folder) ?? [0, 0]
  folders.set(folder, [before + mutants.length - survivors.length, triedBefore + mutants.length])
  console.log([`${path}: ${mutants.length - survivors.length} of ${mutants.length}`, ...survivors].join('\n'))
}

async function findSurvivors(trial: MutantTrial, source: string, mutants: readonly Mutant[]): Promise<string[]> {
  const survivors: string[] = []
  for (const { start, end, replacement } of mutants) {
    if (await trial.isNoticed(source.slice(0, start) + replacement + source.slice(end))) continue
    const line = source.slice(0, start).split('\n').length
    const change = `${source.slice(start, end)} → ${replacement}`.replaceAll(/\s+/g, ' ')
    survivors.push(`  line ${line}: ${change.slice(0, 120)}`)
  }
  return survivors
}

/** First the tests that import the file themselves, then those that reach it through other files of core. */
function testsOf(path: string): string[][] {
  const tests = [...imports.keys()].filter((file) => file.endsWith('.test.ts'))
  const naming = tests.filter((test) => imports.get(test)!.includes(path))
  const reaching = tests.filter((test) => !naming.includes(test) && reaches(test, path, new Set()))
  return [naming, reaching].filter((suite) => suite.length > 0)
}

function reaches(from: string, path: string, seen: Set<string>): boolean {
  if (from === path) return true
  if (seen.has(from)) return false
  seen.add(from)
  return (imports.get(from) ?? []).some((imported) => reaches(imported, path, seen))
}

/** What each file of core imports at run time. */
function readImports(): Map<string, string[]> {
  const files = globSync('src/core/**/*.ts', { cwd: ROOT }).sort()
  return new Map(
    files.map((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8')
      const names = [...text.matchAll(/^(?:import|export|\}) (?!type ).*?from '(\.[^']+)'/gm)].map((match) => match[1]!)
      return [file, names.map((name) => normalize(join(file, '..', name)))]
    }),
  )
}

function sample<T>(all: readonly T[], count: number): T[] {
  if (count >= all.length) return [...all]
  const left = [...all]
  return Array.from({ length: count }, () => left.splice(random.below(left.length), 1)[0]!)
}

function percent(part: number, whole: number): string {
  return (whole === 0 ? 0 : (100 * part) / whole).toFixed(1)
}
