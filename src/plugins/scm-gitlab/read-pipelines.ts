// The jobs of a merge request's pipeline, and of the last pipeline of a branch, requested once per tick.
import type { Check } from '../../contract/pull.ts'
import type { GitlabClient } from '../gitlab-api/gitlab-client.ts'
import type { GitlabJob, GitlabMergeRequest, GitlabPipeline } from './gitlab-data.ts'
import { toCheck } from './merge-request-state.ts'

export interface Pipelines {
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

export function createPipelines(client: GitlabClient, apiPath: string): Pipelines {
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
