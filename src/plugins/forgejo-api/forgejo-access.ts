// What Forgejo reports about a repository and the requesting token.
import type { ProjectConfig } from '../../contract/config.ts'
import type { AccessReport } from '../../slots/scm.ts'
import { checkAccess } from '../http-api/check-access.ts'
import { forgeRow } from '../http-api/forge-address.ts'
import { apiPathOf, type ForgejoClient } from './forgejo-client.ts'

export async function forgejoAccess(client: ForgejoClient, project: ProjectConfig): Promise<AccessReport> {
  const question = { forge: forgeRow('forgejo'), apiUrl: client.apiUrl, repo: project.repo ?? project.id }
  return checkAccess(question, async () => {
    const { data } = await client.call<{ permissions?: { push?: boolean } }>(apiPathOf(project))
    return { mayWrite: data.permissions?.push ?? null, missing: null }
  })
}
