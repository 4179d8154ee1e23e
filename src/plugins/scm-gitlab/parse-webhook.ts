// A delivery of GitLab's webhook: first its origin, by signature or by token; then which sessions it concerns.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { WebhookEvent, WebhookRequest } from '../../slots/scm.ts'
import {
  headerOf,
  parseDelivery,
  pushedTo,
  refuseDelivery,
  type Subject,
  subjectOf,
} from '../forge-git/read-webhook.ts'

interface Payload {
  object_kind?: unknown
  project?: { path_with_namespace?: unknown }
  object_attributes?: {
    iid?: unknown
    source_branch?: unknown
    last_commit?: { id?: unknown }
    noteable_type?: unknown
    ref?: unknown
    tag?: unknown
    sha?: unknown
  }
  merge_request?: { iid?: unknown; source_branch?: unknown; last_commit?: { id?: unknown } } | null
  ref?: unknown
  tag?: unknown
  sha?: unknown
  checkout_sha?: unknown
}

/** An older signed delivery is a replay, whatever its signature. */
const WINDOW_MS = 5 * 60_000

export function parseGitlabWebhook(request: WebhookRequest, secret: string, now: number): WebhookEvent | null {
  // An empty secret would let anyone in.
  if (secret === '') throw refuseDelivery('no secret is configured')
  if (headerOf(request, 'webhook-signature') !== null) requireSignature(request, secret, now)
  else requireToken(request, secret)
  const deliveryId =
    headerOf(request, 'webhook-id') ?? headerOf(request, 'idempotency-key') ?? headerOf(request, 'x-gitlab-event-uuid')
  if (deliveryId === null) throw refuseDelivery('it has no delivery id')
  const payload = parseDelivery<Payload>(request, 'GitLab')
  const subject = subjectIn(payload)
  const repo = payload.project?.path_with_namespace
  return subject === null || typeof repo !== 'string' ? null : { deliveryId, repo, ...subject }
}

/** Standard Webhooks: HMAC-SHA256 over id, time and body; several signatures while a secret is being rotated. */
function requireSignature(request: WebhookRequest, secret: string, now: number): void {
  const id = headerOf(request, 'webhook-id')
  const time = headerOf(request, 'webhook-timestamp')
  if (id === null || time === null || !/^[0-9]{1,12}$/.test(time))
    throw refuseDelivery('its signature has no id or time')
  if (Math.abs(now - Number(time) * 1000) > WINDOW_MS) throw refuseDelivery('it is too old')
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret)
  if (key.length === 0) throw refuseDelivery('the secret is not a signing token')
  const expected = createHmac('sha256', key).update(`${id}.${time}.`).update(request.body).digest()
  const given = headerOf(request, 'webhook-signature')!
    .split(' ')
    .flatMap((one) => /^v1,([A-Za-z0-9+/]{43}=)$/.exec(one)?.[1] ?? [])
  if (!given.some((one) => timingSafeEqual(Buffer.from(one, 'base64'), expected)))
    throw refuseDelivery('its signature is wrong')
}

/** Compared as digests of equal length: timing reveals nothing about how much was right. */
function requireToken(request: WebhookRequest, secret: string): void {
  if (secret.startsWith('whsec_')) throw refuseDelivery('it is not signed, though a signing token is configured')
  const given = headerOf(request, 'x-gitlab-token')
  if (given === null) throw refuseDelivery('it has no token')
  const digest = (text: string) => createHash('sha256').update(text).digest()
  if (!timingSafeEqual(digest(given), digest(secret))) throw refuseDelivery('its token is wrong')
}

function subjectIn(payload: Payload): Subject | null {
  const { object_attributes: attributes, merge_request: request } = payload
  const ofRequest = { prNumber: request?.iid, branch: request?.source_branch, sha: request?.last_commit?.id }
  switch (payload.object_kind) {
    case 'merge_request':
      return subjectOf({
        prNumber: attributes?.iid,
        branch: attributes?.source_branch,
        sha: attributes?.last_commit?.id,
      })
    case 'note':
      return attributes?.noteable_type === 'MergeRequest' ? subjectOf(ofRequest) : null
    case 'pipeline':
      return subjectOf({
        prNumber: request?.iid,
        branch: request?.source_branch ?? (attributes?.tag ? undefined : attributes?.ref),
        sha: attributes?.sha,
      })
    case 'build':
      return subjectOf({ branch: payload.tag ? undefined : payload.ref, sha: payload.sha })
    case 'push':
      return pushedTo(payload.ref, payload.checkout_sha)
    default:
      return null
  }
}
