// A delivery of GitLab's webhook: first its origin, by signature or by token; then which sessions it concerns.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { AoError } from '../../contract/errors.ts'
import type { WebhookEvent, WebhookRequest } from '../../slots/scm.ts'

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

type Subject = Omit<WebhookEvent, 'deliveryId' | 'repo'>

/** An older signed delivery is a replay, whatever its signature. */
const WINDOW_MS = 5 * 60_000

export function parseGitlabWebhook(request: WebhookRequest, secret: string, now: number): WebhookEvent | null {
  // An empty secret would let anyone in.
  if (secret === '') throw refuse('no secret is configured')
  if (header(request, 'webhook-signature') !== null) requireSignature(request, secret, now)
  else requireToken(request, secret)
  const deliveryId =
    header(request, 'webhook-id') ?? header(request, 'idempotency-key') ?? header(request, 'x-gitlab-event-uuid')
  if (deliveryId === null) throw refuse('it has no delivery id')
  const payload = parseBody(request.body)
  const subject = subjectOf(payload)
  const repo = payload.project?.path_with_namespace
  return subject === null || typeof repo !== 'string' ? null : { deliveryId, repo, ...subject }
}

/** Standard Webhooks: HMAC-SHA256 over id, time and body; several signatures while a secret is being rotated. */
function requireSignature(request: WebhookRequest, secret: string, now: number): void {
  const id = header(request, 'webhook-id')
  const time = header(request, 'webhook-timestamp')
  if (id === null || time === null || !/^[0-9]{1,12}$/.test(time)) throw refuse('its signature has no id or time')
  if (Math.abs(now - Number(time) * 1000) > WINDOW_MS) throw refuse('it is too old')
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret)
  if (key.length === 0) throw refuse('the secret is not a signing token')
  const expected = createHmac('sha256', key).update(`${id}.${time}.`).update(request.body).digest()
  const given = header(request, 'webhook-signature')!
    .split(' ')
    .flatMap((one) => /^v1,([A-Za-z0-9+/]{43}=)$/.exec(one)?.[1] ?? [])
  if (!given.some((one) => timingSafeEqual(Buffer.from(one, 'base64'), expected)))
    throw refuse('its signature is wrong')
}

/** Compared as digests of equal length: timing reveals nothing about how much was right. */
function requireToken(request: WebhookRequest, secret: string): void {
  if (secret.startsWith('whsec_')) throw refuse('it is not signed, though a signing token is configured')
  const given = header(request, 'x-gitlab-token')
  if (given === null) throw refuse('it has no token')
  const digest = (text: string) => createHash('sha256').update(text).digest()
  if (!timingSafeEqual(digest(given), digest(secret))) throw refuse('its token is wrong')
}

function subjectOf(payload: Payload): Subject | null {
  const { object_attributes: attributes, merge_request: request } = payload
  const ofRequest = { prNumber: request?.iid, branch: request?.source_branch, sha: request?.last_commit?.id }
  switch (payload.object_kind) {
    case 'merge_request':
      return subject({
        prNumber: attributes?.iid,
        branch: attributes?.source_branch,
        sha: attributes?.last_commit?.id,
      })
    case 'note':
      return attributes?.noteable_type === 'MergeRequest' ? subject(ofRequest) : null
    case 'pipeline':
      return subject({
        prNumber: request?.iid,
        branch: request?.source_branch ?? (attributes?.tag ? undefined : attributes?.ref),
        sha: attributes?.sha,
      })
    case 'build':
      return subject({ branch: payload.tag ? undefined : payload.ref, sha: payload.sha })
    case 'push': {
      const branch = typeof payload.ref === 'string' ? /^refs\/heads\/(.+)$/.exec(payload.ref)?.[1] : undefined
      return branch === undefined ? null : subject({ branch, sha: payload.checkout_sha })
    }
    default:
      return null
  }
}

function subject(parts: { prNumber?: unknown; branch?: unknown; sha?: unknown }): Subject | null {
  const prNumber = Number.isSafeInteger(parts.prNumber) ? (parts.prNumber as number) : null
  const branch = typeof parts.branch === 'string' && parts.branch !== '' ? parts.branch : null
  const sha = typeof parts.sha === 'string' && /^[0-9a-f]{40,64}$/.test(parts.sha) ? parts.sha : null
  return prNumber === null && branch === null && sha === null ? null : { prNumber, branch, sha }
}

function parseBody(body: Buffer): Payload {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'))
    if (typeof parsed === 'object' && parsed !== null) return parsed
  } catch {
    // Reported below.
  }
  throw new AoError('USAGE', 'The webhook of GitLab sent no JSON')
}

/** Node lower-cases header names; other tools may not. */
function header({ headers }: WebhookRequest, name: string): string | null {
  const value = headers[name] ?? Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof value === 'string' && value !== '' ? value : null
}

function refuse(why: string): AoError {
  return new AoError('WEBHOOK_REFUSED', `The webhook delivery was refused: ${why}`)
}
