// GitHub's pull requests in the slot's terms: each method delegates to the file that knows how.

import type { ProjectConfig } from '../../contract/config.ts'
import type { Scm } from '../../slots/scm.ts'
import { hostedScm } from '../forge-git/hosted-scm.ts'
import type { GithubClient } from '../github-api/github-client.ts'
import { githubAccess } from '../github-api/github-client.ts'
import { repositoryOf, repositoryPulls } from '../github-api/repository-name.ts'
import type { ScmOptions } from '../http-api/forge-plugin.ts'
import type { HostedScm } from '../http-api/per-project.ts'
import { commentOnPull, replyInThread, resolveThread, reviewPull } from './change-pull.ts'
import { createChunkSize } from './chunk-size.ts'
import { type FetchedPull, fetchPull, type GithubPull, toPrInfo } from './fetch-pull-request.ts'
import { openPull, readChecksOf, readLandingRules, readQueue } from './landing-rules.ts'
import { mergePull, refusalOf } from './merge-pull-request.ts'
import { readCheckLog, rerunJobs } from './read-check-log.ts'
import { readPullRequests } from './read-pull-requests.ts'

export function createGithubScm(
  client: GithubClient,
  options: ScmOptions,
): HostedScm & Required<Pick<Scm, 'rerunChecks'>> {
  const { webUrl } = client
  const names = repositoryPulls(webUrl)
  const chunk = createChunkSize()
  const targetOf = (number: number, project: ProjectConfig) => ({ ...repositoryOf(project), pull_number: number })
  const readPull = (number: number, project: ProjectConfig) => fetchPull(client, number, project)
  const scm = hostedScm<FetchedPull>(
    {
      name: 'github',
      webUrl,
      names,
      headRefs: 'refs/pull',
      hint: 'check with: gh auth status',
      checkAccess: (project) => githubAccess(client, project),
      readPullRequests: (queries, project) => readPullRequests({ client, names, queries, project, chunk }),
      readPull,
      async list({ state, limit }, project) {
        const name = repositoryOf(project)
        const how = { state, sort: 'created', direction: 'desc', per_page: Math.min(limit, 100) }
        const listed = await client.rest<GithubPull[]>('GET /repos/{owner}/{repo}/pulls', { ...name, ...how })
        return listed.map((pull) => toPrInfo(pull, name))
      },
      change: (number, change, project) =>
        client.rest('PATCH /repos/{owner}/{repo}/pulls/{pull_number}', { ...targetOf(number, project), ...change }),
      review: (number, review, project) => reviewPull(client, targetOf(number, project), review),
      comment: (number, comment, project) =>
        commentOnPull(
          client,
          targetOf(number, project),
          comment,
          async () => (await readPull(number, project)).headSha,
        ),
      reply: (_number, reply) => replyInThread(client, reply),
      resolve: (_number, change) => resolveThread(client, change),
      merge: (before, target, project) => mergePull(client, before, target, repositoryOf(project)),
      refusalOf,
      getCheckLog: async (_pr, check, project) => readCheckLog(client, repositoryOf(project), check),
      readChecks: (commit, project) => readChecksOf(client, repositoryOf(project), commit),
      landing: {
        readRules: (project, method) => readLandingRules(client, project, method),
        readLog: (_commit, check, project) => readCheckLog(client, repositoryOf(project), check),
        readQueue: (number, project, since) => readQueue(client, targetOf(number, project), since),
        openPull: (request, project) => openPull(client, request, project),
      },
    },
    options,
  )
  return { ...scm, rerunChecks: ({ checks }, project) => rerunJobs(client, repositoryOf(project), checks) }
}
