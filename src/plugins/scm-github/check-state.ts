// Checks and commit statuses in our terms, and what all of them together mean.

import type { Check, Pull } from '../../contract/pull.ts'
import { ownValue } from '../../core/text/json-fields.ts'
import type { ContextData } from './pull-request-data.ts'

const STATES: Readonly<Record<string, Check['status']>> = {
  IN_PROGRESS: 'running',
  PENDING: 'pending',
  QUEUED: 'pending',
  REQUESTED: 'pending',
  WAITING: 'pending',
  EXPECTED: 'pending',
  SUCCESS: 'passed',
  FAILURE: 'failed',
  TIMED_OUT: 'failed',
  CANCELLED: 'failed',
  ACTION_REQUIRED: 'failed',
  STARTUP_FAILURE: 'failed',
  ERROR: 'failed',
}

/** What GitHub calls skipped, neutral or stale decides nothing. */
export function toCheck(context: ContextData): Check {
  if (context.__typename === 'StatusContext') {
    return check(`status:${context.context}`, context.context, context.state, context.targetUrl)
  }
  const state = context.status === 'COMPLETED' ? (context.conclusion ?? '') : context.status
  const ranMs = Date.parse(context.completedAt ?? '') - Date.parse(context.startedAt ?? '')
  const one = check(`check:${context.databaseId ?? context.name}`, context.name, state, context.detailsUrl)
  return ranMs >= 0 ? { ...one, ranMs } : one
}

/** Any failure fails; else anything unfinished is pending. `rollup` is GitHub's own verdict, for what was not listed. */
export function summarizeChecks(checks: readonly Check[], rollup: string | null): Pull['ci'] {
  const has = (...statuses: Check['status'][]) => checks.some(({ status }) => statuses.includes(status))
  const whole = rollup === null ? undefined : STATES[rollup]
  if (has('failed') || whole === 'failed') return 'failing'
  if (has('pending', 'running') || whole === 'pending') return 'pending'
  return has('passed') || (checks.length === 0 && whole === 'passed') ? 'passing' : 'none'
}

function check(id: string, name: string, state: string, url: string | null): Check {
  return { id, name, status: ownValue(STATES, state) ?? 'skipped', url: url || undefined }
}
