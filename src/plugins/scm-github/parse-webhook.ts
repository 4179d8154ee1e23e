// A delivery of GitHub's webhook: first the signature, over the exact bytes; then which sessions it concerns.
import { createHmac, timingSafeEqual } from 'node:crypto'
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
  action?: unknown
  repository?: { name?: unknown; owner?: { login?: unknown; name?: unknown } }
  pull_request?: PullPart
  issue?: { number?: unknown; pull_request?: unknown }
  check_run?: CheckPart
  check_suite?: CheckPart
  branches?: Array<{ name?: unknown }>
  sha?: unknown
  ref?: unknown
  after?: unknown
}

interface PullPart {
  number?: unknown
  head?: { ref?: unknown; sha?: unknown }
}

interface CheckPart {
  head_sha?: unknown
  head_branch?: unknown
  check_suite?: { head_branch?: unknown }
  pull_requests?: Array<{ number?: unknown }>
}

export function parseGithubWebhook(request: WebhookRequest, secret: string): WebhookEvent | null {
  requireSignature(request, secret)
  const deliveryId = headerOf(request, 'x-github-delivery')
  if (deliveryId === null) throw refuseDelivery('it has no delivery id')
  const payload = parseDelivery<Payload>(request, 'GitHub')
  const subject = subjectIn(headerOf(request, 'x-github-event') ?? '', payload)
  const repo = repositoryName(payload)
  return subject === null || repo === null ? null : { deliveryId, repo, ...subject }
}

function requireSignature(request: WebhookRequest, secret: string): void {
  // An empty secret would let anyone sign.
  if (secret === '') throw refuseDelivery('no secret is configured')
  const given = /^sha256=([0-9a-f]{64})$/.exec(headerOf(request, 'x-hub-signature-256') ?? '')?.[1]
  if (given === undefined) throw refuseDelivery('it has no signature')
  const expected = createHmac('sha256', secret).update(request.body).digest()
  if (!timingSafeEqual(Buffer.from(given, 'hex'), expected)) throw refuseDelivery('its signature is wrong')
}

function subjectIn(event: string, payload: Payload): Subject | null {
  switch (event) {
    case 'pull_request':
    case 'pull_request_review':
    case 'pull_request_review_comment':
    case 'pull_request_review_thread':
      return subjectOf({
        prNumber: payload.pull_request?.number,
        branch: payload.pull_request?.head?.ref,
        sha: payload.pull_request?.head?.sha,
      })
    case 'issue_comment':
      return payload.issue?.pull_request ? subjectOf({ prNumber: payload.issue.number }) : null
    case 'check_run':
    case 'check_suite':
      return checkSubject(event === 'check_run' ? payload.check_run : payload.check_suite)
    case 'status':
      return subjectOf({ branch: payload.branches?.[0]?.name, sha: payload.sha })
    case 'push':
      return pushedTo(payload.ref, payload.after)
    default:
      return null
  }
}

function checkSubject(check: CheckPart | undefined): Subject | null {
  return subjectOf({
    prNumber: check?.pull_requests?.[0]?.number,
    branch: check?.head_branch ?? check?.check_suite?.head_branch,
    sha: check?.head_sha,
  })
}

function repositoryName({ repository }: Payload): string | null {
  const owner = repository?.owner?.login ?? repository?.owner?.name
  const name = repository?.name
  return typeof owner === 'string' && typeof name === 'string' ? `${owner}/${name}` : null
}
