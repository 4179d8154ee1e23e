// Forgejo's pull requests in the slot's terms: each method delegates to the file that knows how.

import type { ProjectConfig } from '../../contract/config.ts'
import type { MergeMethod } from '../../contract/forges.ts'
import type { PullRef } from '../../contract/pull.ts'
import type { LandingRules, NewPR, Scm } from '../../slots/scm.ts'
import { hostedScm } from '../forge-git/hosted-scm.ts'
import { refusalByStatus } from '../forge-git/merge-exactly.ts'
import { requireNumber } from '../forge-git/pull-names.ts'
import { apiPathOf, type ForgejoClient, forgejoAccess } from '../forgejo-api/forgejo-client.ts'
import { createAuthors } from '../forgejo-api/people.ts'
import { repositoryPulls } from '../github-api/repository-name.ts'
import type { ScmOptions } from '../http-api/forge-plugin.ts'
import { hasStatus } from '../http-api/http-api-error.ts'
import type { HostedScm } from '../http-api/per-project.ts'
import { commentOnPull, replyInThread, resolveThread, reviewPull } from './change-pull.ts'
import { fetchPull, pullPath, toPrInfo } from './fetch-pull.ts'
import type { ForgejoPull } from './forgejo-data.ts'
import { readChecks, readJobLog } from './read-checks.ts'
import { readPulls } from './read-pulls.ts'

export function createForgejoScm(
  client: ForgejoClient,
  options: ScmOptions,
): HostedScm & Required<Pick<Scm, 'openPR'>> {
  const { webUrl } = client
  const names = repositoryPulls(webUrl)
  const authorOf = createAuthors(client, { loop: true })
  const conflicts = new Set<string>()
  const source = (project: ProjectConfig) => ({ client, authorOf: authorOf(project) })
  const readPull = (number: number, project: ProjectConfig) => fetchPull(client, number, project)
  const openPR = (request: NewPR, project: ProjectConfig) => openPull(client, request, project)
  const scm = hostedScm(
    {
      name: 'forgejo',
      webUrl,
      names,
      headRefs: 'refs/pull',
      hint: 'check FORGEJO_TOKEN',
      checkAccess: (project) => forgejoAccess(client, project),
      readPullRequests: (queries, project) => readPulls({ ...source(project), project, names, conflicts }, queries),
      readPull,
      async list({ state, limit }, project) {
        const size = Math.min(limit, 50)
        const path = `${apiPathOf(project)}/pulls?state=${state}&sort=recentupdate&limit=${size}`
        const { data } = await client.call<ForgejoPull[] | null>(path)
        return (data ?? []).map((pull) => toPrInfo(pull, project)).sort((a, b) => b.number - a.number)
      },
      change: (number, body, project) => client.call(pullPath(number, project), { method: 'PATCH', body }),
      review: (number, review, project) => reviewPull(source(project), pullPath(number, project), review),
      comment: (number, comment, project) => commentOnPull(source(project), pullPath(number, project), comment),
      reply: (number, reply, project) => replyInThread(client, pullPath(number, project), reply),
      resolve: (number, change, project) => resolveThread(client, pullPath(number, project), change),
      async merge(_before, { number, sha, method }, project) {
        const body = { Do: method, head_commit_id: sha }
        await client.call(`${pullPath(number, project)}/merge`, { method: 'POST', body })
        return null
      },
      refusalOf: refusalByStatus,
      async getCheckLog(pr, check, project) {
        const { headSha } = await readPull(requireNumber(names, pr, project), project)
        return readJobLog(client, { headSha: headSha ?? '', check, project })
      },
      readChecks: (commit, project) => readChecks(client, apiPathOf(project), commit),
      landing: {
        readRules: (project, method) => readLandingRules(client, project, method),
        readLog: (commit, check, project) => readJobLog(client, { headSha: commit, check, project }),
        readQueue: async () => ({ state: 'none' }),
        openPull: openPR,
      },
    },
    options,
  )
  return { ...scm, openPR }
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

interface ForgejoRepository {
  permissions?: { push?: boolean }
  allow_merge_commits?: boolean
  allow_squash_merge?: boolean
  allow_rebase?: boolean
}

interface ForgejoBranch {
  protected?: boolean
  user_can_merge?: boolean
}

const ALLOWED = { merge: 'allow_merge_commits', squash: 'allow_squash_merge', rebase: 'allow_rebase' } as const

/** What Forgejo says about moving the base branch. */
async function readLandingRules(
  client: ForgejoClient,
  project: ProjectConfig,
  method: MergeMethod,
): Promise<LandingRules> {
  const path = apiPathOf(project)
  const { data: repository } = await client.call<ForgejoRepository>(path)
  const branch = encodeURIComponent(project.defaultBranch)
  const { data: base } = await client.call<ForgejoBranch>(`${path}/branches/${branch}`)
  return {
    hasQueue: false,
    isProtected: base.protected ?? false,
    obstacles: [
      ...(repository.permissions?.push === false ? ['the token may not push'] : []),
      ...(base.user_can_merge === false ? [`the token may not merge into ${project.defaultBranch}`] : []),
      ...(repository[ALLOWED[method]] === false ? [`the repository does not allow the merge method ${method}`] : []),
    ],
  }
}
