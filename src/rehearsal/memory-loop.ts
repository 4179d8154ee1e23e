// The loop of a simulated day: the real one, over records and a disk in memory.
import { mkdirSync } from 'node:fs'
import type { OrchestratorConfig, ProjectConfig } from '../contract/config.ts'
import { silentLog } from '../lib/log.ts'
import { createLoopState, type LoopContext } from '../lifecycle/loop/loop-context.ts'
import type { ManagerContext } from '../manager/context.ts'
import type { PluginRegistry } from '../slots/registry.ts'
import type { AoPaths } from '../store/paths.ts'
import { createMemoryReactions, createMemoryStore, type createProcess, type Disk } from './memory-disk.ts'

interface MemoryWorld {
  config: OrchestratorConfig
  project: ProjectConfig
  /** Of an empty home: locks and the loop's own files. */
  paths: AoPaths
  disk: Disk
  process: ReturnType<typeof createProcess>
  registry: PluginRegistry
  now(): number
}

/** `manage`: what becomes of what the loop does. */
export function createMemoryLoop(
  { config, project, paths, disk, process, registry, now }: MemoryWorld,
  manage: (context: ManagerContext) => Pick<LoopContext, 'manager' | 'notify'> & Partial<LoopContext>,
): LoopContext {
  const own = paths.project(project.id)
  mkdirSync(own.locks, { recursive: true })
  const clock = { now: () => new Date(now()) }
  const store = createMemoryStore({
    projectId: project.id,
    disk,
    process,
    clock,
    paths: own,
    interfere: () => undefined,
  })
  const context: ManagerContext = {
    config: { ...config, projects: { [project.id]: project } },
    registry,
    paths,
    clock,
    log: silentLog,
    env: {},
    aoCommand: ['ao'],
    store: () => store,
    dashboardPort: () => undefined,
    observe: () => undefined,
  }
  return {
    context,
    say: () => undefined,
    health: () => undefined,
    ...createLoopState(context),
    reactions: createMemoryReactions({ disk, process }),
    ...manage(context),
  }
}
