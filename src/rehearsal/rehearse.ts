// A working day of the user's own configuration in seconds: the real tick, reactions, message path and train, on a virtual
// clock, with scripted agents. The same seed is the same day.
import type { OrchestratorConfig, ProjectConfig } from '../contract/config.ts'
import { storedSession } from '../contract/stored-session.ts'
import { REPAIR_MS, stepTrain, type TrainRule } from '../landing/train/step-train.ts'
import { trainRule } from '../landing/train/train-rule.ts'
import { createEncoder } from '../lifecycle/cassette/encode-rounds.ts'
import type { LoopContext } from '../lifecycle/loop/loop-context.ts'
import { tick } from '../lifecycle/tick/tick.ts'
import { deliver, deliverHeld, react } from '../manager/deliver.ts'
import type { AoPaths } from '../store/paths.ts'
import { revive } from './agent-life.ts'
import type { Habit, Rates } from './habits.ts'
import { createDisk, createProcess, type Disk } from './memory-disk.ts'
import { createMemoryLoop } from './memory-loop.ts'
import { liveMinute } from './minute.ts'
import { createPlugins } from './plugins.ts'
import { createRandom } from './random.ts'
import { startProcess } from './train-world.ts'
import { createWorld, MINUTE, type Reviewer, type SimAgent, type World } from './world.ts'

export interface RehearsalOptions {
  config: OrchestratorConfig
  project: ProjectConfig
  /** Of an empty home: locks and the loop's own files. Nothing of the user's is read or written. */
  paths: AoPaths
  seed: number
  agents: number
  hours: number
  mix: Readonly<Partial<Record<Habit, number>>>
  faults: boolean
  personMinutes: number
  ciMinutes: number
  /** Absent: as long as those of a head. */
  carMinutes?: number | undefined
  /** Milliseconds of a step; absent: a minute. */
  step?: number | undefined
  /** Takes the day as a cassette, line by line. */
  rates?: Rates | undefined
  record?: ((text: string) => void) | undefined
  reviewer?: Reviewer | undefined
}

export interface Rehearsal {
  options: RehearsalOptions
  world: World
  disk: Disk
  /** How often ao was killed and started again. */
  restarts: number
}

export async function rehearse(options: RehearsalOptions): Promise<Rehearsal> {
  const { agents, mix, faults, personMinutes, ciMinutes, carMinutes = ciMinutes, hours, step = MINUTE } = options
  const own = { scm: 'rehearsal', runtime: 'rehearsal', agent: 'rehearsal', place: undefined }
  const project: ProjectConfig = {
    ...options.project,
    ...own,
    gates: undefined,
    backlog: undefined,
    schedules: undefined,
  }
  const random = createRandom(options.seed)
  const rule = project.landing?.mode === 'train' ? trainRule(project, { merge: 'merge' }).rule : null
  const steps = Math.round((hours * 60 * MINUTE) / step)
  const carSteps = Math.max(1, Math.round((carMinutes * MINUTE) / step))
  const prefix = project.sessionPrefix ?? project.id
  const world = createWorld({
    random,
    agents,
    mix,
    faults,
    personMinutes,
    ciMinutes,
    step,
    reviewer: options.reviewer,
    prefix,
    hasTrain: rule !== null,
    rates: options.rates,
  })
  const disk = createDisk()
  const { paths } = options
  world.onStart = (agent) => disk.records.set(agent.id, firstRecord(agent, project.id, paths.hash))
  world.records = () =>
    [...disk.records]
      .map(([id, pairs]) => storedSession({ id, pairs }, project.id))
      .filter(({ status }) => status !== 'merged')
  world.onRestart = ({ id, launch }) => {
    const at = new Date(world.now).toISOString()
    disk.records.set(id, { ...disk.records.get(id), status: 'working', statusSince: at, launch: String(launch) })
  }
  const rehearsal: Rehearsal = { options, world, disk, restarts: 0 }
  // A few times a day, at any write.
  const mayDie = () => faults && random.chance(0.0002)
  const start = () => startLoop(rehearsal, project, mayDie)
  let running = start()
  for (let done = 0; done < steps; done++) {
    liveMinute(world)
    if (rule) await running.ride(rule, done % carSteps === 0)
    await running.tick()
    if (running.isAlive()) continue
    rehearsal.restarts += 1
    running = start()
  }
  return rehearsal
}

interface Running {
  tick(): Promise<void>
  /** `checksEnd`: what was started before has come to its end. */
  ride(rule: TrainRule, checksEnd: boolean): Promise<void>
  isAlive(): boolean
}

const MOST_STEPS = 50

function startLoop({ options, world, disk }: Rehearsal, project: ProjectConfig, mayDie: () => boolean): Running {
  const process = createProcess(mayDie)
  const train = startProcess(world.code, () => false)
  const loop = createLoop({ options, world, disk }, project, process)
  const { escalateAfterMs = REPAIR_MS } = loop.rules.get(project.id)?.['landing-failed'] ?? {}
  Object.assign(world.code, { now: () => world.now, repairTime: escalateAfterMs })
  const encoder = options.record && createEncoder(loop, project)
  if (encoder) loop.seen = []
  const { append } = train.ports
  train.ports.append = async (event) => {
    await append(event)
    loop.seen?.push({ kind: 'train', project: project.id, event })
  }
  return {
    isAlive: process.isAlive,
    async tick() {
      try {
        await tick(loop, project.id, { askForge: true })
      } catch (error) {
        if (process.isAlive()) throw error
      }
      if (!process.isAlive()) return
      for (const one of loop.seen?.splice(0) ?? [])
        for (const line of encoder?.encode(one) ?? []) options.record?.(line)
    },
    async ride(rule, checksEnd) {
      if (checksEnd) train.finishChecks()
      for (let step = 0; step < MOST_STEPS; step++) {
        const { kind } = await stepTrain(train.ports, rule)
        if (kind !== 'again') return
      }
    },
  }
}

function createLoop(
  { options, world, disk }: Pick<Rehearsal, 'options' | 'world' | 'disk'>,
  project: ProjectConfig,
  process: ReturnType<typeof createProcess>,
): LoopContext {
  const registry = createPlugins({ world, disk, process })
  const { config, paths } = options
  const now = () => world.now
  return createMemoryLoop({ config, project, paths, disk, process, registry, now }, (context) => ({
    manager: {
      deliver: (id, text, how) => deliver(context, id, text, { ...how, timeoutMs: 0 }),
      react: (id, text, how) => react(context, id, text, { ...how, timeoutMs: 0 }),
      deliverHeld: (id) => deliverHeld(context, id, { timeoutMs: 0 }),
      pendingPermissions: async () => [],
      recover: async () => [],
      async restart(id) {
        const agent = world.sessions.get(id)
        if (agent) process.write(() => revive(world, agent))
      },
      spawn: () => Promise.reject(new Error('agents take their issues by themselves here')),
      startDue: async () => null,
      startTriggered: async () => null,
      // Reviewers find nothing here.
      startReview: async () => 'a reviewer',
      kill: () => Promise.reject(new Error('nobody is ended from here')),
      startWaiting: () => Promise.reject(new Error('nothing waits here')),
      resumeAgent: async () => false,
      endSpending: () => Promise.reject(new Error('it cannot be stopped from here')),
      switchAccount: () => Promise.reject(new Error('it cannot be done from here')),
    },
    async notify(notification) {
      const key = notification.dedupeKey ?? `${disk.outbox.size}`
      process.write(() => {
        if (!disk.outbox.has(key)) disk.outbox.set(key, { ...notification, at: world.now })
      })
    },
  }))
}

function firstRecord({ id, startedAt }: SimAgent, projectId: string, hash: string): Record<string, string> {
  return {
    project: projectId,
    status: 'working',
    agent: 'rehearsal',
    branch: `session/${id}`,
    launch: '1',
    createdAt: new Date(startedAt).toISOString(),
    statusSince: new Date(startedAt).toISOString(),
    runtimeHandle: JSON.stringify({ id: `${hash}-${id}`, runtimeName: 'rehearsal' }),
  }
}
