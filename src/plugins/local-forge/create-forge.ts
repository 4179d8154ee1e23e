// The forge of one project: its options, its files, its repository.
import type { ProjectConfig } from '../../contract/config.ts'
import { systemClock } from '../../lib/clock.ts'
import type { PluginContext } from '../../slots/plugin.ts'
import { createLocalPulls } from '../../store/local-pulls.ts'
import { createCheckStore } from '../../store/local-pulls-checks.ts'
import { openRepository } from '../git-workspace/repository.ts'
import type { ForgeOptions } from './forge-options.ts'
import { createMergeMemory } from './merge-memory.ts'
import { projectDirectory } from './project-directory.ts'
import type { LocalForge } from './types.ts'

export function createForge(project: ProjectConfig, options: ForgeOptions, context: PluginContext): LocalForge {
  const projectDir = projectDirectory(context, project.id)
  return {
    project,
    options,
    context,
    pulls: createLocalPulls({ projectDir, clock: systemClock }),
    checks: createCheckStore({ projectDir }),
    repository: () => openRepository(project.path, context.env),
    memory: createMergeMemory(),
  }
}
