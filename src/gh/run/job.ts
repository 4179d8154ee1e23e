// The checks of a pull request's head as jobs of a run: the run's id is the pull request's number.
import type { Check } from '../../contract/pull.ts'
import { readCheckRecord } from '../../forge/ci/check-log.ts'
import { observePulls, type PullView } from '../../forge/pulls/observe-pulls.ts'
import type { LocalForge } from '../../forge/types.ts'
import { GhError } from '../gh-error.ts'
import { numericId } from '../ids.ts'

export const JOB_ENDS = { passed: 'success', failed: 'failure', pending: '', running: '', skipped: 'skipped' } as const

export const JOB_STATES = {
  passed: 'completed',
  failed: 'completed',
  skipped: 'completed',
  running: 'in_progress',
  pending: 'queued',
} as const

/** Derived from one commit and one command, so that it changes with either. */
export function jobId(check: Pick<Check, 'id'>): number {
  return numericId(check.id)
}

export async function findJob(forge: LocalForge, id: string): Promise<{ view: PullView; check: Check }> {
  for (const view of (await observePulls(forge, forge.pulls.list())).reverse()) {
    const check = view.checks.find((one) => String(jobId(one)) === id)
    if (check) return { view, check }
  }
  throw new GhError(`could not find a job with the ID ${id}`)
}

export function jobTimes(forge: LocalForge, check: Check) {
  const record = readCheckRecord(forge, check)
  return { startedAt: record?.startedAt ?? null, completedAt: record?.finishedAt ?? null, why: record?.why ?? '' }
}

export function requireRunId([id]: readonly string[]): string {
  if (id !== undefined) return id
  throw new GhError('run or job ID required when not running interactively')
}
