// Where the data of a project is, for plugins: they know the configuration's directory, not its content.
import { join } from 'node:path'
import type { PluginContext } from '../../slots/plugin.ts'
import { hashConfigDir } from '../../store/paths.ts'

export function projectDirectory(context: Pick<PluginContext, 'dataDir' | 'configDir'>, projectId: string): string {
  return join(context.dataDir, `${hashConfigDir(context.configDir)}-${projectId}`)
}

/** An address below the dashboard's, which shows issues and pull requests of the local forge. */
export function dashboardUrl(port: number | undefined, projectId: string, page: string): string {
  return `http://localhost:${port ?? 3000}/projects/${projectId}/${page}`
}
