// What deliveries of webhooks have in common, whichever forge sent them.
import { AoError } from '../../contract/errors.ts'
import { parseObject } from '../../core/text/json-fields.ts'
import type { WebhookEvent, WebhookRequest } from '../../slots/scm.ts'

/** What it is about. */
export type Subject = Omit<WebhookEvent, 'deliveryId' | 'repo'>

/** null: nothing of it can be used. */
export function subjectOf(parts: { prNumber?: unknown; branch?: unknown; sha?: unknown }): Subject | null {
  const prNumber = Number.isSafeInteger(parts.prNumber) ? (parts.prNumber as number) : null
  const branch = typeof parts.branch === 'string' && parts.branch !== '' ? parts.branch : null
  const sha = typeof parts.sha === 'string' && /^[0-9a-f]{40,64}$/.test(parts.sha) ? parts.sha : null
  return prNumber === null && branch === null && sha === null ? null : { prNumber, branch, sha }
}

/** A tag is about no branch. */
export function pushedTo(ref: unknown, sha: unknown): Subject | null {
  const branch = typeof ref === 'string' ? /^refs\/heads\/(.+)$/.exec(ref)?.[1] : undefined
  return branch === undefined ? null : subjectOf({ branch, sha })
}

/** Signed, but not JSON: for example a hook that is set to form encoding. */
export function parseDelivery<T extends object>({ body }: WebhookRequest, forge: string): T {
  const parsed = parseObject(body.toString('utf8'))
  if (parsed !== null) return parsed as T
  throw new AoError('USAGE', `The webhook of ${forge} sent no JSON`, {
    hint: 'Set the content type of the webhook to application/json',
  })
}

/** Node lower-cases header names; other tools may not. */
export function headerOf({ headers }: WebhookRequest, name: string): string | null {
  const value = headers[name] ?? Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof value === 'string' && value !== '' ? value : null
}

export function refuseDelivery(why: string): AoError {
  return new AoError('WEBHOOK_REFUSED', `The webhook delivery was refused: ${why}`)
}
