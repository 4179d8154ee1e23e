// A delivery of GitHub's webhook: first the signature, over the exact bytes; then which sessions it concerns.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { AoError } from '../../contract/errors.ts'
import type { WebhookEvent, WebhookRequest } from '../../slots/scm.ts'

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

type Subject = Omit<WebhookEvent, 'deliveryId' | 'repo'>

export function parseGithubWebhook(request: WebhookRequest, secret: string): WebhookEvent | null {
  requireSignature(request, secret)
  const deliveryId = header(request, 'x-github-delivery')
  if (deliveryId === null) throw refuse('it has no delivery id')
  const payload = parseBody(request.body)
  const subject = subjectOf(header(request, 'x-github-event') ?? '', payload)
  const repo = repositoryName(payload)
  return subject === null || repo === null ? null : { deliveryId, repo, ...subject }
}

function requireSignature(request: WebhookRequest, secret: string): void {
  // An empty secret would let anyone sign.
  if (secret === '') throw refuse('no secret is configured')
  const given = /^sha256=([0-9a-f]{64})$/.exec(header(request, 'x-hub-signature-256') ?? '')?.[1]
  if (given === undefined) throw refuse('it has no signature')
  const expected = createHmac('sha256', secret).update(request.body).digest()
  if (!timingSafeEqual(Buffer.from(given, 'hex'), expected)) throw refuse('its signature is wrong')
}

function subjectOf(event: string, payload: Payload): Subject | null {
  switch (event) {
    case 'pull_request':
    case 'pull_request_review':
    case 'pull_request_review_comment':
    case 'pull_request_review_thread':
      return subject({
        prNumber: payload.pull_request?.number,
        branch: payload.pull_request?.head?.ref,
        sha: payload.pull_request?.head?.sha,
      })
    case 'issue_comment':
      return payload.issue?.pull_request ? subject({ prNumber: payload.issue.number }) : null
    case 'check_run':
    case 'check_suite':
      return checkSubject(event === 'check_run' ? payload.check_run : payload.check_suite)
    case 'status':
      return subject({ branch: payload.branches?.[0]?.name, sha: payload.sha })
    case 'push': {
      const branch = typeof payload.ref === 'string' ? /^refs\/heads\/(.+)$/.exec(payload.ref)?.[1] : undefined
      return branch === undefined ? null : subject({ branch, sha: payload.after })
    }
    default:
      return null
  }
}

function checkSubject(check: CheckPart | undefined): Subject | null {
  return subject({
    prNumber: check?.pull_requests?.[0]?.number,
    branch: check?.head_branch ?? check?.check_suite?.head_branch,
    sha: check?.head_sha,
  })
}

function subject(parts: { prNumber?: unknown; branch?: unknown; sha?: unknown }): Subject | null {
  const prNumber = Number.isSafeInteger(parts.prNumber) ? (parts.prNumber as number) : null
  const branch = typeof parts.branch === 'string' && parts.branch !== '' ? parts.branch : null
  const sha = typeof parts.sha === 'string' && /^[0-9a-f]{40,64}$/.test(parts.sha) ? parts.sha : null
  return prNumber === null && branch === null && sha === null ? null : { prNumber, branch, sha }
}

function repositoryName({ repository }: Payload): string | null {
  const owner = repository?.owner?.login ?? repository?.owner?.name
  const name = repository?.name
  return typeof owner === 'string' && typeof name === 'string' ? `${owner}/${name}` : null
}

function parseBody(body: Buffer): Payload {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'))
    if (typeof parsed === 'object' && parsed !== null) return parsed
  } catch {
    // Reported below: signed, but not JSON, for example a hook that is set to form encoding.
  }
  throw new AoError('USAGE', 'The webhook of GitHub sent no JSON', {
    hint: 'Set the content type of the webhook to application/json',
  })
}

/** Node lower-cases header names; other tools may not. */
function header({ headers }: WebhookRequest, name: string): string | null {
  const value = headers[name] ?? Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof value === 'string' && value !== '' ? value : null
}

function refuse(why: string): AoError {
  return new AoError('WEBHOOK_REFUSED', `The webhook delivery was refused: ${why}`)
}
