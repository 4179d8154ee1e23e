// GitHub's pull requests in the slot's terms: each method delegates to the file that knows how.

import type { ProjectConfig } from '../../contract/config.ts'
import type { MergeMethod } from '../../contract/forges.ts'
import type { PullRef } from '../../contract/pull.ts'
import type { Scm } from '../../slots/scm.ts'
import { checkoutPull } from '../forge-git/checkout-pull.ts'
import { readListed } from '../forge-git/listed-pulls.ts'
import { pullRange } from '../forge-git/pull-range.ts'
import { githubAccess } from '../github-api/github-access.ts'
import type { GithubClient } from '../github-api/github-client.ts'
import { repositoryOf } from '../github-api/repository-name.ts'
import type { HostedScm } from '../http-api/per-project.ts'
import { commentOnPull, reviewPull } from './change-pull.ts'
import { createChunkSize } from './chunk-size.ts'
import { fetchPull, type GithubPull, pullState, resolvePull, toPrInfo } from './fetch-pull-request.ts'
import { openPull, readChecksOf, readLandingRules, readQueue } from './landing-rules.ts'
import { mergePull } from './merge-pull-request.ts'
import { targetOf } from './pull-request-reference.ts'
import { readCheckLog, rerunJobs } from './read-check-log.ts'
import { readPullRequests } from './read-pull-requests.ts'
import { githubThreads } from './review-threads.ts'

export function createGithubScm(
  client: GithubClient,
  { env, mergeMethod }: { env: NodeJS.ProcessEnv; mergeMethod: MergeMethod },
): HostedScm & Required<Pick<Scm, 'rerunChecks'>> {
  const { webUrl } = client.connection
  const chunk = createChunkSize()
  const read: HostedScm['readPullRequests'] = (queries, project) =>
    readPullRequests({ client, queries, project, chunk })
  const change = async (
    pr: PullRef,
    project: ProjectConfig,
    changed: { state: 'open' | 'closed' } | { base: string },
  ) => {
    const target = targetOf(pr, project, webUrl)
    await client.rest('PATCH /repos/{owner}/{repo}/pulls/{pull_number}', { ...target, ...changed })
  }
  return {
    name: 'github',
    webUrl,
    checkAccess: (project) => githubAccess(client, project),
    async getPRState(pr, project) {
      return pullState(await fetchPull(client, targetOf(pr, project, webUrl)))
    },
    resolvePR: (reference, project) => resolvePull(client, reference, project),
    async checkoutPR(pr, workspacePath, project) {
      const target = targetOf(pr, project, webUrl)
      const { head, base } = await fetchPull(client, target)
      const isOwn = head.repo?.full_name === base.repo.full_name
      return checkoutPull({
        workspacePath,
        env,
        label: `#${target.pull_number}`,
        repo: `${target.owner}/${target.repo}`,
        branch: head.ref,
        forkRef: isOwn ? null : `refs/pull/${target.pull_number}/head`,
        defaultBranch: project.defaultBranch,
      })
    },
    readPullRequests: read,
    async listPRs({ state, limit }, project) {
      const listed = await client.rest<GithubPull[]>('GET /repos/{owner}/{repo}/pulls', {
        ...repositoryOf(project),
        state,
        sort: 'created',
        direction: 'desc',
        per_page: Math.min(limit, 100),
      })
      return readListed(
        read,
        listed.map((pull) => toPrInfo(pull, repositoryOf(project))),
        project,
      )
    },
    readRange: (pull, project) =>
      pullRange({ path: project.path, env, pull, headRef: `refs/pull/${pull.pr.number}/head` }),
    reviewPR: async (pr, review, project) => reviewPull(client, targetOf(pr, project, webUrl), review),
    commentPR: async (pr, comment, project) => commentOnPull(client, targetOf(pr, project, webUrl), comment),
    async getCheckLog(_pr, check, project) {
      return readCheckLog(client, repositoryOf(project), check)
    },
    rerunChecks: ({ checks }, project) => rerunJobs(client, repositoryOf(project), checks),
    async mergePR(pr, { sha, method = mergeMethod }, project) {
      return mergePull(client, { target: targetOf(pr, project, webUrl), sha, method })
    },
    readChecks: (commit, project) => readChecksOf(client, repositoryOf(project), commit),
    landing: {
      readRules: (project, method) => readLandingRules(client, project, method),
      readLog: (_commit, check, project) => readCheckLog(client, repositoryOf(project), check),
      readQueue: (pr, project, since) => readQueue(client, targetOf(pr, project, webUrl), since),
      openPull: (request, project) => openPull(client, request, project),
    },
    threads: githubThreads(client),
    retargetPR: (pr, base, project) => change(pr, project, { base }),
    closePR: (pr, project) => change(pr, project, { state: 'closed' }),
    reopenPR: (pr, project) => change(pr, project, { state: 'open' }),
  }
}
