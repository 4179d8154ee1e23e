// The forge of one project: its options, its files, its repository.
import type { ProjectConfig } from '../contract/config.ts'
import { openRepository } from '../git/repository.ts'
import { systemClock } from '../lib/clock.ts'
import type { PluginContext } from '../slots/plugin.ts'
import type { ForgeOptions } from './forge-options.ts'
import { gateCommands } from './gates/gate-commands.ts'
import { createMergeMemory } from './merge/merge-memory.ts'
import { projectDirectory } from './project-directory.ts'
import { createCheckStore } from './pulls/pull-checks.ts'
import { createLocalPulls } from './pulls/pull-store.ts'
import type { LocalForge } from './types.ts'

export function createForge(project: ProjectConfig, options: ForgeOptions, context: PluginContext): LocalForge {
  const projectDir = projectDirectory(context, project.id)
  return {
    project,
    options: { ...options, ci: [...options.ci, ...gateCommands(project)] },
    context,
    pulls: createLocalPulls({ projectDir, clock: systemClock }),
    checks: createCheckStore({ projectDir }),
    repository: () => openRepository(project.path, context.env),
    memory: createMergeMemory(),
  }
}
