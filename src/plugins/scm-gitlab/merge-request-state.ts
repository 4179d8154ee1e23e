// GitLab's terms in ours: states, jobs, and mergeability. Pure.

import type { Check, Pull, PullState } from '../../contract/pull.ts'
import { ownValue } from '../../core/text/json-fields.ts'
import type { GitlabJob, GitlabMergeRequest } from './gitlab-data.ts'

export function stateOf({ state }: GitlabMergeRequest): PullState {
  if (state === 'merged') return 'merged'
  return state === 'closed' ? 'closed' : 'open'
}

const JOB_STATES: Readonly<Record<string, Check['status']>> = {
  created: 'pending',
  waiting_for_resource: 'pending',
  preparing: 'pending',
  waiting_for_callback: 'pending',
  pending: 'pending',
  scheduled: 'pending',
  manual: 'pending',
  running: 'running',
  canceling: 'running',
  success: 'passed',
  failed: 'failed',
  canceled: 'failed',
  skipped: 'skipped',
}

/** A job that may fail, or a manual job that may never run, decides nothing. */
export function toCheck(job: GitlabJob): Check {
  const status = ownValue(JOB_STATES, job.status) ?? 'failed'
  const decides = !job.allow_failure || status === 'passed' || status === 'running'
  return {
    id: `job:${job.pipeline.project_id}:${job.id}`,
    name: job.name,
    status: decides ? status : 'skipped',
    url: job.web_url,
  }
}

/** `pipeline` is GitLab's own verdict, for what is not among the jobs: child pipelines and external statuses. */
export function summarizeJobs(checks: readonly Check[], pipeline: string | null): Pull['ci'] {
  const has = (...statuses: Check['status'][]) => checks.some(({ status }) => statuses.includes(status))
  const whole = pipeline === null ? undefined : JOB_STATES[pipeline]
  if (has('failed') || whole === 'failed') return 'failing'
  if (has('pending', 'running') || whole === 'running' || (whole === 'pending' && pipeline !== 'manual'))
    return 'pending'
  return has('passed') || whole === 'passed' ? 'passing' : 'none'
}

const UNDECIDED: ReadonlySet<string> = new Set(['unchecked', 'checking', 'preparing', 'approvals_syncing'])

/** While GitLab is still checking, it reports "no conflicts" without knowing. */
export function conflictsOf(request: GitlabMergeRequest): boolean | null {
  if (request.detailed_merge_status === 'conflict') return true
  const undecided =
    UNDECIDED.has(request.detailed_merge_status ?? '') ||
    ['unchecked', 'checking', 'cannot_be_merged_recheck'].includes(request.merge_status ?? '')
  if (undecided) return null
  return request.has_conflicts ?? null
}

export function mergeableOf(request: GitlabMergeRequest): boolean | null {
  if (stateOf(request) !== 'open' || request.draft) return false
  const status = request.detailed_merge_status
  if (status === undefined || UNDECIDED.has(status)) return conflictsOf(request) === true ? false : null
  return status === 'mergeable'
}
