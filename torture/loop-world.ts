// A repository with `ao start` beside it, which campaigns start and kill again and again.
import { spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { LEAN_NODE } from '../src/cli/ao/start/lean-node.ts'
import type { SessionEvent } from '../src/contract/events.ts'
import { identify } from '../src/lib/process/process-identity.ts'
import { loopState, readRunState, runFiles } from '../src/lifecycle/loop/run-state.ts'
import { createPaths } from '../src/store/paths.ts'
import { runHere } from '../test/support/ao-here.ts'
import type { RunResult } from '../test/support/ao-home.ts'
import { createRepo, git } from '../test/support/git-repo.ts'
import { AO, type AoWorld, buildAo, createAoWorld } from '../test/support/run-ao.ts'
import { waitFor } from '../test/support/wait-for.ts'
import { type Campaign, endedBeside, isTimeUp, learntBefore } from './campaign.ts'
import { MOST_MISSED, ON_THE_WAY } from './failpoints.ts'

export const TOP = 'port: 0\nlifecycle: { pollSeconds: 1 }\ndefaults: { notifiers: [] }\n'

buildAo()

/** `beside`: further repositories, next to the first. */
export async function createLoopWorld(
  config: string,
  { afterwards }: Campaign,
  beside: readonly string[] = [],
): Promise<AoWorld> {
  const world = createAoWorld({ config })
  const { home, env } = world.temp
  // It is the loop that is tried: nobody waits for what an agent pretends to think.
  env.DEMO_AGENT_SPEED = '20'
  afterwards(async () => {
    await world.ao(['stop', '--sessions'])
    return world.temp.cleanup()
  })
  for (const path of [world.repo, ...beside.map((name) => createRepo(join(home, name), env))]) {
    writeFileSync(join(path, 'answer-0'), '42\n')
    git(path, env, 'add', '-A')
    git(path, env, 'commit', '-qm', 'base')
  }
  await world.ao(['config', 'trust', '--yes'])
  return world
}

/** Asked all the time, a process for each question would cost more than the loop. */
export function answerOf({ temp, repo }: AoWorld, args: string[]): Promise<RunResult> {
  return runHere(args, { env: temp.env, repo })
}

/** Of what nobody kills; what it says when it is refused. */
export async function act(world: AoWorld, args: string[]): Promise<void> {
  const { exitCode, stderr } = await answerOf(world, args)
  if (exitCode !== 0) throw new Error(`ao ${args.join(' ')} ended with ${exitCode}: ${stderr}`)
}

export async function ask<T>(world: AoWorld, args: string[]): Promise<T> {
  const { stdout, stderr } = await answerOf(world, [...args, '--json'])
  if (stdout === '') throw new Error(`ao ${args.join(' ')} printed no JSON: ${stderr}`)
  return JSON.parse(stdout) as T
}

const START_MS = 60_000
/** Those that are ours: the kernel tells us what they have computed. */
const ownLoops = new Set<number>()

/** Its program, as `ao start` starts it: a command of its own for each life would cost as much as the life. May be killed on its way. */
export async function start({ temp, repo }: AoWorld, env: NodeJS.ProcessEnv = {}): Promise<number> {
  const configPath = join(repo, 'agent-orchestrator.yaml')
  const files = runFiles(createPaths({ configPath, home: temp.home, env: temp.env }))
  const running = readRunState(files)
  if (running !== null && loopState(running) === 'alive') return running.pid
  mkdirSync(dirname(files.log), { recursive: true, mode: 0o700 })
  const log = openSync(files.log, 'a', 0o600)
  const argv = [...LEAN_NODE, AO, 'start', '--foreground', '--no-restore', '--config', configPath]
  const how = { cwd: repo, detached: true, env: { ...temp.env, ...env } }
  const child = spawn(process.execPath, argv, { ...how, stdio: ['ignore', log, log] })
  closeSync(log)
  const pid = child.pid!
  ownLoops.add(pid)
  child.once('exit', () => ownLoops.delete(pid))
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  await waitFor('the loop', () => hasEnded() || readRunState(files)?.pid === pid, START_MS)
  if (child.exitCode !== null)
    throw new Error(`the loop did not start: ${readFileSync(files.log, 'utf8').slice(-2_000)}`)
  child.unref()
  return pid
}

/** Resolves when it is gone. */
export async function killNow(pid: number): Promise<void> {
  if (identify(pid) === null) return
  if (!ownLoops.has(pid)) endedBeside(pid)
  process.kill(pid, 'SIGKILL')
  await waitFor('its end', () => identify(pid) === null && !ownLoops.has(pid))
}

export const rest = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

export interface Killer {
  kills: number
  /** Until it is so, the loop is killed again and again, mostly at one of the points. */
  until(what: string, isSo: () => Promise<boolean>): Promise<void>
}

/** Where ao keeps the sessions of a project. */
export function dataDirectory(world: AoWorld, project = 'app'): string {
  const data = join(world.temp.home, '.agent-orchestrator')
  return join(data, readdirSync(data).find((name) => name.endsWith(`-${project}`)) ?? '')
}

/** As its file has it, without a line that is being written: asked all the time, `ao events` would cost more than the loop. */
export function historyOf(world: AoWorld, id: string): SessionEvent[] {
  const file = join(dataDirectory(world), 'history', `${id}.jsonl`)
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter((line) => line.endsWith('}')).map((line) => JSON.parse(line) as SessionEvent)
}

const MOST_LIVES = 200
/** When the time is up, nothing is killed any more: the loop brings to its end what was begun. */
const REST_MS = 180_000

export interface Points {
  pick(doing: string): string
  /** Whether the loop came to it while it did this. */
  came(doing: string, point: string, hasCome: boolean): void
}

/** Mostly those that the loop comes to: a life that waits for another one proves no more than one that ends at any moment. */
export function createPoints(name: string, points: readonly string[], random: Campaign['random']): Points {
  const { learnt: missed, keep } = learntBefore<Record<string, number>>(name, {})
  return {
    pick(doing) {
      const open = points.filter((point) => (missed[`${doing} ${point}`] ?? 0) < MOST_MISSED)
      return random.pick(open.length === 0 || random.chance(0.1) ? points : open)
    },
    came(doing, point, hasCome) {
      const key = `${doing} ${point}`
      const before = missed[key] ?? 0
      missed[key] = hasCome ? ON_THE_WAY : before + 1
      if (before >= 0) keep()
    },
  }
}

export function createKiller(world: AoWorld, one: Campaign, points: readonly string[]): Killer {
  const onTheWay = createPoints(one.name, points, one.random)
  const killer: Killer = {
    kills: 0,
    async until(what, isSo) {
      // Every round does the same.
      const doing = what.replace(/\d+/g, '')
      for (let lives = 0; !(await isSo()); lives++) {
        if (lives > MOST_LIVES) throw new Error(`${what}: never in ${MOST_LIVES} lives of the loop`)
        if (isTimeUp()) {
          await start(world)
          await waitFor(what, isSo, REST_MS)
          return
        }
        const point = one.random.chance(0.8) ? onTheWay.pick(doing) : null
        const begun = performance.now()
        const pid = await start(world, point === null ? {} : { AO_FAILPOINT: point })
        // As long as the machine needs for a start: a point that is not on its way now is not waited for.
        const unit = Math.min(1_500, Math.max(300, performance.now() - begun))
        const hasEnded = () => identify(pid) === null
        // Nobody asks meanwhile whether it is so: that would cost more than another life, which is a try.
        const longest = (point === null ? 0 : 1.5 * unit) + one.random.below(2 * unit)
        await waitFor(what, hasEnded, longest).catch(() => undefined)
        if (point !== null) onTheWay.came(doing, point, hasEnded())
        const isByItself = hasEnded() && point === null
        one.noted(hasEnded() && point !== null ? point : 'at any moment')
        await killNow(pid)
        killer.kills += 1
        const attempt = one.tried('kills')
        if (isByItself) attempt.broken(`${what}: the loop ended by itself`)
      }
    },
  }
  return killer
}
