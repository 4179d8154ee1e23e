// The checks of a commit: its statuses, which Forgejo's own Actions write too.

import type { Check, Pull } from '../../contract/pull.ts'
import { ownValue } from '../../core/text/json-fields.ts'
import type { ForgejoClient } from '../forgejo-api/forgejo-client.ts'
import type { ForgejoStatus } from './forgejo-data.ts'

const STATES: Readonly<Record<string, Check['status']>> = {
  pending: 'pending',
  success: 'passed',
  warning: 'passed',
  skipped: 'skipped',
  failure: 'failed',
  error: 'failed',
}

/** `ref`: a commit or a branch. The newest status of a context counts. */
export async function readChecks(client: ForgejoClient, apiPath: string, ref: string): Promise<Check[]> {
  const path = `${apiPath}/commits/${encodeURIComponent(ref)}/statuses`
  const all = await client.list<ForgejoStatus>(path, { loop: true })
  const newest = new Map<string, ForgejoStatus>()
  for (const one of all) if ((newest.get(one.context)?.id ?? 0) < one.id) newest.set(one.context, one)
  return [...newest.values()].map(({ id, context, status, target_url: url }) => ({
    id: `status:${id}`,
    name: context,
    status: ownValue(STATES, status) ?? 'failed',
    url: url || undefined,
  }))
}

export function summarize(checks: readonly Check[]): Pull['ci'] {
  const has = (...statuses: Check['status'][]) => checks.some(({ status }) => statuses.includes(status))
  if (has('failed')) return 'failing'
  if (has('pending', 'running')) return 'pending'
  return has('passed') ? 'passing' : 'none'
}
