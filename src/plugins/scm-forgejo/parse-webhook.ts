// A delivery of Forgejo's or Gitea's webhook: first its origin, then which sessions it concerns.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { AoError } from '../../contract/errors.ts'
import type { WebhookEvent, WebhookRequest } from '../../slots/scm.ts'

interface Payload {
  repository?: { full_name?: unknown }
  number?: unknown
  pull_request?: { number?: unknown; head?: { ref?: unknown; sha?: unknown } } | null
  issue?: { number?: unknown; pull_request?: unknown }
  ref?: unknown
  after?: unknown
  sha?: unknown
}

const RELEVANT = /^(?:pull_request(?:_.+)?|issue_comment|push|status|workflow_(?:run|job))$/

export function parseForgejoWebhook({ headers, body }: WebhookRequest, secret: string): WebhookEvent | null {
  requireSignature(headers, body, secret)
  const event = headerOf(headers, 'event') ?? ''
  if (!RELEVANT.test(event)) return null
  const payload = parse(body)
  const pull = payload.pull_request
  const branch = /^refs\/heads\/(.+)$/.exec(text(payload.ref) ?? '')?.[1] ?? text(pull?.head?.ref)
  return {
    deliveryId: headerOf(headers, 'delivery') ?? '',
    repo: text(payload.repository?.full_name),
    prNumber: count(pull?.number) ?? (payload.issue?.pull_request ? count(payload.issue.number) : null),
    branch,
    sha: text(pull?.head?.sha) ?? text(payload.after) ?? text(payload.sha),
  }
}

/** Forgejo sends both names, Gitea only the second. */
function headerOf(headers: Record<string, string>, name: string): string | undefined {
  return headers[`x-forgejo-${name}`] ?? headers[`x-gitea-${name}`]
}

function requireSignature(headers: Record<string, string>, body: Buffer, secret: string): void {
  const given = Buffer.from(headerOf(headers, 'signature') ?? '', 'hex')
  const wanted = createHmac('sha256', secret).update(body).digest()
  if (secret !== '' && given.length === wanted.length && timingSafeEqual(given, wanted)) return
  throw new AoError('ACCESS_REFUSED', 'The signature of the delivery is missing or wrong')
}

function parse(body: Buffer): Payload {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return typeof value === 'object' && value !== null ? value : {}
  } catch (error) {
    throw new AoError('USAGE', 'The delivery is not valid JSON', { cause: error })
  }
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

function count(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : null
}
