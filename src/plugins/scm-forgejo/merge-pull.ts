// Merges one commit and nothing else. Forgejo compares the head itself, so a push in between cannot slip in.
import { AoError } from '../../contract/errors.ts'
import type { MergeMethod } from '../../contract/forges.ts'
import type { ForgejoClient } from '../forgejo-api/forgejo-client.ts'
import { HttpApiError, hasStatus } from '../http-api/http-api-error.ts'
import { fetchPull, stateOf } from './fetch-pull.ts'
import type { ForgejoPull } from './forgejo-data.ts'

/** In `details.refusal` of the error. */
type MergeRefusal = 'head_moved' | 'not_mergeable' | 'closed' | 'draft' | 'not_allowed'

export interface MergeOrder {
  /** Of the pull request in the API. */
  path: string
  sha: string
  method: MergeMethod
}

export async function mergePull(client: ForgejoClient, order: MergeOrder): Promise<{ commit: string | null }> {
  const before = await fetchPull(client, order.path)
  // Already done, by us before a crash or by somebody else.
  if (before.merged && before.head.sha === order.sha) return { commit: before.merge_commit_sha }
  requireMergeable(before, order)
  try {
    const body = { Do: order.method, head_commit_id: order.sha }
    await client.call(`${order.path}/merge`, { method: 'POST', body })
  } catch (error) {
    if (!(await mergedAnyway(client, order, error))) throw refusalOf(error, order)
  }
  return { commit: (await fetchPull(client, order.path)).merge_commit_sha }
}

function requireMergeable(pull: ForgejoPull, order: MergeOrder): void {
  if (pull.head.sha !== order.sha) {
    const why = `its head is ${pull.head.sha.slice(0, 12)} now, not ${order.sha.slice(0, 12)}`
    throw refuse(order, 'head_moved', why)
  }
  const state = stateOf(pull)
  if (state !== 'open') throw refuse(order, 'closed', `it is ${state}`)
  if (pull.draft) throw refuse(order, 'draft', 'it is a draft')
}

/** No response says nothing about what Forgejo did: check before calling it a failure. */
async function mergedAnyway(client: ForgejoClient, { path, sha }: MergeOrder, error: unknown): Promise<boolean> {
  if (!(error instanceof HttpApiError) || error.code === 'RATE_LIMITED') return false
  if (error.status !== null && error.status < 500) return false
  const pull = await fetchPull(client, path)
  return pull.merged && pull.head.sha === sha
}

function refusalOf(error: unknown, order: MergeOrder): unknown {
  if (!hasStatus(error, 401, 403, 405, 409, 422)) return error
  const refusals: Record<number, MergeRefusal> = { 401: 'not_allowed', 403: 'not_allowed', 409: 'head_moved' }
  const why = error.reason || `Forgejo answered ${error.status}`
  return refuse(order, refusals[error.status!] ?? 'not_mergeable', why, error)
}

function refuse({ path, sha }: MergeOrder, refusal: MergeRefusal, why: string, cause?: unknown): AoError {
  const number = path.slice(path.lastIndexOf('/') + 1)
  return new AoError('SCM_FAILED', `Pull request #${number} was not merged: ${why}`, {
    details: { refusal, number: Number(number), sha },
    cause,
  })
}
