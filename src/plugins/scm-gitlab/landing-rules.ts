// What GitLab says about moving the base branch, and about the jobs of a commit that is on a branch of the train.

import type { ProjectConfig } from '../../contract/config.ts'
import type { MergeMethod } from '../../contract/forges.ts'
import type { Check } from '../../contract/pull.ts'
import type { LandingRules, QueueState } from '../../slots/scm.ts'
import type { GitlabClient } from '../gitlab-api/gitlab-client.ts'
import { apiPathOf, DEVELOPER, type GitlabProject, levelOf } from '../gitlab-api/project-path.ts'
import { hasStatus } from '../http-api/http-api-error.ts'
import type { GitlabJob, GitlabNote, GitlabPipeline } from './gitlab-data.ts'
import { summarizeJobs, toCheck } from './merge-request-state.ts'

interface ProjectSettings extends GitlabProject {
  merge_trains_enabled?: boolean
  squash_option?: 'never' | 'always' | 'default_on' | 'default_off'
}

interface GitlabBranch {
  protected?: boolean
  developers_can_merge?: boolean
}

const MAINTAINER = 40

export async function readLandingRules(
  client: GitlabClient,
  project: ProjectConfig,
  method: MergeMethod,
): Promise<LandingRules> {
  const path = apiPathOf(project)
  const { data: found } = await client.call<ProjectSettings>(path)
  const branch = encodeURIComponent(project.defaultBranch)
  const { data: base } = await client.call<GitlabBranch>(`${path}/repository/branches/${branch}`)
  const level = levelOf(found)
  const isProtected = base.protected ?? false
  const needed = isProtected && base.developers_can_merge !== true ? MAINTAINER : DEVELOPER
  return {
    hasQueue: found.merge_trains_enabled === true,
    isProtected,
    obstacles: [
      ...(level !== null && level < DEVELOPER ? ['the token may not push'] : []),
      ...(level !== null && level >= DEVELOPER && level < needed
        ? [`the token may not merge into ${project.defaultBranch}, which is protected`]
        : []),
      ...(method === 'rebase' ? ['GitLab cannot rebase as it merges; set landing.method to merge or squash'] : []),
      ...(method === 'squash' && found.squash_option === 'never' ? ['the project does not allow squashing'] : []),
      ...(method === 'merge' && found.squash_option === 'always' ? ['the project squashes everything'] : []),
    ],
  }
}

/** Of its last pipeline: an earlier one of the same commit was started again. */
export async function readChecksOf(client: GitlabClient, project: ProjectConfig, commit: string): Promise<Check[]> {
  const path = apiPathOf(project)
  const { data } = await client.call<GitlabPipeline[]>(`${path}/pipelines?sha=${commit}`, { loop: true })
  const last = data.filter(({ sha }) => sha === commit).sort((a, b) => b.id - a.id)[0]
  if (last === undefined) return []
  const jobs = await client.list<GitlabJob>(`/projects/${last.project_id}/pipelines/${last.id}/jobs`, { loop: true })
  const checks = jobs.map(toCheck)
  // Child pipelines and external statuses are not among the jobs; the pipeline counts them.
  const whole = summarizeJobs([], last.status)
  if (whole === summarizeJobs(checks, null) || (whole !== 'failing' && whole !== 'pending')) return checks
  return [
    ...checks,
    { id: `pipeline:${last.id}`, name: 'pipeline', status: whole === 'failing' ? 'failed' : 'running' },
  ]
}

/** A merge request that was thrown out is no longer on the train; why is in a note that GitLab itself wrote. */
export async function readQueue(client: GitlabClient, path: string, since: string): Promise<QueueState> {
  const train = path.replace(/\/merge_requests\/([0-9]+)$/, '/merge_trains/merge_requests/$1')
  try {
    const { data } = await client.call<{ status?: string }>(train, { loop: true })
    if (data.status !== undefined && data.status !== 'skip_merged') return { state: 'queued' }
  } catch (error) {
    if (!hasStatus(error, 404)) throw error
  }
  const { data: notes } = await client.call<GitlabNote[]>(`${path}/notes?sort=desc&order_by=created_at&per_page=50`, {
    loop: true,
  })
  const last = notes.find(({ system, body }) => system && /\bmerge train\b/i.test(body))
  if (last === undefined || !/^(removed|aborted)/i.test(last.body)) return { state: 'none' }
  return Date.parse(last.created_at) < Date.parse(since)
    ? { state: 'none' }
    : { state: 'removed', why: last.body.slice(0, 500) }
}
