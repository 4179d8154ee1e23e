// What every campaign shares: a seed that repeats it, a count of what was tried and what broke, clean-up, and one line
// for the table that `npm run torture` prints at its end.
import { appendFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { expect, it } from 'vitest'
import { createRandom, type Random } from '../src/rehearsal/random.ts'

/** One line of the table, as a campaign leaves it for `results.ts`. */
export interface CampaignResult {
  name: string
  tried: string
  broken: number
  seed: number
  seconds: number
  /** Of the machine at its end; null: not noted. */
  load: number | null
  /** Seeds of the recorded runs that are added up here, the last one included; absent: this one alone. */
  seeds?: number[] | undefined
}

export interface Campaign {
  seed: number
  random: Random
  /** Counts one attempt; `what` says of which kind, where a campaign has several. */
  tried(what?: string): void
  /** Something that must not happen has happened. The campaign continues, so that one run finds more than one. */
  broken(what: string): void
  /** Undone in reverse order, whatever happens; returns what was still running, which counts as broken. */
  afterwards(clean: () => Promise<unknown>): void
  log(line: string): void
}

/** AO_SEED repeats a run; AO_TIMES makes every campaign shorter or longer than its own default. */
export function timesOr(standard: number): number {
  return Number(process.env.AO_TIMES ?? standard)
}

export function campaign(name: string, play: (one: Campaign) => Promise<void>): void {
  it(name, async () => {
    const seed = Number(process.env.AO_SEED ?? Date.now() % 2 ** 31)
    console.log(`${name}: AO_SEED=${seed}`)
    const started = performance.now()
    const counts = new Map<string, number>()
    const failures: string[] = []
    const cleanups: Array<() => Promise<unknown>> = []
    const broken = (what: string) => {
      failures.push(what)
      console.log(`${name}: BROKEN: ${what}`)
    }
    try {
      await play({
        seed,
        random: createRandom(seed),
        tried: (what = 'attempts') => void counts.set(what, (counts.get(what) ?? 0) + 1),
        broken,
        afterwards: (clean) => void cleanups.push(clean),
        log: (line) => console.log(`${name}: ${line}`),
      })
    } catch (error) {
      broken(`the campaign itself ended: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    }
    for (const clean of cleanups.reverse()) {
      const strays = await clean()
      for (const stray of Array.isArray(strays) ? strays : []) broken(`still running at the end: ${stray}`)
    }
    leaveResult({
      name,
      tried: [...counts].map(([what, count]) => `${count} ${what}`).join(', '),
      broken: failures.length,
      seed,
      seconds: Math.round((performance.now() - started) / 1000),
      load: Math.round(loadavg()[0]! * 10) / 10,
    })
    expect(failures).toEqual([])
  })
}

function leaveResult(result: CampaignResult): void {
  const file = process.env.AO_TORTURE_RESULTS
  if (file) appendFileSync(file, `${JSON.stringify(result)}\n`)
}
