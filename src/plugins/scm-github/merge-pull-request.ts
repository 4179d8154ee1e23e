// Merges one commit and nothing else. GitHub compares the head itself, so a push in between cannot slip in.
import { AoError } from '../../contract/errors.ts'
import type { MergeMethod } from '../../contract/forges.ts'
import type { MergedPR } from '../../slots/scm.ts'
import type { GithubClient } from '../github-api/github-client.ts'
import type { RepositoryName } from '../github-api/repository-name.ts'
import { HttpApiError, hasStatus } from '../http-api/http-api-error.ts'
import { fetchPull, type GithubPull, pullState } from './fetch-pull-request.ts'

/** In `details.refusal` of the error. */
export type MergeRefusal = 'head_moved' | 'not_mergeable' | 'closed' | 'draft' | 'not_allowed'

export interface MergeRequest {
  target: RepositoryName & { pull_number: number }
  sha: string
  method: MergeMethod
}

/** Where the branch has a merge queue, GitHub takes nothing but an entry in it. */
export async function mergePull(client: GithubClient, request: MergeRequest): Promise<MergedPR> {
  const before = await fetchPull(client, request.target)
  // Already done, by us before a crash or by somebody else: a repeated request does not merge twice.
  if (pullState(before) === 'merged' && before.head.sha === request.sha) return { commit: before.merge_commit_sha }
  requireMergeable(before, request)
  try {
    const merged = await client.rest<{ sha?: string }>('PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge', {
      ...request.target,
      sha: request.sha,
      merge_method: request.method,
    })
    return { commit: merged.sha ?? null }
  } catch (error) {
    if (wantsQueue(error)) return enqueue(client, before, request)
    const done = await mergedAnyway(client, request, error)
    if (done) return done
    throw refusalOf(error, request)
  }
}

function wantsQueue(error: unknown): boolean {
  return hasStatus(error, 405, 422) && /merge queue/i.test(error.reason)
}

const ENQUEUE = `mutation ($pull: ID!, $head: GitObjectID!) {
  enqueuePullRequest(input: { pullRequestId: $pull, expectedHeadOid: $head }) { mergeQueueEntry { state } }
}`

/** One that is in the queue already stays where it is. */
async function enqueue(client: GithubClient, pull: GithubPull, request: MergeRequest): Promise<MergedPR> {
  const { errors } = await client.graphql(ENQUEUE, { pull: pull.node_id, head: request.sha })
  const why = errors.map(({ message }) => message).join('; ')
  if (errors.length === 0 || /already/i.test(why)) return { commit: null, boarded: true }
  const isForbidden = errors.some(({ type }) => type === 'FORBIDDEN')
  const refusal: MergeRefusal = isForbidden ? 'not_allowed' : /head/i.test(why) ? 'head_moved' : 'not_mergeable'
  throw refuse(request, refusal, `the merge queue does not take it: ${why}`)
}

function requireMergeable(pull: GithubPull, request: MergeRequest): void {
  if (pull.head.sha !== request.sha) {
    const why = `its head is ${pull.head.sha.slice(0, 12)} now, not ${request.sha.slice(0, 12)}`
    throw refuse(request, 'head_moved', why)
  }
  const state = pullState(pull)
  if (state !== 'open') throw refuse(request, 'closed', `it is ${state}`)
  if (pull.draft) throw refuse(request, 'draft', 'it is a draft')
}

/** No response says nothing about what GitHub did: check before calling it a failure. */
async function mergedAnyway(
  client: GithubClient,
  { target, sha }: MergeRequest,
  error: unknown,
): Promise<{ commit: string | null } | null> {
  if (!(error instanceof HttpApiError) || error.code === 'RATE_LIMITED') return null
  if (error.status !== null && error.status < 500) return null
  const pull = await fetchPull(client, target)
  const done = pullState(pull) === 'merged' && pull.head.sha === sha
  return done ? { commit: pull.merge_commit_sha } : null
}

function refusalOf(error: unknown, request: MergeRequest): unknown {
  if (!hasStatus(error, 403, 405, 409, 422) || error.code === 'RATE_LIMITED') return error
  const moved = error.status === 409 || /head (branch|sha)/i.test(error.reason)
  const refusal: MergeRefusal = moved ? 'head_moved' : error.status === 403 ? 'not_allowed' : 'not_mergeable'
  return refuse(request, refusal, error.reason || `GitHub answered ${error.status}`, error)
}

function refuse({ target, sha }: MergeRequest, refusal: MergeRefusal, why: string, cause?: unknown): AoError {
  const what = `#${target.pull_number} of ${target.owner}/${target.repo}`
  return new AoError('SCM_FAILED', `Pull request ${what} was not merged: ${why}`, {
    details: { refusal, number: target.pull_number, sha },
    cause,
  })
}
