// Asks GitHub to merge. Where the branch has a merge queue, GitHub takes nothing but an entry in it.
import type { MergedPR } from '../../slots/scm.ts'
import { type MergeRefusal, type MergeTarget, refuseMerge } from '../forge-git/merge-exactly.ts'
import type { GithubClient } from '../github-api/github-client.ts'
import type { RepositoryName } from '../github-api/repository-name.ts'
import { type HttpApiError, hasStatus } from '../http-api/http-api-error.ts'
import type { FetchedPull } from './fetch-pull-request.ts'

export async function mergePull(
  client: GithubClient,
  pull: FetchedPull,
  target: MergeTarget,
  name: RepositoryName,
): Promise<MergedPR> {
  try {
    const merged = await client.rest<{ sha?: string }>('PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge', {
      ...name,
      pull_number: target.number,
      sha: target.sha,
      merge_method: target.method,
    })
    return { commit: merged.sha ?? null }
  } catch (error) {
    if (hasStatus(error, 405, 422) && /merge queue/i.test(error.reason)) return enqueue(client, pull, target)
    throw error
  }
}

const ENQUEUE = `mutation ($pull: ID!, $head: GitObjectID!) {
  enqueuePullRequest(input: { pullRequestId: $pull, expectedHeadOid: $head }) { mergeQueueEntry { state } }
}`

/** One that is in the queue already stays where it is. */
async function enqueue(client: GithubClient, { nodeId }: FetchedPull, target: MergeTarget): Promise<MergedPR> {
  const { errors } = await client.graphql(ENQUEUE, { pull: nodeId, head: target.sha })
  const why = errors.map(({ message }) => message).join('; ')
  if (errors.length === 0 || /already/i.test(why)) return { commit: null, boarded: true }
  const isForbidden = errors.some(({ type }) => type === 'FORBIDDEN')
  const refusal: MergeRefusal = isForbidden ? 'not_allowed' : /head/i.test(why) ? 'head_moved' : 'not_mergeable'
  throw refuseMerge(target, refusal, `the merge queue does not take it: ${why}`)
}

export function refusalOf(error: HttpApiError): MergeRefusal | null {
  if (!hasStatus(error, 403, 405, 409, 422)) return null
  if (error.status === 409 || /head (branch|sha)/i.test(error.reason)) return 'head_moved'
  return error.status === 403 ? 'not_allowed' : 'not_mergeable'
}
