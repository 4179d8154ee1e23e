// Where the data of a project is, for plugins: they know the configuration's directory, not its content.
import { join } from 'node:path'
import { pageAddress } from '../slots/page-address.ts'
import type { PluginContext } from '../slots/plugin.ts'
import { dataHash } from '../store/paths.ts'

export function projectDirectory(context: Pick<PluginContext, 'dataDir' | 'configDir'>, projectId: string): string {
  return join(context.dataDir, `${dataHash(context.configDir, context.dataDir)}-${projectId}`)
}

/** An address below the dashboard's, which shows issues and pull requests of the local forge. */
export function dashboardUrl(context: Pick<PluginContext, 'page' | 'port'>, projectId: string, page: string): string {
  return `${pageAddress(context)}/projects/${projectId}/${page}`
}
