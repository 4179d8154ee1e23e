// The failpoints that are named in the source, so that a new step cannot be forgotten; which of them a program comes to, and how long
// it lasts, a campaign learns while it kills.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const SOURCE = join(import.meta.dirname, '..', 'src')
const CALL = /failpoint\(['`]([^'`]+)['`]\)/g

/** A point that so many in a row did not come to is not on their way. */
export const MOST_MISSED = 2
/** More than it can ever miss. */
export const ON_THE_WAY = -1e9

/** The next is killed a little later, or much sooner: one in twelve ends before it, which proves nothing, and the last steps are tried, too. */
export function nextLongest(longest: number, hasEnded: boolean): number {
  return longest * (hasEnded ? 0.85 : 1.015)
}

/** Below these folders and files of src/. */
export function failpointsIn(paths: readonly string[]): string[] {
  const names = paths
    .flatMap(filesBelow)
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(CALL)].map((match) => match[1]!))
    .flatMap((name) => {
      const given = /^\$\{([\w.]+)\}/.exec(name)
      if (given) return (OPERATIONS[given[1]!] ?? []).map((one) => name.replace(given[0], one))
      return name.includes('${') ? [] : [name]
    })
  return [...new Set(names)]
}

/** Which operations share a step, by what its failpoint is named after. */
const OPERATIONS: Readonly<Record<string, readonly string[]>> = {
  operation: ['kill', 'cleanup'],
  'run.plan.kind': ['spawn', 'orchestrator', 'restore'],
}

function filesBelow(path: string): string[] {
  const whole = join(SOURCE, path)
  if (statSync(whole).isFile()) return [whole]
  return readdirSync(whole, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => join(whole, file))
}
