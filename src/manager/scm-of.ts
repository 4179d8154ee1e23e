// The forge plugin of a project, or null when none is chosen.
import type { ProjectConfig } from '../contract/config.ts'
import { pluginName } from '../core/resolve-launch.ts'
import type { Scm } from '../slots/scm.ts'
import type { ManagerContext } from './context.ts'

export async function scmOf(context: ManagerContext, project: ProjectConfig): Promise<Scm | null> {
  const name = pluginName(project.scm) ?? context.config.plugins.scm?.name
  if (name === undefined) return null
  await context.registry.ensure('scm', name)
  return context.registry.require('scm', name)
}
