import { createHmac, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { WebhookRequest } from '../../slots/scm.ts'
import { parseGitlabWebhook } from './parse-webhook.ts'

const NOW = 1_700_000_000_000
const TOKEN = 'it is a secret'
const SIGNING = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`
const SHA = 'a'.repeat(40)
const project = { path_with_namespace: 'acme/tools/app' }
const push = { object_kind: 'push', project, ref: 'refs/heads/feat/7', checkout_sha: SHA }

const withToken = (payload: unknown, headers: Record<string, string> = {}): WebhookRequest => ({
  body: Buffer.from(JSON.stringify(payload)),
  headers: { 'x-gitlab-token': TOKEN, 'idempotency-key': 'd-1', ...headers },
})

function signed(payload: unknown, { secret = SIGNING, at = NOW, id = 'w-1' } = {}): WebhookRequest {
  const body = Buffer.from(JSON.stringify(payload))
  const time = String(Math.floor(at / 1000))
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret)
  const signature = createHmac('sha256', key).update(`${id}.${time}.`).update(body).digest('base64')
  const headers = { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': `v1,${signature}` }
  return { body, headers }
}

describe('a delivery', () => {
  const request = { iid: 7, source_branch: 'feat/7', last_commit: { id: SHA } }
  it.each<[string, Record<string, unknown>, Record<string, unknown> | null]>([
    [
      'a merge request',
      { object_kind: 'merge_request', object_attributes: request },
      { prNumber: 7, branch: 'feat/7' },
    ],
    [
      'a note on one',
      { object_kind: 'note', object_attributes: { noteable_type: 'MergeRequest' }, merge_request: request },
      { prNumber: 7, branch: 'feat/7' },
    ],
    ['a note on an issue', { object_kind: 'note', object_attributes: { noteable_type: 'Issue' } }, null],
    [
      'a pipeline of a merge request',
      { object_kind: 'pipeline', object_attributes: { ref: 'x', sha: SHA }, merge_request: request },
      { prNumber: 7, branch: 'feat/7' },
    ],
    [
      'a pipeline of a branch',
      { object_kind: 'pipeline', object_attributes: { ref: 'feat/7', tag: false, sha: SHA }, merge_request: null },
      { prNumber: null, branch: 'feat/7' },
    ],
    [
      'a pipeline of a tag',
      { object_kind: 'pipeline', object_attributes: { ref: 'v1', tag: true, sha: SHA } },
      { prNumber: null, branch: null },
    ],
    ['a job', { object_kind: 'build', ref: 'feat/7', tag: false, sha: SHA }, { prNumber: null, branch: 'feat/7' }],
    ['a push', { ...push }, { prNumber: null, branch: 'feat/7' }],
    ['a push of a tag', { object_kind: 'tag_push', ref: 'refs/tags/v1' }, null],
    ['anything else', { object_kind: 'wiki_page' }, null],
  ])('of %s says where to look', (_what, payload, expected) => {
    const event = parseGitlabWebhook(withToken({ project, ...payload }), TOKEN, NOW)
    if (expected === null) expect(event).toBeNull()
    else expect(event).toEqual({ deliveryId: 'd-1', repo: 'acme/tools/app', sha: SHA, ...expected })
  })

  it('is accepted with a signature in place of a token', () => {
    expect(parseGitlabWebhook(signed(push), SIGNING, NOW)).toMatchObject({ deliveryId: 'w-1', branch: 'feat/7' })
    expect(parseGitlabWebhook(signed(push, { secret: TOKEN }), TOKEN, NOW)).toMatchObject({ deliveryId: 'w-1' })
  })
})

describe('a forgery', () => {
  const good = signed(push)
  const change = (headers: Record<string, string>) => ({ ...good, headers: { ...good.headers, ...headers } })

  it.each<[string, WebhookRequest, string]>([
    ['no token', withToken(push, { 'x-gitlab-token': '' }), TOKEN],
    ['a wrong token', withToken(push, { 'x-gitlab-token': 'it is a secres' }), TOKEN],
    ['the beginning of the token', withToken(push, { 'x-gitlab-token': 'it is' }), TOKEN],
    ['an empty secret', withToken(push, { 'x-gitlab-token': '' }), ''],
    ['no delivery id', withToken(push, { 'idempotency-key': '' }), TOKEN],
    ['the signing token sent as a token', withToken(push, { 'x-gitlab-token': SIGNING }), SIGNING],
    ['another body', { ...good, body: Buffer.from('{}') }, SIGNING],
    ['another id', change({ 'webhook-id': 'w-2' }), SIGNING],
    ['another time', change({ 'webhook-timestamp': String(NOW / 1000 + 1) }), SIGNING],
    [
      'another version',
      change({ 'webhook-signature': good.headers['webhook-signature']!.replace('v1', 'v2') }),
      SIGNING,
    ],
    ['no time', change({ 'webhook-timestamp': '' }), SIGNING],
    ['a signature of an empty signing token', signed(push, { secret: 'whsec_' }), 'whsec_'],
    ['a replay six minutes later', signed(push, { at: NOW - 6 * 60_000 }), SIGNING],
    ['a date in the future', signed(push, { at: NOW + 6 * 60_000 }), SIGNING],
  ])('T12 with %s is refused', (_what, request, secret) => {
    expect(() => parseGitlabWebhook(request, secret, NOW)).toThrow(expect.objectContaining({ code: 'WEBHOOK_REFUSED' }))
  })

  it('G18 is refused a thousand times out of a thousand', () => {
    for (let n = 0; n < 1000; n += 1) {
      const forged =
        n % 2 === 0
          ? change({ 'webhook-signature': `v1,${randomBytes(32).toString('base64')}` })
          : withToken(push, { 'x-gitlab-token': randomBytes(12).toString('hex') })
      expect(() => parseGitlabWebhook(forged, n % 2 === 0 ? SIGNING : TOKEN, NOW)).toThrow(/refused/)
    }
  })
})
