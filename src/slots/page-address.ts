// The address of a configuration's pages. The only module that knows it: where a server is running, its own port counts, not the
// configured one.
import type { PluginContext } from './plugin.ts'

/** Also for 0, which lets the system choose when the server starts. */
const DEFAULT_PORT = 3000

/** Without a slash at its end. */
export function pageAddress({ page, port }: Pick<PluginContext, 'page' | 'port'>): string {
  return page?.() ?? `http://localhost:${port || DEFAULT_PORT}`
}

/** Of what the page shows of a project: issues and pull requests of the local forge. */
export function projectPage(context: Pick<PluginContext, 'page' | 'port'>, projectId: string, page: string): string {
  return `${pageAddress(context)}/projects/${projectId}/${page}`
}
