// What every test of a runtime needs: a home of its own, the runtime made in it, agents started in it, and none left over.
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect } from 'vitest'
import type { RuntimeHandle } from '../../src/contract/session.ts'
import { silentLog } from '../../src/lib/log.ts'
import { parseIdentity, processState } from '../../src/lib/process/process-identity.ts'
import { findBySpawnMarker, SPAWN_MARKER } from '../../src/lib/process/process-tree.ts'
import type { Plugin, PluginContext } from '../../src/slots/plugin.ts'
import type { Runtime, RuntimeLaunch } from '../../src/slots/runtime.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'
import { waitFor } from '../support/wait-for.ts'

const PACKED = join(import.meta.dirname, 'tui-echo.js')
const TUI = existsSync(PACKED) ? PACKED : join(import.meta.dirname, '..', 'fixtures', 'tui-echo.mjs')

export interface RuntimeUnderTest {
  plugin: Plugin<'runtime'>
  /** A command that does not exist: `create` refuses it, or the session ends immediately and says why. */
  missingCommand: 'refused' | 'ends'
  /** What a person types to leave. */
  detachKeys: string
  /** The file that exports the plugin, for tests that use it in another process. */
  file: string
  /** Its agents run elsewhere: with other process ids, in places that end whole. */
  elsewhere?: {
    /** Kills, without warning, the host of this session there. */
    lose(handle: RuntimeHandle): Promise<void>
    /** Giving the place back ends even what left no trace. */
    endsEverything: boolean
    /** Starts something there as a person with a shell would; without it, a person here is a person there. */
    byHand?(script: string): void
    /** How many sessions are started at a time where one would start ten. */
    many: number
    /** Ends what all sessions of a home share. */
    leave?(temp: TempHome): Promise<void>
  }
  /** It has no terminals: its agents speak ACP. */
  speaksAcp?: {
    /** The agent that does what this program does; the same for one that is such an agent already. */
    command(argv: string[]): string[]
    /** The counterpart of the terminal fake. */
    tui(flags: string[]): string[]
    prepare(temp: TempHome): Promise<void>
    /** Kills, without warning, what is between the runtime and its agents. */
    lose(): Promise<void>
  }
}

export interface RuntimeWorld {
  temp: TempHome
  runtime: Runtime
  workspace: string
  context: PluginContext
  launchOf(command: string[], changes?: Partial<RuntimeLaunch>): RuntimeLaunch
  start(command: string[], changes?: Partial<RuntimeLaunch>): Promise<RuntimeHandle>
  /** Starts the terminal fake and waits until it takes input. */
  startTui(flags?: string[]): Promise<Tui>
}

export interface Tui {
  handle: RuntimeHandle
  messages(): string[]
  untilMessages(count: number): Promise<string[]>
}

/** Call inside `describe`. The returned object is refilled before each test. */
export function useRuntimeWorld(subject: RuntimeUnderTest): RuntimeWorld {
  const world = {} as RuntimeWorld
  const started: RuntimeHandle[] = []

  beforeEach(async () => {
    const temp = createTempHome()
    const workspace = join(temp.home, 'work tree #1')
    mkdirSync(workspace)
    await subject.speaksAcp?.prepare(temp)
    const context = contextOf(temp)
    const runtime = subject.plugin.create({ graceMs: 500 }, context)
    const launchOf = (command: string[], changes: Partial<RuntimeLaunch> = {}) => {
      const given = { command, workspacePath: workspace, ...changes }
      return makeLaunch(temp, { ...given, command: subject.speaksAcp?.command(given.command) ?? given.command })
    }
    const start = async (command: string[], changes: Partial<RuntimeLaunch> = {}) => {
      const handle = await runtime.create(launchOf(command, changes))
      started.push(handle)
      return handle
    }
    const startTui = async (flags: string[] = []) => {
      const log = join(temp.home, `messages-${randomUUID()}.jsonl`)
      const launch = launchOf(subject.speaksAcp?.tui(flags) ?? [process.execPath, TUI, ...flags])
      const handle = await start(launch.command, { environment: { ...launch.environment, TUI_LOG: log } })
      await waitFor('the terminal fake', async () => (await runtime.getOutput(handle)).includes('tui-echo ready'))
      return { handle, messages: () => readMessages(log), untilMessages: (count: number) => untilMessages(log, count) }
    }
    Object.assign(world, { temp, runtime, workspace, context, launchOf, start, startTui })
  })

  afterEach(async () => {
    for (const handle of started.splice(0)) await world.runtime.destroy(handle, { force: true })
    await subject.elsewhere?.leave?.(world.temp)
    expect(await world.temp.cleanup()).toEqual([])
  })
  return world
}

export function contextOf(temp: TempHome): PluginContext {
  return {
    home: temp.home,
    env: temp.env,
    log: silentLog,
    configDir: temp.home,
    dataDir: join(temp.home, '.agent-orchestrator'),
  }
}

/** A launch as the manager would make it: the marker is in the environment. */
function makeLaunch(
  temp: TempHome,
  given: Partial<RuntimeLaunch> & { command: string[]; workspacePath: string },
): RuntimeLaunch {
  const spawnId = given.spawnId ?? randomUUID()
  const name = given.name ?? `a3b4c5d6e7f8-app-${spawnId.slice(0, 8)}`
  const stateDir = join(temp.home, 'state', name)
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  const { environment, ...rest } = given
  const base: Record<string, string> = { HOME: temp.home, PATH: temp.env.PATH ?? '', LANG: 'C.UTF-8' }
  return {
    sessionId: name.slice(13),
    name,
    stateDir,
    spawnId,
    ...rest,
    environment: { ...base, ...environment, [SPAWN_MARKER]: spawnId },
  }
}

function readMessages(log: string): string[] {
  if (!existsSync(log)) return []
  const lines = readFileSync(log, 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => (JSON.parse(line) as { text: string }).text)
}

function untilMessages(log: string, count: number): Promise<string[]> {
  return waitFor(`${count} messages`, () => {
    const messages = readMessages(log)
    return messages.length >= count ? messages : null
  })
}

function spawnIdOf(handle: RuntimeHandle): string {
  return String(handle.data?.spawnId)
}

export function processesOf(handle: RuntimeHandle): number[] {
  return findBySpawnMarker(spawnIdOf(handle)).map((one) => one.pid)
}

export async function untilDead(runtime: Runtime, handle: RuntimeHandle) {
  return waitFor('the session to be dead', async () => {
    const liveness = (await runtime.probe!([handle])).get(handle.id)
    return liveness?.state === 'dead' ? liveness : null
  })
}

/** kill -9 for the daemon that wrote this file, until it is gone. */
export async function killDaemon(daemonFile: string): Promise<void> {
  const daemon = parseIdentity((JSON.parse(readFileSync(daemonFile, 'utf8')) as { identity: string }).identity)!
  process.kill(daemon.pid, 'SIGKILL')
  await waitFor('the daemon to be gone', () => processState(daemon) === 'dead')
}
