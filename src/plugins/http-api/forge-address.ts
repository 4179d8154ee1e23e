// Where a forge plugin asks about a project: as the options say, else as the project's remote says at this moment.

import type { ProjectConfig } from '../../contract/config.ts'
import { FORGES, type ForgeRow } from '../../contract/forges.ts'
import { apiUrlOf, decideOrigin } from '../../core/forge/decide-forge.ts'
import { commonGitDir } from '../../git/git-dir.ts'
import { readProjectRemote } from '../../git/project-remote.ts'

export interface ForgeAddress {
  apiUrl: string
  /** The configuration names it, and the user agreed to that. */
  agreed: boolean
}

export interface AddressOptions {
  host?: string | undefined
  apiUrl?: string | undefined
}

export function forgeRow(plugin: string): ForgeRow {
  return FORGES.find((row) => row.plugin === plugin)!
}

/** What a plugin makes for an address, once for each. */
export function byAddress<T>(
  forge: ForgeRow,
  { options, env }: { options: AddressOptions; env: NodeJS.ProcessEnv },
  make: (address: ForgeAddress) => T,
): (project: ProjectConfig) => Promise<T> {
  const made = new Map<string, T>()
  const at = (address: ForgeAddress): T => {
    const known = made.get(address.apiUrl)
    if (known !== undefined) return known
    const fresh = make(address)
    made.set(address.apiUrl, fresh)
    return fresh
  }
  const configured = configuredAddress(forge, options)
  if (configured !== null) return async () => at(configured)
  return async (project) => at(await addressOf(forge, project, env))
}

function configuredAddress(forge: ForgeRow, { apiUrl, host }: AddressOptions): ForgeAddress | null {
  if (apiUrl !== undefined) return { apiUrl: apiUrl.replace(/\/+$/, ''), agreed: true }
  if (host !== undefined) return { apiUrl: apiUrlOf(forge, `https://${host}`), agreed: true }
  return null
}

async function addressOf(forge: ForgeRow, project: ProjectConfig, env: NodeJS.ProcessEnv): Promise<ForgeAddress> {
  // Nothing is checked out yet: only what the environment says is known.
  const isRepository = commonGitDir(project.path) !== null
  const remote = isRepository ? await readProjectRemote(project.path, env) : null
  return { apiUrl: apiUrlOf(forge, decideOrigin(forge, remote?.forge ?? null, env)), agreed: false }
}
