// Merges one commit and nothing else. Forges compare the head themselves, so a push in between cannot slip in.
import { AoError } from '../../contract/errors.ts'
import type { MergeMethod } from '../../contract/forges.ts'
import type { PullRef, PullState } from '../../contract/pull.ts'
import type { MergedPR } from '../../slots/scm.ts'
import { HttpApiError } from '../http-api/http-api-error.ts'

/** What every forge says of one pull request. */
export interface ForgePull {
  pr: PullRef & { number: number }
  state: PullState
  /** null: its branch is gone. */
  headSha: string | null
  mergeCommit: string | null
}

/** In `details.refusal` of the error. */
export type MergeRefusal = 'head_moved' | 'not_mergeable' | 'closed' | 'draft' | 'not_allowed'

export interface MergeOrder<P extends ForgePull = ForgePull> {
  number: number
  /** As messages call it. */
  title: string
  sha: string
  method: MergeMethod
  readPull(): Promise<P>
  /** null: the forge does not say which commit it made. */
  merge(before: P): Promise<MergedPR | null>
  /** What an answer of the forge means; null: it says nothing about this pull request. */
  refusalOf(error: HttpApiError): MergeRefusal | null
}

export async function mergeExactly<P extends ForgePull>(order: MergeOrder<P>): Promise<MergedPR> {
  const before = await order.readPull()
  // Already done, by us before a crash or by somebody else: a repeated request does not merge twice.
  if (isDone(before, order)) return { commit: before.mergeCommit }
  requireMergeable(before, order)
  const merged = await mergeOrRefuse(before, order)
  // Outside: it has been merged, whatever the answer to this is.
  return merged ?? { commit: (await order.readPull()).mergeCommit }
}

async function mergeOrRefuse<P extends ForgePull>(before: P, order: MergeOrder<P>): Promise<MergedPR | null> {
  try {
    return await order.merge(before)
  } catch (error) {
    const done = await mergedAnyway(order, error)
    if (done) return { commit: done.mergeCommit }
    const refusal = isAnswer(error) ? order.refusalOf(error) : null
    if (!isAnswer(error) || refusal === null) throw error
    throw refuseMerge(order, refusal, error.reason || error.message, error)
  }
}

const BY_STATUS: Readonly<Record<number, MergeRefusal>> = {
  401: 'not_allowed',
  403: 'not_allowed',
  405: 'not_mergeable',
  406: 'not_mergeable',
  409: 'head_moved',
  422: 'not_mergeable',
}

export function refusalByStatus({ status }: HttpApiError): MergeRefusal | null {
  return BY_STATUS[status ?? 0] ?? null
}

/** What is to be merged. */
export type MergeTarget = Pick<MergeOrder, 'number' | 'title' | 'sha' | 'method'>

export function refuseMerge(
  { number, title, sha }: MergeTarget,
  refusal: MergeRefusal,
  why: string,
  cause?: unknown,
): AoError {
  return new AoError('SCM_FAILED', `${title} was not merged: ${why}`, { details: { refusal, number, sha }, cause })
}

function isDone({ state, headSha }: ForgePull, { sha }: MergeTarget): boolean {
  return state === 'merged' && headSha === sha
}

function requireMergeable({ pr, state, headSha }: ForgePull, order: MergeTarget): void {
  if (headSha !== order.sha) {
    const why = `its head is ${headSha?.slice(0, 12) ?? 'gone'} now, not ${order.sha.slice(0, 12)}`
    throw refuseMerge(order, 'head_moved', why)
  }
  if (state !== 'open') throw refuseMerge(order, 'closed', `it is ${state}`)
  if (pr.isDraft) throw refuseMerge(order, 'draft', 'it is a draft')
}

/** No response says nothing about what the forge did: check before calling it a failure. */
async function mergedAnyway<P extends ForgePull>(order: MergeOrder<P>, error: unknown): Promise<P | null> {
  if (!isAnswer(error) || (error.status !== null && error.status < 500)) return null
  const pull = await order.readPull()
  return isDone(pull, order) ? pull : null
}

function isAnswer(error: unknown): error is HttpApiError {
  return error instanceof HttpApiError && error.code !== 'RATE_LIMITED'
}
