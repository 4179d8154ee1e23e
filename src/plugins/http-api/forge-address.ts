// The address a forge plugin queries for a project: from the options, else from the project's current remote.

import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import { FORGES, type ForgeRow } from '../../contract/forges.ts'
import { apiUrlOf, decideOrigin } from '../../core/forge/decide-forge.ts'
import { commonGitDir } from '../../git/git-dir.ts'
import { readProjectRemote } from '../../git/transfer/project-remote.ts'

export interface ForgeAddress {
  apiUrl: string
  /** It is in the configuration, and the user consented to it. */
  agreed: boolean
}

export interface AddressOptions {
  host?: string | undefined
  apiUrl?: string | undefined
}

export function forgeRow(plugin: string): ForgeRow {
  return FORGES.find((row) => row.plugin === plugin)!
}

/** What a plugin creates for an address, once for each. */
export function byAddress<T>(
  forge: ForgeRow,
  { options, env }: { options: AddressOptions; env: NodeJS.ProcessEnv },
  make: (address: ForgeAddress) => T,
): (project: ProjectConfig) => Promise<T> {
  const made = new Map<string, T>()
  const at = (address: ForgeAddress): T => {
    const cached = made.get(address.apiUrl)
    if (cached !== undefined) return cached
    const fresh = make(address)
    made.set(address.apiUrl, fresh)
    return fresh
  }
  const configured = configuredAddress(forge, options)
  if (configured !== null) return async () => at(configured)
  return async (project) => at(await addressOf(forge, project, env))
}

function configuredAddress(forge: ForgeRow, { apiUrl, host }: AddressOptions): ForgeAddress | null {
  if (apiUrl !== undefined) return { apiUrl: apiUrl.replace(/(?<!\/)\/+$/, ''), agreed: true }
  if (host !== undefined) return { apiUrl: apiUrlOf(forge, `https://${host}`), agreed: true }
  return null
}

async function addressOf(forge: ForgeRow, project: ProjectConfig, env: NodeJS.ProcessEnv): Promise<ForgeAddress> {
  // Nothing is checked out yet: only the environment is known.
  const isRepository = commonGitDir(project.path) !== null
  const remote = isRepository ? await readProjectRemote(project.path, env) : null
  // Which server it means is unknown, so no server gets a token.
  if (remote?.isUnreadable) {
    throw new AoError(
      'CONFIG_INVALID',
      `The URL of the remote ${remote.name} of ${project.id} names no repository that ao can read`,
      {
        hint: `Set apiUrl in the options of ${forge.plugin} for this project, or correct it with: git remote set-url ${remote.name} <url>`,
      },
    )
  }
  return { apiUrl: apiUrlOf(forge, decideOrigin(forge, remote?.forge ?? null, env)), agreed: false }
}
