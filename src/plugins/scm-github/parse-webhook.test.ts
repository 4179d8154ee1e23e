import { createHmac, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { WebhookRequest } from '../../slots/scm.ts'
import { parseGithubWebhook } from './parse-webhook.ts'

const SECRET = 'it is a secret'
const SHA = 'a'.repeat(40)
const repository = { name: 'app', owner: { login: 'acme' } }

function delivery(event: string, payload: unknown, headers: Record<string, string> = {}): WebhookRequest {
  const body = Buffer.from(JSON.stringify(payload))
  const signature = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`
  return {
    body,
    headers: { 'x-github-event': event, 'x-github-delivery': 'd-1', 'x-hub-signature-256': signature, ...headers },
  }
}

describe('a delivery', () => {
  const pull = { number: 7, head: { ref: 'feat/7', sha: SHA } }
  it.each([
    ['pull_request', { pull_request: pull }, { prNumber: 7, branch: 'feat/7', sha: SHA }],
    ['pull_request_review', { pull_request: pull }, { prNumber: 7, branch: 'feat/7', sha: SHA }],
    ['pull_request_review_comment', { pull_request: pull }, { prNumber: 7, branch: 'feat/7', sha: SHA }],
    ['issue_comment', { issue: { number: 7, pull_request: {} } }, { prNumber: 7, branch: null, sha: null }],
    [
      'check_run',
      { check_run: { head_sha: SHA, check_suite: { head_branch: 'feat/7' }, pull_requests: [{ number: 7 }] } },
      { prNumber: 7, branch: 'feat/7', sha: SHA },
    ],
    [
      'check_suite',
      { check_suite: { head_sha: SHA, head_branch: 'feat/7', pull_requests: [] } },
      { prNumber: null, branch: 'feat/7', sha: SHA },
    ],
    ['status', { sha: SHA, branches: [{ name: 'feat/7' }] }, { prNumber: null, branch: 'feat/7', sha: SHA }],
    ['push', { ref: 'refs/heads/feat/7', after: SHA }, { prNumber: null, branch: 'feat/7', sha: SHA }],
  ])('%s says where to look', (event, payload, expected) => {
    expect(parseGithubWebhook(delivery(event, { repository, ...payload }), SECRET)).toEqual({
      deliveryId: 'd-1',
      repo: 'acme/app',
      ...expected,
    })
  })

  it.each([
    ['an event that means nothing', 'star', { repository }],
    ['a comment on an issue', 'issue_comment', { repository, issue: { number: 7 } }],
    ['a push of a tag', 'push', { repository, ref: 'refs/tags/v1', after: SHA }],
    ['an event without a repository', 'pull_request', { pull_request: pull }],
    ['an event with nothing in it', 'pull_request', { repository }],
    [
      'an event of the wrong shape',
      'pull_request',
      { repository, pull_request: { number: 'seven', head: { ref: 5 } } },
    ],
  ])('%s is null', (_what, event, payload) => {
    expect(parseGithubWebhook(delivery(event, payload), SECRET)).toBeNull()
  })

  it('never throws anything but a refusal, whatever JSON is signed', () => {
    const events = ['pull_request', 'issue_comment', 'check_run', 'check_suite', 'status', 'push']
    fc.assert(
      fc.property(fc.constantFrom(...events), fc.jsonValue(), (event, payload) => {
        try {
          parseGithubWebhook(delivery(event, payload), SECRET)
        } catch (error) {
          expect(error).toMatchObject({ code: 'USAGE' })
        }
      }),
    )
  })
})

describe('a forgery', () => {
  const good = delivery('push', { repository, ref: 'refs/heads/x', after: SHA })
  const withSignature = (signature: unknown) =>
    ({ ...good, headers: { ...good.headers, 'x-hub-signature-256': signature } }) as WebhookRequest
  const sha1 = createHmac('sha1', SECRET).update(good.body).digest('hex')
  const right = good.headers['x-hub-signature-256']!

  it.each<[string, WebhookRequest]>([
    ['no signature', withSignature(undefined)],
    ['an empty one', withSignature('')],
    ['the old algorithm', withSignature(`sha1=${sha1}`)],
    ['a signature of another length', withSignature('sha256=ab')],
    ['a list of signatures', withSignature([right, right])],
    ['text behind it', withSignature(`${right} `)],
    ['another body', { ...good, body: Buffer.concat([good.body, Buffer.from(' ')]) }],
    ['no delivery id', { ...good, headers: { ...good.headers, 'x-github-delivery': '' } }],
  ])('T12 with %s is refused', (_what, request) => {
    expect(() => parseGithubWebhook(request, SECRET)).toThrow(expect.objectContaining({ code: 'WEBHOOK_REFUSED' }))
  })

  it('T12 cannot be signed with an empty secret', () => {
    const signature = `sha256=${createHmac('sha256', '').update(good.body).digest('hex')}`
    expect(() => parseGithubWebhook(withSignature(signature), '')).toThrow(/no secret is configured/)
  })

  it('G18 is refused a thousand times out of a thousand', () => {
    let accepted = 0
    for (let n = 0; n < 1000; n += 1) {
      const body = Buffer.from(good.body)
      const at = n % body.length
      const forged =
        n % 2 === 0
          ? withSignature(`sha256=${randomBytes(32).toString('hex')}`)
          : {
              ...good,
              body: Buffer.concat([body.subarray(0, at), Buffer.from([body[at]! ^ 1]), body.subarray(at + 1)]),
            }
      try {
        parseGithubWebhook(forged, SECRET)
        accepted += 1
      } catch (error) {
        expect(error).toMatchObject({ code: 'WEBHOOK_REFUSED' })
      }
    }
    expect(accepted).toBe(0)
    expect(parseGithubWebhook(good, SECRET)).not.toBeNull()
  })
})
