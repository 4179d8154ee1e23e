// GitLab's REST API, never a `glab` process.
import { type ForgeClient, forgeClient } from '../http-api/forge-client.ts'
import { windowIn } from '../http-api/rate-budget.ts'

export type GitlabClient = ForgeClient

export const createGitlabClient = forgeClient('gitlab', {
  scheme: 'Bearer',
  perPage: { name: 'per_page', count: 100 },
  mostPages: 20,
  window: (headers) => windowIn(headers, 'ratelimit'),
})
