// GitLab's merge requests in the slot's terms: each method delegates to the file that knows how.

import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import type { Check, PullRef } from '../../contract/pull.ts'
import type { NewPR, Scm } from '../../slots/scm.ts'
import { hostedScm } from '../forge-git/hosted-scm.ts'
import { refusalByStatus } from '../forge-git/merge-exactly.ts'
import type { GitlabClient } from '../gitlab-api/gitlab-client.ts'
import { createAuthors } from '../gitlab-api/people.ts'
import { apiPathOf, gitlabAccess, mergeRequests } from '../gitlab-api/project-path.ts'
import type { ScmOptions } from '../http-api/forge-plugin.ts'
import { hasStatus } from '../http-api/http-api-error.ts'
import type { HostedScm } from '../http-api/per-project.ts'
import { READ_LOG_BYTES, tidyLog } from '../http-api/tidy-log.ts'
import { commentOnRequest, reviewRequest } from './change-request.ts'
import { fetchRequest, requestPath, toPrInfo } from './fetch-merge-request.ts'
import type { GitlabMergeRequest } from './gitlab-data.ts'
import { readChecksOf, readLandingRules, readQueue } from './landing-rules.ts'
import { mergeRequest } from './merge-merge-request.ts'
import { readMergeRequests } from './read-merge-requests.ts'

export function createGitlabScm(
  client: GitlabClient,
  options: ScmOptions,
): HostedScm & Required<Pick<Scm, 'openPR' | 'rerunChecks'>> {
  const { webUrl } = client
  const names = mergeRequests(webUrl)
  const authorOf = createAuthors(client, { loop: true })
  const source = (project: ProjectConfig) => ({ client, authorOf: authorOf(apiPathOf(project)) })
  const discussion = (iid: number, thread: string, project: ProjectConfig) =>
    `${requestPath(iid, project)}/discussions/${encodeURIComponent(thread)}`
  const openPR = (request: NewPR, project: ProjectConfig) => openRequest(client, request, project)
  const scm = hostedScm(
    {
      name: 'gitlab',
      webUrl,
      names,
      headRefs: 'refs/merge-requests',
      hint: 'GITLAB_TOKEN needs the scope api',
      checkAccess: (project) => gitlabAccess(client, project),
      readPullRequests: (queries, project) => readMergeRequests(client, queries, { project, names, authorOf }),
      readPull: (iid, project) => fetchRequest(client, iid, project),
      async list({ state, limit }, project) {
        const query = `state=${state === 'open' ? 'opened' : 'all'}&order_by=created_at&sort=desc`
        const path = `${apiPathOf(project)}/merge_requests?${query}&per_page=${Math.min(limit, 100)}`
        const { data } = await client.call<GitlabMergeRequest[]>(path)
        return data.map((request) => toPrInfo(request, project))
      },
      change: (iid, change, project) => {
        const body =
          'base' in change
            ? { target_branch: change.base }
            : { state_event: change.state === 'closed' ? 'close' : 'reopen' }
        return client.call(requestPath(iid, project), { method: 'PUT', body })
      },
      review: (iid, review, project) => reviewRequest(source(project), requestPath(iid, project), review),
      comment: (iid, comment, project) => commentOnRequest(source(project), requestPath(iid, project), comment),
      reply: (iid, { thread, body }, project) =>
        client.call(`${discussion(iid, thread, project)}/notes`, { method: 'POST', body: { body } }),
      resolve: (iid, { thread, resolved }, project) =>
        client.call(discussion(iid, thread, project), { method: 'PUT', body: { resolved } }),
      merge: (_before, { number, sha, method }, project) =>
        mergeRequest(client, requestPath(number, project), { sha, squash: method === 'squash' }),
      refusalOf: refusalByStatus,
      getCheckLog: (_pr, check) => readJobLog(client, check),
      readChecks: (commit, project) => readChecksOf(client, project, commit),
      landing: {
        readRules: (project, method) => readLandingRules(client, project, method),
        readLog: (_commit, check) => readJobLog(client, check),
        readQueue: (iid, project, since) => readQueue(client, requestPath(iid, project), since),
        openPull: openPR,
      },
    },
    options,
  )
  return {
    ...scm,
    openPR,
    async rerunChecks({ checks }) {
      const jobs = checks.flatMap((check) => (check.status === 'failed' ? (jobPath(check) ?? []) : []))
      if (jobs.length === 0) throw new AoError('USAGE', 'No job of a pipeline has failed there')
      for (const path of jobs) await client.call(`${path}/retry`, { method: 'POST' })
    },
  }
}

/** For a branch that an agent pushed. */
async function openRequest(client: GitlabClient, request: NewPR, project: ProjectConfig): Promise<PullRef | null> {
  const path = `${apiPathOf(project)}/merge_requests`
  const branch = encodeURIComponent(request.branch)
  // A closed one is not reopened.
  const { data: earlier } = await client.call<unknown[]>(`${path}?state=all&source_branch=${branch}`, { loop: true })
  if (earlier.length > 0) return null
  try {
    const body = {
      source_branch: request.branch,
      target_branch: project.defaultBranch,
      title: request.title,
      description: request.body,
    }
    return toPrInfo((await client.call<GitlabMergeRequest>(path, { method: 'POST', body, loop: true })).data, project)
  } catch (error) {
    // Another open one came first; the next reading finds it.
    if (hasStatus(error, 409)) return null
    throw error
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
