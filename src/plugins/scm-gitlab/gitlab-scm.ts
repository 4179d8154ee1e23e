// GitLab's merge requests in the slot's terms: each method delegates to the file that knows how.

import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import type { Check, PullRef } from '../../contract/pull.ts'
import type { Scm } from '../../slots/scm.ts'
import { checkoutPull } from '../forge-git/checkout-pull.ts'
import { readListed } from '../forge-git/listed-pulls.ts'
import { pullRange } from '../forge-git/pull-range.ts'
import { gitlabAccess } from '../gitlab-api/gitlab-access.ts'
import type { GitlabClient } from '../gitlab-api/gitlab-client.ts'
import { createAuthors } from '../gitlab-api/people.ts'
import { apiPathOf, projectPathOf } from '../gitlab-api/project-path.ts'
import { hasStatus } from '../http-api/http-api-error.ts'
import type { HostedScm } from '../http-api/per-project.ts'
import { READ_LOG_BYTES, tidyLog } from '../http-api/tidy-log.ts'
import { commentOnRequest, reviewRequest } from './change-request.ts'
import { fetchRequest, requestPath, resolveRequest, toPrInfo } from './fetch-merge-request.ts'
import type { GitlabMergeRequest } from './gitlab-data.ts'
import { readChecksOf, readLandingRules, readQueue } from './landing-rules.ts'
import { mergeRequest } from './merge-merge-request.ts'
import { stateOf } from './merge-request-state.ts'
import { openRequest } from './open-merge-request.ts'
import { readMergeRequests } from './read-merge-requests.ts'
import { gitlabThreads } from './review-threads.ts'

export function createGitlabScm(
  client: GitlabClient,
  { env, squash }: { env: NodeJS.ProcessEnv; squash: boolean },
): HostedScm & Required<Pick<Scm, 'openPR' | 'rerunChecks'>> {
  const { webUrl } = client
  const authorOf = createAuthors(client, { loop: true })
  const source = (project: ProjectConfig) => ({ client, authorOf: authorOf(apiPathOf(project)) })
  const read: HostedScm['readPullRequests'] = (queries, project) =>
    readMergeRequests(client, queries, { project, authorOf })
  type Change = { state_event: 'close' | 'reopen' } | { target_branch: string }
  const change = async (pr: PullRef, project: ProjectConfig, body: Change) => {
    await client.call(requestPath(pr, project, webUrl), { method: 'PUT', body })
  }
  return {
    name: 'gitlab',
    webUrl,
    checkAccess: (project) => gitlabAccess(client, project),
    async getPRState(pr, project) {
      return stateOf(await fetchRequest(client, requestPath(pr, project, webUrl)))
    },
    openPR: (request, project) => openRequest(client, request, project),
    resolvePR: (reference, project) => resolveRequest(client, reference, project),
    async checkoutPR(pr, workspacePath, project) {
      const request = await fetchRequest(client, requestPath(pr, project, webUrl))
      const isOwn = request.source_project_id === request.target_project_id
      return checkoutPull({
        workspacePath,
        env,
        label: `!${request.iid}`,
        repo: projectPathOf(project),
        branch: request.source_branch,
        forkRef: isOwn ? null : `refs/merge-requests/${request.iid}/head`,
        defaultBranch: project.defaultBranch,
      })
    },
    readPullRequests: read,
    async listPRs({ state, limit }, project) {
      const query = `state=${state === 'open' ? 'opened' : 'all'}&order_by=created_at&sort=desc`
      const path = `${apiPathOf(project)}/merge_requests?${query}&per_page=${Math.min(limit, 100)}`
      const { data } = await client.call<GitlabMergeRequest[]>(path)
      return readListed(
        read,
        data.map((request) => toPrInfo(request, project)),
        project,
      )
    },
    readRange: (pull, project) =>
      pullRange({ path: project.path, env, pull, headRef: `refs/merge-requests/${pull.pr.number}/head` }),
    reviewPR: (pr, review, project) => reviewRequest(source(project), requestPath(pr, project, webUrl), review),
    commentPR: (pr, comment, project) => commentOnRequest(source(project), requestPath(pr, project, webUrl), comment),
    getCheckLog: (_pr, check) => readJobLog(client, check),
    async rerunChecks({ checks }) {
      const jobs = checks.flatMap((check) => (check.status === 'failed' ? (jobPath(check) ?? []) : []))
      if (jobs.length === 0) throw new AoError('USAGE', 'No job of a pipeline has failed there')
      for (const path of jobs) await client.call(`${path}/retry`, { method: 'POST' })
    },
    async mergePR(pr, { sha, method }, project) {
      const isSquashed = method === undefined ? squash : method === 'squash'
      return mergeRequest(client, { path: requestPath(pr, project, webUrl), sha, squash: isSquashed })
    },
    readChecks: (commit, project) => readChecksOf(client, project, commit),
    landing: {
      readRules: (project, method) => readLandingRules(client, project, method),
      readLog: (_commit, check) => readJobLog(client, check),
      readQueue: (pr, project, since) => readQueue(client, requestPath(pr, project, webUrl), since),
      openPull: (request, project) => openRequest(client, request, project),
    },
    threads: gitlabThreads(client),
    retargetPR: (pr, base, project) => change(pr, project, { target_branch: base }),
    closePR: (pr, project) => change(pr, project, { state_event: 'close' }),
    reopenPR: (pr, project) => change(pr, project, { state_event: 'reopen' }),
  }
}

/** The end of a failed job's log; '' when there is none. */
async function readJobLog(client: GitlabClient, check: Check): Promise<string> {
  const path = jobPath(check)
  if (path === null) return ''
  try {
    return tidyLog((await client.call<string>(`${path}/trace`, { tailBytes: READ_LOG_BYTES })).data)
  } catch (error) {
    // Erased, or never started.
    if (hasStatus(error, 404)) return ''
    throw error
  }
}

function jobPath({ id }: Pick<Check, 'id'>): string | null {
  const [, project, job] = /^job:([0-9]+):([0-9]+)$/.exec(id) ?? []
  return job === undefined ? null : `/projects/${project}/jobs/${job}`
}
