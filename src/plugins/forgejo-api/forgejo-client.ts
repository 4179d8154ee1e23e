// Forgejo's and Gitea's REST API.
import type { ProjectConfig } from '../../contract/config.ts'
import { repositoryOf } from '../github-api/repository-name.ts'
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
