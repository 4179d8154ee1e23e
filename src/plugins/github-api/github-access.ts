// What GitHub reports about a repository and the requesting token.
import type { ProjectConfig } from '../../contract/config.ts'
import type { AccessReport } from '../../slots/scm.ts'
import { checkAccess } from '../http-api/check-access.ts'
import { forgeRow } from '../http-api/forge-address.ts'
import type { GithubClient } from './github-client.ts'
import { repositoryOf } from './repository-name.ts'

export async function githubAccess(client: GithubClient, project: ProjectConfig): Promise<AccessReport> {
  const question = { forge: forgeRow('github'), apiUrl: client.apiUrl, repo: project.repo ?? project.id }
  return checkAccess(question, async () => {
    const { data, headers } = await client.ask<{ private?: boolean; permissions?: { push?: boolean } }>(
      'GET /repos/{owner}/{repo}',
      { ...repositoryOf(project) },
    )
    return {
      mayWrite: data.permissions?.push ?? null,
      missing: missingScope(headers.get('x-oauth-scopes'), data.private ?? false),
    }
  })
}

/** Only classic tokens have scopes; for others GitHub reports none. */
function missingScope(scopes: string | null, isPrivate: boolean): string | null {
  if (scopes === null || scopes.trim() === '') return null
  const has = scopes.split(',').map((scope) => scope.trim())
  if (has.includes('repo') || (!isPrivate && has.includes('public_repo'))) return null
  return 'the scope repo'
}
