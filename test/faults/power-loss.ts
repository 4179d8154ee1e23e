// One life of sessions, recorded; then the power is cut at random moments of it, and the next commands on what is left are
// compared with what had been acknowledged by then.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRandom, type Random } from '../../src/rehearsal/random.ts'
import type { RunResult } from '../support/ao-home.ts'
import { createAsker } from './asked.ts'
import { cutPower, loseNothing, type State, writeState } from './power-cut.ts'
import { createPreload, type Preload, recording } from './preload.ts'
import { endAll } from './snapshots.ts'
import { beginTrace, completeTrace, type Trace } from './trace.ts'

/** A HOME and what runs in it. */
export interface Scene {
  home: string
  /** Where commands are given, and the built one. */
  repo: string
  program: string
  env: NodeJS.ProcessEnv
  run(args: string[], env?: NodeJS.ProcessEnv): RunResult
  cleanup(): Promise<string[]>
}

export interface Life<S extends Scene = Scene> {
  name: string
  /** `at`: where an earlier one was, whose disk it is given. */
  create(at?: string): Promise<S>
  /** In this order; each must succeed. The names say what is acknowledged then. */
  steps: Array<[name: string, play: (scene: S, env: NodeJS.ProcessEnv) => RunResult]>
  /** The next commands after a power loss; what is wrong with their answers. */
  check(scene: S, seen: Seen): AsyncGenerator<string>
}

export interface Seen {
  /** Acknowledged before the cut. */
  done: Set<string>
  /** Was running; null: it happened between two commands. */
  during: string | null
  random: Random
  /** For everything after the cut: another boot of the machine. */
  env: NodeJS.ProcessEnv
  /** The first is a process of its own. */
  ask(args: string[]): Promise<RunResult>
}

export interface PowerLossOptions {
  seed: number
  states: number
  /** No further state is played then. */
  isTimeUp?(): boolean
  /** Of the same life, from a run before this one. */
  recorded?: Recorded | null
  /** For the next run. */
  keep?(recorded: Recorded): void
  tried(during: string): void
  broken(what: string): void
}

/** What was done, below one path. */
export interface Recorded {
  home: string
  trace: Trace
  /** Number of changes when each step was acknowledged. */
  marks: number[]
}

export async function playPowerLoss<S extends Scene>(life: Life<S>, options: PowerLossOptions): Promise<string[]> {
  const before = options.recorded ?? null
  if (before) mkdirSync(before.home, { recursive: true })
  const scene = await life.create(before?.home)
  const directory = mkdtempSync(`${scene.home}-faults-`)
  const boot = join(directory, 'boot')
  writeFileSync(boot, '00000000-0000-4000-8000-000000000001\n')
  try {
    const preload = createPreload(directory, scene.home)
    const recorded = before ?? (await record(life, scene, preload))
    if (before === null) {
      for (const problem of missed(recorded)) options.broken(`${life.name}: the recorder missed: ${problem}`)
      options.keep?.(recorded)
    }
    const env = { LD_PRELOAD: preload.env.LD_PRELOAD, AO_FAULT_BOOT: boot }
    const random = createRandom(options.seed)
    for (let n = 0; n < options.states && !options.isTimeUp?.(); n++)
      await playState(life, scene, { ...options, recorded, random, env })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
  await endAll(scene.home)
  return scene.cleanup()
}

async function record<S extends Scene>(life: Life<S>, scene: S, preload: Preload): Promise<Recorded> {
  const trace = beginTrace(scene.home)
  const env = recording(preload, 'trace')
  const bytes = life.steps.map(([name, play]) => {
    const { exitCode, stdout, stderr } = play(scene, env)
    if (exitCode !== 0) throw new Error(`${life.name}: ${name} exited with ${exitCode}: ${stdout}${stderr}`)
    return preload.trace().length
  })
  await endAll(scene.home)
  return { home: scene.home, trace, marks: completeTrace(trace, preload.trace(), bytes) }
}

/** The recorder is right only if its trace leads to what is really there. */
function missed({ home, trace }: Recorded): string[] {
  const copy = mkdtempSync(`${home}-copy-`)
  try {
    writeState(trace, loseNothing(trace), copy)
    const [real, replayed] = [home, copy].map((path) => new Map(filesBelow(path))) as [Files, Files]
    return [...new Set([...real.keys(), ...replayed.keys()])].flatMap((path) => {
      const [one, other] = [real.get(path), replayed.get(path)]
      return one === undefined ? [`${path} should be gone`] : other !== undefined && one.equals(other) ? [] : [path]
    })
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

type Files = Map<string, Buffer>

function filesBelow(path: string): Array<[string, Buffer]> {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('-shm'))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => [file.slice(path.length), readFileSync(file)])
}

interface Round extends Omit<PowerLossOptions, 'recorded'> {
  recorded: Recorded
  random: Random
  env: NodeJS.ProcessEnv
}

async function playState<S extends Scene>(life: Life<S>, scene: S, round: Round): Promise<void> {
  const { random, recorded } = round
  const { trace, marks } = recorded
  const at = chooseMoment(trace, marks, random)
  const count = marks.filter((mark) => mark <= at).length
  const done = new Set(life.steps.slice(0, count).map(([name]) => name))
  const during = marks.includes(at) ? null : (life.steps[count]?.[0] ?? null)
  await endAll(scene.home)
  const state: State = cutPower(trace, at, random)
  writeState(trace, state, scene.home)
  round.tried(during ?? `after ${life.steps[count - 1]?.[0]}`)
  const where = `${life.name}, seed ${round.seed}, change ${at} of ${trace.changes.length} (${during === null ? 'after' : 'during'} ${
    during ?? life.steps[count - 1]?.[0]
  }; ${state.described})`
  const { ask, end } = createAsker(scene, round.env)
  for await (const problem of life.check(scene, { done, during, random, env: round.env, ask }))
    round.broken(`${where}: ${problem}`)
  end()
}

/** Half of them right after something was acknowledged, when the most is at stake. */
function chooseMoment(trace: Trace, marks: readonly number[], random: Random): number {
  return random.chance(0.5) ? random.pick(marks) : random.below(trace.changes.length + 1)
}
