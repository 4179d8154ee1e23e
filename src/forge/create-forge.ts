// The forge of one project: its options, its files, its repository.
import type { ProjectConfig } from '../contract/config.ts'
import { AoError } from '../contract/errors.ts'
import { createMergeMemory } from '../git/merge-memory.ts'
import { repositoryAt } from '../git/repository.ts'
import { createCheckStore } from '../landing/checks/check-store.ts'
import { gateCommands } from '../landing/checks/gate-commands.ts'
import { systemClock } from '../lib/clock.ts'
import { projectDirectory } from '../lib/process/own-home.ts'
import type { PluginContext } from '../slots/plugin.ts'
import { createLocalPulls } from './pulls/pull-store.ts'
import type { ForgeOptions, LocalForge } from './types.ts'

export function createForge(project: ProjectConfig, options: ForgeOptions, context: PluginContext): LocalForge {
  const projectDir = projectDirectory(context, project.id)
  return {
    project,
    options: { ...options, ci: [...options.ci, ...gateCommands(project)] },
    context,
    projectDir,
    pulls: createLocalPulls({ projectDir, clock: systemClock }),
    checks: createCheckStore({ projectDir }),
    repository: repositoryAt(project.path, context.env),
    memory: createMergeMemory(),
    changedChecks: new Map(),
  }
}

/** Commands of a repository's configuration run only when exactly this list was consented to. */
export function requireTrust(forge: LocalForge): void {
  const { requireTrust } = forge.context
  if (!requireTrust) {
    throw new AoError('CONFIG_UNTRUSTED', `The CI commands of project ${forge.project.id} were not agreed to`)
  }
  requireTrust('ci', forge.project.id)
}
