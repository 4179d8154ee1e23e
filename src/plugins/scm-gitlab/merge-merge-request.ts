// Asks GitLab to merge. A project with merge trains gets it aboard; merging past the train is left to people.
import type { MergedPR } from '../../slots/scm.ts'
import type { GitlabClient } from '../gitlab-api/gitlab-client.ts'
import { HttpApiError, hasStatus } from '../http-api/http-api-error.ts'
import { commitOf } from './fetch-merge-request.ts'
import type { GitlabMergeRequest } from './gitlab-data.ts'

/** `path`: of the merge request in the API. */
export async function mergeRequest(
  client: GitlabClient,
  path: string,
  body: { sha: string; squash: boolean },
): Promise<MergedPR> {
  if (await hasTrain(client, path)) return board(client, path, body)
  const { data } = await client.call<GitlabMergeRequest>(`${path}/merge`, { method: 'PUT', body })
  return { commit: commitOf(data) }
}

async function hasTrain(client: GitlabClient, path: string): Promise<boolean> {
  try {
    const project = path.slice(0, path.lastIndexOf('/merge_requests/'))
    return (await client.call<{ merge_trains_enabled?: boolean }>(project)).data.merge_trains_enabled === true
  } catch (error) {
    // A token that may merge need not see the project's settings.
    if (hasStatus(error, 403, 404)) return false
    throw error
  }
}

async function board(client: GitlabClient, request: string, body: object): Promise<MergedPR> {
  const path = request.replace(/\/merge_requests\/([0-9]+)$/, '/merge_trains/merge_requests/$1')
  try {
    await client.call(path, { method: 'POST', body })
  } catch (error) {
    if (!(await isAboard(client, path, error))) throw error
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
