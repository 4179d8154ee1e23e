// The plugins a project has chosen, with the options it gave them. null: none is chosen.
import type { PluginChoice, ProjectConfig } from '../contract/config.ts'
import { pluginName, resolveWorkspace } from '../core/session/resolve-launch.ts'
import type { Scm } from '../slots/scm.ts'
import type { Tracker } from '../slots/tracker.ts'
import type { Workspace } from '../slots/workspace.ts'
import type { ManagerContext } from './context.ts'

export async function trackerOf(context: ManagerContext, project: ProjectConfig): Promise<Tracker | null> {
  const choice = project.tracker ?? context.config.plugins.tracker?.name
  if (choice === undefined) return null
  return context.registry.load('tracker', choice)
}

export async function scmOf(
  context: Pick<ManagerContext, 'config' | 'registry'>,
  project: ProjectConfig,
): Promise<Scm | null> {
  const choice = project.scm ?? context.config.plugins.scm?.name
  if (choice === undefined) return null
  return context.registry.load('scm', choice)
}

/** The plugin named in a session's record, which may predate the configuration's current choice. */
export async function workspaceOf(
  context: ManagerContext,
  project: ProjectConfig,
  recorded?: string | undefined,
): Promise<Workspace> {
  const configured: PluginChoice = project.workspace ?? resolveWorkspace(context.config, project)
  const choice = recorded === undefined || recorded === pluginName(configured) ? configured : recorded
  return context.registry.load('workspace', choice)
}
