// Merges one commit and nothing else. GitLab compares the head itself, so a push in between cannot slip in.
import { AoError } from '../../contract/errors.ts'
import type { MergedPR } from '../../slots/scm.ts'
import type { GitlabClient } from '../gitlab-api/gitlab-client.ts'
import { HttpApiError, hasStatus } from '../http-api/http-api-error.ts'
import { fetchRequest } from './fetch-merge-request.ts'
import type { GitlabMergeRequest } from './gitlab-data.ts'
import { stateOf } from './merge-request-state.ts'

/** In `details.refusal` of the error. */
type MergeRefusal = 'head_moved' | 'not_mergeable' | 'closed' | 'draft' | 'not_allowed'

export interface MergeOrder {
  /** Of the merge request in the API. */
  path: string
  sha: string
  squash: boolean
}

/** A project with merge trains gets it aboard; merging past the train is left to people. */
export async function mergeRequest(client: GitlabClient, order: MergeOrder): Promise<MergedPR> {
  const before = await fetchRequest(client, order.path)
  // Already done, by us before a crash or by somebody else.
  if (before.state === 'merged' && before.sha === order.sha) return { commit: commitOf(before) }
  requireMergeable(before, order)
  if (await hasTrain(client, order)) return board(client, order)
  try {
    const body = { sha: order.sha, squash: order.squash }
    const { data } = await client.call<GitlabMergeRequest>(`${order.path}/merge`, { method: 'PUT', body })
    return { commit: commitOf(data) }
  } catch (error) {
    const done = await mergedAnyway(client, order, error)
    if (done) return done
    throw refusalOf(error, order)
  }
}

async function hasTrain(client: GitlabClient, { path }: MergeOrder): Promise<boolean> {
  try {
    const project = path.slice(0, path.lastIndexOf('/merge_requests/'))
    return (await client.call<{ merge_trains_enabled?: boolean }>(project)).data.merge_trains_enabled === true
  } catch (error) {
    // A token that may merge need not see the project's settings.
    if (hasStatus(error, 403, 404)) return false
    throw error
  }
}

async function board(client: GitlabClient, order: MergeOrder): Promise<MergedPR> {
  const path = order.path.replace(/\/merge_requests\/([0-9]+)$/, '/merge_trains/merge_requests/$1')
  try {
    await client.call(path, { method: 'POST', body: { sha: order.sha, squash: order.squash } })
  } catch (error) {
    if (!(await isAboard(client, path, error))) throw refusalOf(error, order)
  }
  return { commit: null, boarded: true }
}

/** It was aboard before, or only the answer was lost. */
async function isAboard(client: GitlabClient, path: string, error: unknown): Promise<boolean> {
  if (!(error instanceof HttpApiError) || error.code === 'RATE_LIMITED') return false
  try {
    const { data } = await client.call<{ status?: string }>(path)
    return data.status !== undefined && data.status !== 'skip_merged'
  } catch {
    // The first failure says more.
    return false
  }
}

/** With a squash and no merge commit, the base branch got the squashed commit. */
export function commitOf(request: GitlabMergeRequest): string | null {
  return request.merge_commit_sha ?? request.squash_commit_sha ?? null
}

function requireMergeable(request: GitlabMergeRequest, order: MergeOrder): void {
  if (request.sha !== order.sha) {
    const head = request.sha?.slice(0, 12) ?? 'gone'
    throw refuse(order, 'head_moved', `its head is ${head} now, not ${order.sha.slice(0, 12)}`)
  }
  const state = stateOf(request)
  if (state !== 'open') throw refuse(order, 'closed', `it is ${state}`)
  if (request.draft) throw refuse(order, 'draft', 'it is a draft')
}

/** No response says nothing about what GitLab did: check before calling it a failure. */
async function mergedAnyway(
  client: GitlabClient,
  { path, sha }: MergeOrder,
  error: unknown,
): Promise<{ commit: string | null } | null> {
  if (!(error instanceof HttpApiError) || error.code === 'RATE_LIMITED') return null
  if (error.status !== null && error.status < 500) return null
  const request = await fetchRequest(client, path)
  return request.state === 'merged' && request.sha === sha ? { commit: commitOf(request) } : null
}

function refusalOf(error: unknown, order: MergeOrder): unknown {
  if (!hasStatus(error, 401, 403, 405, 406, 409, 422)) return error
  const refusals: Record<number, MergeRefusal> = { 401: 'not_allowed', 403: 'not_allowed', 409: 'head_moved' }
  return refuse(
    order,
    refusals[error.status!] ?? 'not_mergeable',
    error.reason || `GitLab answered ${error.status}`,
    error,
  )
}

function refuse({ path, sha }: MergeOrder, refusal: MergeRefusal, why: string, cause?: unknown): AoError {
  const iid = path.slice(path.lastIndexOf('/') + 1)
  return new AoError('SCM_FAILED', `Merge request !${iid} was not merged: ${why}`, {
    details: { refusal, number: Number(iid), sha },
    cause,
  })
}
