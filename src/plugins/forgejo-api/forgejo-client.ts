// Forgejo's and Gitea's REST API, and whether the token may work there.
import type { ProjectConfig } from '../../contract/config.ts'
import type { AccessReport } from '../../slots/scm.ts'
import { repositoryOf } from '../github-api/repository-name.ts'
import { checkAccess } from '../http-api/check-access.ts'
import { forgeRow } from '../http-api/forge-address.ts'
import { type ForgeClient, forgeClient } from '../http-api/forge-client.ts'

export type ForgejoClient = ForgeClient

export const createForgejoClient = forgeClient('forgejo', {
  scheme: 'token',
  // Servers return fifty at most, unless configured otherwise.
  perPage: { name: 'limit', count: 50 },
  mostPages: 40,
  // It has no rate limit; a proxy in front of it answers 429.
  window: () => null,
})

/** The prefix of every API path about this project. */
export function apiPathOf(project: ProjectConfig): string {
  const { owner, repo } = repositoryOf(project)
  return `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(repo)}`
}

export async function forgejoAccess(client: ForgejoClient, project: ProjectConfig): Promise<AccessReport> {
  const question = { forge: forgeRow('forgejo'), apiUrl: client.apiUrl, repo: project.repo ?? project.id }
  return checkAccess(question, async () => {
    const { data } = await client.call<{ permissions?: { push?: boolean } }>(apiPathOf(project))
    return { mayWrite: data.permissions?.push ?? null, missing: null }
  })
}
