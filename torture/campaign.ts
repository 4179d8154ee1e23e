// What every campaign shares: a seed that repeats it, a count of what was tried and what broke, clean-up, and one line
// for `run.ts`, which plays the campaigns and adds up what they leave.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { createRandom, type Random } from '../src/rehearsal/random.ts'
import type { AllCases } from './cases.ts'

export interface Count {
  tries: number
  broken: number
}

/** One run of a campaign, as it leaves it. */
export interface CampaignRun {
  campaign: string
  /** What was tried, by kind. */
  kinds: Record<string, Count>
  /** What happened beside it. */
  notes: Record<string, number>
  /** Where all there are can be listed: what was played before this run, too. */
  cases?: AllCases
  seed: number
  seconds: number
  /** What all of its processes took, as far as the kernel says: of what runs on by itself only what `endedBeside` was told. */
  cpuSeconds: number
  /** Of the machine at its end. */
  load: number
}

export interface Try {
  /** Something that must not happen has happened. However much of it there is, it was one try. */
  broken(what: string): void
}

export interface Campaign {
  name: string
  seed: number
  random: Random
  /** Counts one try; `kind` says of what, and is the name that a row of the table asks for. */
  tried(kind: string): Try
  /** Everything that was tried until now has been judged: it counts, whatever becomes of this run. */
  judged(): void
  /** Which cases there are, and which of them were played on this code; the campaign adds to it. */
  cases: AllCases
  /** Counts what is no try of its own. */
  noted(what: string): void
  /** The same as of the last try. The campaign continues, so that one run finds more than one. */
  broken(what: string): void
  /** Undone in reverse order, whatever happens; returns what was still running, which counts as broken. */
  afterwards(clean: () => Promise<unknown>): void
  log(line: string): void
}

/** AO_SEED repeats a run; AO_TRIES makes a campaign shorter or longer than its own default. 0 when its AO_SECONDS are over. */
export function triesOr(standard: number): number {
  return isTimeUp() ? 0 : Number(process.env.AO_TRIES ?? standard)
}

/** By kind, on this code: what was tried least is tried next. */
export function triedBefore(): Record<string, number> {
  return JSON.parse(process.env.AO_TRIED ?? '{}') as Record<string, number>
}

/** What a slice of a run has learnt spares the next one of the same campaign the same work. */
export function learntBefore<T>(name: string, beginning: T): { learnt: T; keep(): void } {
  const runs = process.env.AO_TORTURE_RUNS
  const file = runs === undefined ? null : join(runs, '..', `learnt ${name}.json`)
  const learnt = file !== null && existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : beginning
  return { learnt, keep: () => file !== null && replaceFile(file, JSON.stringify(learnt)) }
}

function casesBefore(): AllCases {
  const file = process.env.AO_TORTURE_CASES
  return file ? (JSON.parse(readFileSync(file, 'utf8')) as AllCases) : {}
}

/** Of Linux on every machine that Node.js runs on. */
const TICKS_A_SECOND = 100

/** Two slices may end at the same time. */
function replaceFile(file: string, text: string): void {
  writeFileSync(`${file}.${process.pid}`, text)
  renameSync(`${file}.${process.pid}`, file)
}

export function isTimed(): boolean {
  return Number.isFinite(Number(process.env.AO_SECONDS ?? Number.NaN))
}

let begunAt = performance.now()

export function isTimeUp(): boolean {
  return isStopped || performance.now() - begunAt > Number(process.env.AO_SECONDS ?? Number.POSITIVE_INFINITY) * 1000
}

/** It comes to its end, as when its time is up, and what it has proved until then counts. */
let isStopped = false

const campaigns = new Map<string, (one: Campaign) => Promise<void>>()

export function campaign(name: string, play: (one: Campaign) => Promise<void>): void {
  campaigns.set(name, play)
}

/** Of those that the loaded files have. true: nothing broke. */
export async function playCampaign(name: string): Promise<boolean> {
  process.on('SIGTERM', () => {
    isStopped = true
  })
  const seed = Number(process.env.AO_SEED ?? Date.now() % 2 ** 31)
  const started = performance.now()
  begunAt = started
  const { kinds, notes, failures, cleanups, ...shared } = createCampaign(name, seed)
  const { cases } = shared
  const leave = () => {
    const seconds = Math.round((performance.now() - started) / 100) / 10
    const cpuSeconds = Math.round(10 * (cpuSecondsOf(process.pid) + besideSeconds)) / 10
    const listed = Object.keys(cases).length > 0 && { cases }
    const load = Math.round(loadavg()[0]! * 10) / 10
    leaveRun({ campaign: name, kinds, notes, ...listed, seed, seconds, cpuSeconds, load })
  }
  const one = { ...shared, judged: leave }
  const fail = (what: string, error: unknown) =>
    one.broken(`${what}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  try {
    await campaigns.get(name)!(one)
  } catch (error) {
    fail('the campaign itself ended', error)
  }
  for (const clean of cleanups.reverse()) {
    const strays = await clean().catch((error: unknown) => fail('nothing is cleaned up', error))
    for (const stray of Array.isArray(strays) ? strays : []) one.broken(`still running at the end: ${stray}`)
  }
  leave()
  return failures.length === 0
}

function createCampaign(name: string, seed: number) {
  const kinds: Record<string, Count> = {}
  const notes: Record<string, number> = {}
  const failures: string[] = []
  const cleanups: Array<() => Promise<unknown>> = []
  const tried = (kind: string): Try => {
    const count = kinds[kind] ?? { tries: 0, broken: 0 }
    kinds[kind] = count
    count.tries++
    let isBroken = false
    last = {
      broken(what) {
        failures.push(`${kind}: ${what}`)
        console.log(`BROKEN: ${name}, seed ${seed}: ${kind}: ${what}`)
        if (!isBroken) count.broken++
        isBroken = true
      },
    }
    return last
  }
  let last: Try | null = null
  return {
    ...{ kinds, notes, failures, cleanups, seed, random: createRandom(seed), cases: casesBefore(), tried },
    noted: (what: string) => {
      notes[what] = (notes[what] ?? 0) + 1
    },
    name,
    broken: (what: string) => (last ?? tried('beginnings')).broken(what),
    afterwards: (clean: () => Promise<unknown>) => void cleanups.push(clean),
    log: (line: string) => console.log(`${name}: ${line}`),
  }
}

function leaveRun(run: CampaignRun): void {
  const file = process.env.AO_TORTURE_RUNS
  if (file) replaceFile(file, `${JSON.stringify(run)}\n`)
}

let besideSeconds = 0

/** A process that is nobody's child is about to be killed: what it has computed belongs to this campaign. */
export function endedBeside(pid: number): void {
  besideSeconds += cpuSecondsOf(pid)
}

/** With its children that have ended. 0 where nobody says. */
function cpuSecondsOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_A_SECOND
  } catch {
    // It has ended, or this is no Linux.
    return 0
  }
}
