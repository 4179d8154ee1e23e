// One life of sessions, recorded; then the power is cut at random moments of it, and the next commands on what is left are
// compared with what had been acknowledged by then.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRandom, type Random } from '../../src/rehearsal/random.ts'
import type { RunResult } from '../support/ao-home.ts'
import { cutPower, loseNothing, type State, writeState } from './power-cut.ts'
import { createPreload, recording } from './preload.ts'
import { beginTrace, completeTrace, type Trace } from './trace.ts'

/** A HOME and what runs in it. */
export interface Scene {
  home: string
  run(args: string[], env?: NodeJS.ProcessEnv): RunResult
  cleanup(): Promise<string[]>
}

export interface Life<S extends Scene = Scene> {
  name: string
  create(): Promise<S>
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
  /** For every command after the cut: another boot of the machine. */
  env: NodeJS.ProcessEnv
}

export interface PowerLossOptions {
  seed: number
  states: number
  /** No further state is played then. */
  isTimeUp?(): boolean
  tried(during: string): void
  broken(what: string): void
}

interface Recorded<S extends Scene> {
  scene: S
  trace: Trace
  /** Number of changes when each step was acknowledged. */
  marks: number[]
}

export async function playPowerLoss<S extends Scene>(life: Life<S>, options: PowerLossOptions): Promise<string[]> {
  const scene = await life.create()
  const directory = mkdtempSync(`${scene.home}-faults-`)
  const boot = join(directory, 'boot')
  writeFileSync(boot, '00000000-0000-4000-8000-000000000001\n')
  try {
    const preload = createPreload(directory, scene.home)
    const recorded = record(life, scene, { ...recording(preload, 'trace') }, () => preload.trace())
    await endAll(scene.home)
    Object.assign(recorded, complete(recorded, preload.trace()))
    for (const problem of missed(recorded)) options.broken(`${life.name}: the recorder missed: ${problem}`)
    const env = { LD_PRELOAD: preload.env.LD_PRELOAD, AO_FAULT_BOOT: boot }
    const random = createRandom(options.seed)
    for (let n = 0; n < options.states && !options.isTimeUp?.(); n++)
      await playState(life, recorded, { ...options, random, env })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
  await endAll(scene.home)
  return scene.cleanup()
}

function record<S extends Scene>(life: Life<S>, scene: S, env: NodeJS.ProcessEnv, trace: () => Buffer) {
  const begun = beginTrace(scene.home)
  const bytes = life.steps.map(([name, play]) => {
    const { exitCode, stdout, stderr } = play(scene, env)
    if (exitCode !== 0) throw new Error(`${life.name}: ${name} exited with ${exitCode}: ${stdout}${stderr}`)
    return trace().length
  })
  return { scene, trace: begun, bytes, marks: [] as number[] }
}

function complete<S extends Scene>(recorded: ReturnType<typeof record<S>>, bytes: Buffer) {
  return { marks: completeTrace(recorded.trace, bytes, recorded.bytes) }
}

/** The recorder is right only if its trace leads to what is really there. */
function missed({ scene, trace }: Recorded<Scene>): string[] {
  const copy = mkdtempSync(`${scene.home}-copy-`)
  try {
    writeState(trace, loseNothing(trace), copy)
    const [real, replayed] = [scene.home, copy].map((path) => new Map(filesBelow(path))) as [Files, Files]
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

interface Round extends PowerLossOptions {
  random: Random
  env: NodeJS.ProcessEnv
}

async function playState<S extends Scene>(life: Life<S>, recorded: Recorded<S>, round: Round): Promise<void> {
  const { scene, trace, marks } = recorded
  const { random } = round
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
  for await (const problem of life.check(scene, { done, during, random, env: round.env })) {
    round.broken(`${where}: ${problem}`)
  }
}

/** Half of them right after something was acknowledged, when the most is at stake. */
function chooseMoment(trace: Trace, marks: readonly number[], random: Random): number {
  return random.chance(0.5) ? random.pick(marks) : random.below(trace.changes.length + 1)
}

/** As the machine does: everything at once, without a word. */
async function endAll(home: string): Promise<void> {
  const needle = `HOME=${home}\0`
  for (let left = true; left; ) {
    left = false
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        if (Number(pid) === process.pid || !readFileSync(`/proc/${pid}/environ`, 'utf8').includes(needle)) continue
        process.kill(Number(pid), 'SIGKILL')
        left = true
      } catch {
        // It has ended.
      }
    }
    if (left) await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
