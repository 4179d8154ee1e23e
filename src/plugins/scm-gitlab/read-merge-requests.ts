// All merge requests of a project's sessions. GitLab has no query for many, so each is read separately, a few at a time and
// conditionally; a failure for one does not affect the others.

import type { ProjectConfig } from '../../contract/config.ts'
import type { Check, Pull } from '../../contract/pull.ts'
import type { PrQuery, PrReading } from '../../slots/scm.ts'
import { ownNumber, type PullNames } from '../forge-git/pull-names.ts'
import type { GitlabClient } from '../gitlab-api/gitlab-client.ts'
import type { AuthorOf } from '../gitlab-api/people.ts'
import { apiPathOf, projectPathOf } from '../gitlab-api/project-path.ts'
import { readQueries } from '../http-api/read-queries.ts'
import { commitOf, toPrInfo } from './fetch-merge-request.ts'
import type { GitlabJob, GitlabMergeRequest, GitlabPipeline } from './gitlab-data.ts'
import { conflictsOf, mergeableOf, stateOf, summarizeJobs, toCheck } from './merge-request-state.ts'
import { readReviews } from './read-reviews.ts'

interface Reader {
  client: GitlabClient
  project: ProjectConfig
  authorOf: AuthorOf
  pipelines: Pipelines
}

export function readMergeRequests(
  client: GitlabClient,
  queries: readonly PrQuery[],
  { project, names, authorOf }: { project: ProjectConfig; names: PullNames; authorOf: (apiPath: string) => AuthorOf },
): Promise<Map<string, PrReading>> {
  return readQueries<GitlabMergeRequest>(queries, () => {
    const apiPath = apiPathOf(project)
    const reader = { client, project, authorOf: authorOf(apiPath), pipelines: createPipelines(client, apiPath) }
    return {
      async listOpen() {
        const path = `${apiPath}/merge_requests?state=opened`
        const open = await client.list<GitlabMergeRequest>(path, { loop: true, conditional: true })
        const own = open.filter((request) => request.source_project_id === request.target_project_id)
        return own.sort((a, b) => a.iid - b.iid).map((request) => ({ branch: request.source_branch, pull: request }))
      },
      numberOf: ({ iid }) => iid,
      numberIn: (pr) => ownNumber(names, pr, project),
      read: (iid) => readSnapshot(reader, iid),
      kind: `merge request of ${projectPathOf(project)}`,
    }
  })
}

async function readSnapshot({ client, project, authorOf, pipelines }: Reader, iid: number): Promise<Pull> {
  const path = `${apiPathOf(project)}/merge_requests/${iid}`
  const { data: request } = await client.call<GitlabMergeRequest>(path, { loop: true, conditional: true })
  const { checks, status } = await pipelines.ofHead(request)
  const failed = new Set(checks.filter((check) => check.status === 'failed').map(({ name }) => name))
  const failingAtBase = failed.size > 0 ? await pipelines.failingAt(request.target_branch) : new Set<string>()
  return {
    pr: toPrInfo(request, project),
    state: stateOf(request),
    headSha: request.sha ?? '',
    ci: summarizeJobs(checks, status),
    checks,
    ...(await readReviews({ client, path, authorOf }, request)),
    hasConflicts: conflictsOf(request),
    mergeable: mergeableOf(request),
    labels: request.labels ?? [],
    failingOnBase: [...failed].filter((name) => failingAtBase.has(name)),
    assignees: (request.assignees ?? []).map(({ username }) => username),
    reviewers: (request.reviewers ?? []).map(({ username }) => username),
    body: request.description ?? '',
    author: request.author?.username ?? null,
    createdAt: request.created_at,
    updatedAt: request.updated_at,
    closedAt: request.merged_at ?? request.closed_at,
    mergeCommit: stateOf(request) === 'merged' ? commitOf(request) : null,
  }
}

/** The jobs of a merge request, and of the last pipeline of a branch, requested once per tick. */
interface Pipelines {
  ofHead(request: GitlabMergeRequest): Promise<{ checks: Check[]; status: string | null }>
  /** Names of what fails at the tip of this branch. An unreadable tip excuses nothing. */
  failingAt(branch: string): Promise<Set<string>>
}

const LOOP = { loop: true, conditional: true }
/** Right after a push the newest has no results yet, and excuses nothing: then the one before is used. */
const BASE_PIPELINES = 3
const UNFINISHED: ReadonlySet<string> = new Set([
  'created',
  'waiting_for_resource',
  'preparing',
  'pending',
  'running',
  'scheduled',
])

function createPipelines(client: GitlabClient, apiPath: string): Pipelines {
  const bases = new Map<string, Promise<Set<string>>>()
  const jobsOf = async ({ project_id, id }: GitlabPipeline): Promise<Check[]> => {
    const jobs = await client.list<GitlabJob>(`/projects/${project_id}/pipelines/${id}/jobs`, LOOP)
    return jobs.map(toCheck)
  }

  async function readFailing(branch: string): Promise<Set<string>> {
    try {
      const path = `${apiPath}/pipelines?ref=${encodeURIComponent(branch)}&per_page=${BASE_PIPELINES}`
      const { data } = await client.call<GitlabPipeline[]>(path, LOOP)
      const results = new Map<string, Check['status']>()
      for (const pipeline of data) {
        const finished = (await jobsOf(pipeline)).filter(({ status }) => status === 'passed' || status === 'failed')
        for (const { name, status } of finished) if (!results.has(name)) results.set(name, status)
        if (!UNFINISHED.has(pipeline.status)) break
      }
      return new Set([...results].filter(([, status]) => status === 'failed').map(([name]) => name))
    } catch {
      // None that we may see.
      return new Set()
    }
  }

  return {
    async ofHead(request) {
      const pipeline = request.head_pipeline
      if (!pipeline || !isOfHead(pipeline, request)) return { checks: [], status: null }
      return { checks: await jobsOf(pipeline), status: pipeline.status }
    },
    failingAt(branch) {
      const failing = bases.get(branch) ?? readFailing(branch)
      bases.set(branch, failing)
      return failing
    },
  }
}

/** The pipeline of a superseded commit says nothing; one of the merged result has a commit of its own. */
function isOfHead(pipeline: GitlabPipeline, { sha, iid }: GitlabMergeRequest): boolean {
  return (
    pipeline.sha === sha ||
    [`refs/merge-requests/${iid}/merge`, `refs/merge-requests/${iid}/train`].includes(pipeline.ref)
  )
}
