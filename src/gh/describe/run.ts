// The checks of a commit, and those of a pull request's head as the jobs of one run, whose id is the pull request's number.
import type { Check, Pull } from '../../contract/pull.ts'
import { readCheckRecord } from '../../forge/pulls/observe-pulls.ts'
import { GhError } from '../gh-error.ts'
import { numericId } from '../ids.ts'
import { type Gh, observeAll } from '../open-gh.ts'
import { webUrl } from './names.ts'
import { connection, field, type Node } from './node.ts'

export const WORKFLOW = 'CI'
export const WORKFLOW_ID = 1
const STATES = {
  passed: 'COMPLETED',
  failed: 'COMPLETED',
  skipped: 'COMPLETED',
  running: 'IN_PROGRESS',
  pending: 'QUEUED',
} as const
const ENDS = { passed: 'SUCCESS', failed: 'FAILURE', skipped: 'SKIPPED', running: null, pending: null } as const
const BUCKETS = { passed: 'pass', failed: 'fail', pending: 'pending', running: 'pending', skipped: 'skipping' } as const
const RUN_ENDS = { passing: 'success', failing: 'failure', pending: null, none: 'skipped' } as const

/** Derived from one commit and one command, so that it changes with either. */
export function jobId(check: Pick<Check, 'id'>): number {
  return numericId(check.id)
}

/** `page` shows it: that of its pull request, where there is one. */
export function describeCheck(gh: Gh, check: Check, { sha, page = webUrl(gh) }: { sha: string; page?: string }): Node {
  const { startedAt = null, finishedAt: completedAt = null, why: title = null } = readCheckRecord(gh.forge, check) ?? {}
  const url = `${page}/checks/${encodeURIComponent(check.name)}`
  return {
    __typename: 'CheckRun',
    id: `CR_${jobId(check)}`,
    databaseId: jobId(check),
    name: check.name,
    status: STATES[check.status],
    conclusion: ENDS[check.status],
    bucket: BUCKETS[check.status],
    startedAt,
    completedAt,
    detailsUrl: url,
    url,
    permalink: url,
    title: title || null,
    summary: null,
    text: null,
    headSha: sha,
    // All of them are required for merging.
    isRequired: field(['pullRequestNumber', 'pullRequestId'], () => true),
  }
}

export function describeRollup(gh: Gh, checks: readonly Check[], at: { sha: string; page: string }): Node | null {
  if (checks.length === 0) return null
  const isFailed = checks.some(({ status }) => status === 'failed')
  const isPassed = checks.every(({ status }) => status === 'passed' || status === 'skipped')
  return {
    __typename: 'StatusCheckRollup',
    id: `SCR_${at.sha}`,
    state: isFailed ? 'FAILURE' : isPassed ? 'SUCCESS' : 'PENDING',
    contexts: connection(
      () => checks,
      (check) => describeCheck(gh, check, at),
    ),
  }
}

export function describeRun(gh: Gh, { pr, headSha, ci, checks, createdAt, updatedAt }: Pull): Node {
  return {
    id: `WFR_${pr.number}`,
    databaseId: pr.number,
    number: pr.number,
    attempt: 1,
    name: WORKFLOW,
    workflowDatabaseId: WORKFLOW_ID,
    displayTitle: pr.title ?? '',
    event: 'pull_request',
    headBranch: pr.branch ?? '',
    headSha,
    status: ci === 'pending' ? 'in_progress' : 'completed',
    conclusion: RUN_ENDS[ci],
    url: `${pr.url}/checks`,
    createdAt,
    updatedAt,
    jobs: connection(
      () => checks,
      (check) => describeJob(gh, { pr, headSha }, check),
    ),
  }
}

export function describeJob(gh: Gh, { pr, headSha }: Pick<Pull, 'pr' | 'headSha'>, check: Check): Node {
  const job = describeCheck(gh, check, { sha: headSha, page: pr.url })
  return { ...job, runId: pr.number, headBranch: pr.branch ?? '' }
}

export async function findJob(gh: Gh, id: string): Promise<{ pull: Pull; check: Check }> {
  for (const pull of (await observeAll(gh)).reverse()) {
    const check = pull.checks.find((one) => String(jobId(one)) === id)
    if (check) return { pull, check }
  }
  throw new GhError(`could not find a job with the ID ${id}`)
}
