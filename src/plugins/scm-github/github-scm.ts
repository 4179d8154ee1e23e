// GitHub's pull requests in the slot's terms: each method delegates to the file that knows how.
import type { MergeMethod } from '../../contract/forges.ts'
import { checkoutPull } from '../forge-git/checkout-pull.ts'
import { githubAccess } from '../github-api/github-access.ts'
import type { GithubClient } from '../github-api/github-client.ts'
import { repositoryOf } from '../github-api/repository-name.ts'
import type { HostedScm } from '../http-api/per-project.ts'
import { createChunkSize } from './chunk-size.ts'
import { fetchPull, pullState, resolvePull } from './fetch-pull-request.ts'
import { openPull, readChecksOf, readLandingRules, readQueue } from './landing-rules.ts'
import { mergePull } from './merge-pull-request.ts'
import { targetOf } from './pull-request-reference.ts'
import { readCheckLog } from './read-check-log.ts'
import { readPullRequests } from './read-pull-requests.ts'
import { githubThreads } from './threads/review-threads.ts'

export function createGithubScm(
  client: GithubClient,
  { env, mergeMethod }: { env: NodeJS.ProcessEnv; mergeMethod: MergeMethod },
): HostedScm {
  const { webUrl } = client.connection
  const chunk = createChunkSize()
  return {
    name: 'github',
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
    readPullRequests: (queries, project) => readPullRequests({ client, queries, project, chunk }),
    async getCheckLog(_pr, check, project) {
      return readCheckLog(client, repositoryOf(project), check)
    },
    async mergePR(pr, { sha, method = mergeMethod }, project) {
      return mergePull(client, { target: targetOf(pr, project, webUrl), sha, method })
    },
    landing: {
      readRules: (project, method) => readLandingRules(client, project, method),
      readChecks: (commit, project) => readChecksOf(client, repositoryOf(project), commit),
      readLog: (_commit, check, project) => readCheckLog(client, repositoryOf(project), check),
      readQueue: (pr, project, since) => readQueue(client, targetOf(pr, project, webUrl), since),
      openPull: (request, project) => openPull(client, request, project),
    },
    threads: githubThreads(client),
    async closePR(pr, project) {
      const target = targetOf(pr, project, webUrl)
      await client.rest('PATCH /repos/{owner}/{repo}/pulls/{pull_number}', { ...target, state: 'closed' })
    },
  }
}
