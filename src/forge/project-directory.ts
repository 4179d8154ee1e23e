// Where the data of a project is, for plugins: they know the configuration's directory, not its content.
import { join } from 'node:path'
import type { PluginContext } from '../slots/plugin.ts'
import { dataHash } from '../store/paths.ts'

export function projectDirectory(context: Pick<PluginContext, 'dataDir' | 'configDir'>, projectId: string): string {
  return join(context.dataDir, `${dataHash(context.configDir, context.dataDir)}-${projectId}`)
}

/** Also for 0, which lets the system choose when the dashboard starts. */
const DEFAULT_PORT = 3000

/** An address below the dashboard's, which shows issues and pull requests of the local forge. */
export function dashboardUrl(context: Pick<PluginContext, 'page' | 'port'>, projectId: string, page: string): string {
  const base = context.page?.() ?? `http://localhost:${context.port || DEFAULT_PORT}`
  return `${base}/projects/${projectId}/${page}`
}
