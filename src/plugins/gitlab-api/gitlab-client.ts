// GitLab's REST API, never a `glab` process.
import { type ForgeClient, forgeClient } from '../http-api/forge-client.ts'
import { headerCount, type RateWindow } from '../http-api/rate-budget.ts'

export type GitlabClient = ForgeClient

export const createGitlabClient = forgeClient('gitlab', {
  scheme: 'Bearer',
  perPage: { name: 'per_page', count: 100 },
  mostPages: 20,
  window: windowOf,
})

function windowOf(headers: Headers): RateWindow | null {
  const limit = headerCount(headers.get('ratelimit-limit'))
  const remaining = headerCount(headers.get('ratelimit-remaining'))
  const reset = headerCount(headers.get('ratelimit-reset'))
  if (limit === null || remaining === null || reset === null) return null
  return { limit, remaining, resetAt: reset * 1000 }
}
