// One life of a project on a virtual clock: the real tick with the real store rules, message path and decisions, in a
// world of random facts, failures and deaths of the loop.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { REACTION_KEYS } from '../../src/contract/config/reaction-keys.ts'
import type { OrchestratorConfig, ProjectConfig } from '../../src/contract/config.ts'
import type { ReactionKey, ReactionRule } from '../../src/contract/reactions.ts'
import { resolveRules } from '../../src/core/reactions/resolve-rules.ts'
import { silentLog } from '../../src/lib/log.ts'
import { createLoopState, type LoopContext } from '../../src/lifecycle/loop/loop-context.ts'
import { tick } from '../../src/lifecycle/tick/tick.ts'
import type { ManagerContext } from '../../src/manager/context.ts'
import { deliverHeld, react } from '../../src/manager/deliver.ts'
import {
  createDisk,
  createMemoryReactions,
  createMemoryStore,
  createProcess,
  type Disk,
  type Process,
} from '../../src/rehearsal/memory-disk.ts'
import { createRandom, type Random } from '../../src/rehearsal/random.ts'
import type { AoPaths } from '../../src/store/paths.ts'
import { unusedManager } from './loop-world.ts'
import { contradictions, type Seen } from './simulation-oracle.ts'
import { createPlugins, type Interruption } from './simulation-plugins.ts'
import { createWorld, live, MINUTE, type World } from './simulation-world.ts'

export interface Life {
  world: World
  disk: Disk
  rules: Record<ReactionKey, ReactionRule>
  /** Statuses that contradict the facts they were derived from. */
  contradictions: string[]
  deaths: number
  /** Moments between two writes. */
  moments: number
}

export interface LifeOptions {
  seed: number
  paths: AoPaths
  /** Dies at this moment and at no other; undefined: now and then. */
  diesAt?: number
  ticks?: number
}

const QUIET_TICKS = 8

export async function simulate({ seed, paths, diesAt, ticks = 22 }: LifeOptions): Promise<Life> {
  const world = createWorld(createRandom(seed))
  // Apart from the world's own luck, so that a life with another death is the same life until then.
  const luck = createRandom(seed + 1_000_000)
  const config = randomConfig(world.random)
  const disk = createDisk()
  // The loop's only file that is real here.
  rmSync(join(paths.project('app').dir, 'loop', 'all-complete.json'), { force: true })
  for (const id of world.inhabitants.keys()) disk.records.set(id, firstRecord(id, `${paths.hash}-${id}`, world))
  const rules = resolveRules(config, config.projects.app!)
  const life: Life = { world, disk, rules, contradictions: [], deaths: 0, moments: 0 }
  const mayDie = () => {
    life.moments += 1
    if (world.isQuiet) return false
    return diesAt === undefined ? luck.chance(0.01) : life.moments === diesAt
  }
  const start = () => startLoop({ life, paths, config, process: createProcess(mayDie) })
  let running = start()
  for (let index = 0; index < ticks + QUIET_TICKS; index++) {
    world.isQuiet = index >= ticks
    if (!world.isQuiet) live(world)
    else settleDown(world)
    world.now += world.isQuiet ? 6 * MINUTE : world.random.below(3 * MINUTE)
    for (let again = world.random.chance(0.1) ? 2 : 1; again > 0; again--) {
      await running.tick()
      if (running.isAlive()) continue
      life.deaths += 1
      running = start()
    }
  }
  return life
}

/** What was unclear becomes clear; nothing else changes. */
function settleDown(world: World): void {
  for (const one of world.inhabitants.values()) if (one.runtime.state === 'unknown') one.runtime = { state: 'alive' }
}

interface Running {
  tick(): Promise<void>
  isAlive(): boolean
}

function startLoop(options: { life: Life; paths: AoPaths; config: OrchestratorConfig; process: Process }): Running {
  const { life, paths, config, process } = options
  const { world, disk } = life
  const clock = { now: () => new Date(world.now) }
  const interruption: Interruption = { interfered: false, mayHold: false, held: [], onHold: () => undefined }
  const store = createMemoryStore({
    projectId: 'app',
    disk,
    process,
    clock,
    paths: paths.project('app'),
    interfere: (id) => interfere(world, disk, id, interruption),
  })
  const seen: Seen = new Map()
  const acting: LoopContext['acting'] = new Map()
  const releasing: LoopContext['releasing'] = new Map()
  const plugins = createPlugins({
    world,
    disk,
    process,
    seen,
    interruption,
    isActing: (id) => acting.has(id) || releasing.has(id),
  })
  const context: ManagerContext = {
    config,
    registry: plugins.registry,
    paths,
    clock,
    log: silentLog,
    env: {},
    aoCommand: ['ao'],
    store: () => store,
    dashboardPort: () => undefined,
    observe: () => undefined,
  }
  const loop: LoopContext = {
    context,
    manager: {
      ...unusedManager,
      react: (id, text, how) => react(context, id, text, { ...how, timeoutMs: 0 }),
      deliverHeld: (id) => deliverHeld(context, id, { timeoutMs: 0 }),
      restart: plugins.restart,
    },
    async notify(notification) {
      if (!world.isQuiet && world.random.chance(0.1)) throw new Error('the outbox is full')
      const key = notification.dedupeKey ?? ''
      process.write(() => {
        if (!disk.outbox.has(key)) disk.outbox.set(key, { ...notification, at: world.now })
      })
    },
    say: () => undefined,
    health: () => undefined,
    ...createLoopState(context),
    reactions: createMemoryReactions({ disk, process }),
    acting,
    releasing,
  }

  const observeOnce = async (inBackground: boolean) => {
    seen.clear()
    interruption.interfered = false
    const before = new Map([...disk.records].map(([id, { status = '' }]) => [id, status]))
    const acted = [...acting.keys(), ...releasing.keys()]
    const askForge = world.isQuiet || !world.random.chance(0.2)
    const ticks = await tick(loop, 'app', { askForge, inBackground }).catch((error) => {
      if (process.isAlive()) throw error
      return []
    })
    if (!process.isAlive() || interruption.interfered) return
    // A message that was handed over in the middle of a tick changes the record: the next tick says what the forge has answered in this one.
    const isHandedOver = (id: string) => acted.includes(id) && !acting.has(id) && !releasing.has(id)
    for (const { session } of ticks.filter((one) => !isHandedOver(one.session.id)))
      life.contradictions.push(...contradictions({ session, before: before.get(session.id)!, seen, now: world.now }))
  }
  return {
    isAlive: process.isAlive,
    async tick() {
      const inBackground = !world.isQuiet && world.random.chance(0.15)
      interruption.mayHold = inBackground
      const held = new Promise<void>((resolve) => {
        interruption.onHold = resolve
      })
      await observeOnce(inBackground)
      if (!inBackground) return
      // A message takes long: the loop continues, ticks again, and the message arrives in the middle of that.
      await Promise.race([Promise.all(loop.acting.values()), held])
      if (process.isAlive()) {
        world.now += world.random.below(MINUTE)
        await observeOnce(true)
      }
      interruption.mayHold = false
      for (const release of interruption.held.splice(0)) release()
      await Promise.all(loop.acting.values())
    },
  }
}

/** The wrapper inside a session notes a pull request in the very moment in which the loop wants to write. */
function interfere(world: World, disk: Disk, id: string, interruption: Interruption): void {
  const one = world.inhabitants.get(id)!
  const pairs = disk.records.get(id)
  if (world.isQuiet || one.pr === null || pairs?.status !== 'working' || !world.random.chance(0.1)) return
  interruption.interfered = true
  disk.records.set(id, { ...pairs, status: 'pr_open', pr: one.pr.pr.url })
}

function firstRecord(id: string, runtimeName: string, { now }: World): Record<string, string> {
  return {
    project: 'app',
    status: 'working',
    agent: 'sim',
    branch: `session/${id}`,
    launch: '1',
    createdAt: new Date(now).toISOString(),
    runtimeHandle: JSON.stringify({ id: runtimeName, runtimeName: 'sim' }),
  }
}

function randomConfig(random: Random): OrchestratorConfig {
  const reactions: NonNullable<OrchestratorConfig['reactions']> = {}
  for (const key of REACTION_KEYS) {
    const rule: NonNullable<(typeof reactions)[ReactionKey]> = {}
    if (random.chance(key === 'approved-and-green' ? 0.8 : 0.3)) rule.auto = random.chance(0.7)
    if (key.startsWith('agent-') && random.chance(0.4))
      rule.action = random.pick(['notify', 'send-to-agent', 'restart-agent'] as const)
    if (random.chance(0.3)) rule.retries = random.below(4)
    if (random.chance(0.3)) rule.escalateAfter = `${random.below(20)}m`
    reactions[key] = rule
  }
  // It is a real file, which a loaded disk makes slow: a few lives have to suffice.
  reactions['all-complete'] = { auto: random.chance(0.03) }
  const project = { id: 'app', name: 'App', scm: 'sim', defaultBranch: 'main' } as ProjectConfig
  return {
    configPath: '',
    projects: { app: project },
    plugins: {},
    reactions,
    readyThresholdMs: 5 * MINUTE,
  } as unknown as OrchestratorConfig
}
