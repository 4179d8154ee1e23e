// Forgejo's pull requests in the slot's terms: each method delegates to the file that knows how.

import type { ProjectConfig } from '../../contract/config.ts'
import type { MergeMethod } from '../../contract/forges.ts'
import type { PullRef } from '../../contract/pull.ts'
import type { NewPR, Scm } from '../../slots/scm.ts'
import { checkoutPull } from '../forge-git/checkout-pull.ts'
import { readListed } from '../forge-git/listed-pulls.ts'
import { pullRange } from '../forge-git/pull-range.ts'
import { forgejoAccess } from '../forgejo-api/forgejo-access.ts'
import { apiPathOf, type ForgejoClient } from '../forgejo-api/forgejo-client.ts'
import { createAuthors } from '../forgejo-api/people.ts'
import { hasStatus } from '../http-api/http-api-error.ts'
import type { HostedScm } from '../http-api/per-project.ts'
import { commentOnPull, reviewPull } from './change-pull.ts'
import { fetchPull, pullPath, resolvePull, stateOf, toPrInfo } from './fetch-pull.ts'
import type { ForgejoPull } from './forgejo-data.ts'
import { readLandingRules } from './landing-rules.ts'
import { mergePull } from './merge-pull.ts'
import { readJobLog } from './read-job-log.ts'
import { readPulls } from './read-pulls.ts'
import { readChecks } from './read-statuses.ts'
import { forgejoThreads } from './review-threads.ts'

export function createForgejoScm(
  client: ForgejoClient,
  { env, mergeMethod }: { env: NodeJS.ProcessEnv; mergeMethod: MergeMethod },
): HostedScm & Required<Pick<Scm, 'openPR'>> {
  const { webUrl } = client
  const authorOf = createAuthors(client, { loop: true })
  const conflicts = new Set<string>()
  const source = (project: ProjectConfig) => ({ client, authorOf: authorOf(project) })
  const read: HostedScm['readPullRequests'] = (queries, project) =>
    readPulls({ ...source(project), project, conflicts }, queries)
  const change = async (pr: PullRef, project: ProjectConfig, body: { state: 'open' | 'closed' } | { base: string }) => {
    await client.call(pullPath(pr, project, webUrl), { method: 'PATCH', body })
  }
  return {
    name: 'forgejo',
    webUrl,
    checkAccess: (project) => forgejoAccess(client, project),
    async getPRState(pr, project) {
      return stateOf(await fetchPull(client, pullPath(pr, project, webUrl)))
    },
    resolvePR: (reference, project) => resolvePull(client, reference, project),
    openPR: (request, project) => openPull(client, request, project),
    async checkoutPR(pr, workspacePath, project) {
      const { number, head, base } = await fetchPull(client, pullPath(pr, project, webUrl))
      return checkoutPull({
        workspacePath,
        env,
        label: `#${number}`,
        repo: project.repo ?? '',
        branch: head.ref,
        forkRef: head.repo_id === base.repo_id ? null : `refs/pull/${number}/head`,
        defaultBranch: project.defaultBranch,
      })
    },
    readPullRequests: read,
    async listPRs({ state, limit }, project) {
      const size = Math.min(limit, 50)
      const { data } = await client.call<ForgejoPull[] | null>(
        `${apiPathOf(project)}/pulls?state=${state}&sort=recentupdate&limit=${size}`,
      )
      const newest = (data ?? []).map((pull) => toPrInfo(pull, project)).sort((a, b) => b.number - a.number)
      return readListed(read, newest, project)
    },
    readRange: (pull, project) =>
      pullRange({ path: project.path, env, pull, headRef: `refs/pull/${pull.pr.number}/head` }),
    reviewPR: (pr, review, project) => reviewPull(source(project), pullPath(pr, project, webUrl), review),
    commentPR: (pr, comment, project) => commentOnPull(source(project), pullPath(pr, project, webUrl), comment),
    async getCheckLog(pr, check, project) {
      const { head } = await fetchPull(client, pullPath(pr, project, webUrl))
      return readJobLog(client, { headSha: head.sha, check, project })
    },
    async mergePR(pr, { sha, method = mergeMethod }, project) {
      return mergePull(client, { path: pullPath(pr, project, webUrl), sha, method })
    },
    readChecks: (commit, project) => readChecks(client, apiPathOf(project), commit),
    landing: {
      readRules: (project, method) => readLandingRules(client, project, method),
      readLog: (commit, check, project) => readJobLog(client, { headSha: commit, check, project }),
      readQueue: async () => ({ state: 'none' }),
      openPull: (request, project) => openPull(client, request, project),
    },
    threads: forgejoThreads(client),
    retargetPR: (pr, base, project) => change(pr, project, { base }),
    closePR: (pr, project) => change(pr, project, { state: 'closed' }),
    reopenPR: (pr, project) => change(pr, project, { state: 'open' }),
  }
}

/** For a branch that an agent pushed. */
async function openPull(client: ForgejoClient, request: NewPR, project: ProjectConfig): Promise<PullRef | null> {
  const path = `${apiPathOf(project)}/pulls`
  const all = await client.list<ForgejoPull>(`${path}?state=all&sort=recentupdate`, { loop: true })
  // A closed one is not reopened.
  if (all.some(({ head, base }) => head.ref === request.branch && head.repo_id === base.repo_id)) return null
  const body = { head: request.branch, base: project.defaultBranch, title: request.title, body: request.body }
  try {
    return toPrInfo((await client.call<ForgejoPull>(path, { method: 'POST', body, loop: true })).data, project)
  } catch (error) {
    // Another one came first; the next reading finds it.
    if (hasStatus(error, 409)) return null
    throw error
  }
}
