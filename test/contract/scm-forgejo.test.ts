// The Forgejo forge against a server that answers as Forgejo's API documentation shows.
import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseForgejoWebhook } from '../../src/plugins/scm-forgejo/parse-webhook.ts'
import { forgejoScmWorld } from '../forges/forgejo-world.ts'
import { type Forge, startForge } from '../forges/start-forge.ts'
import { describeScm } from './scm-suite.ts'

let forge: Forge

beforeAll(async () => {
  forge = await startForge('forgejo-server.mjs')
}, 60_000)
afterAll(() => forge?.stop())

describeScm('forgejo', () => forgejoScmWorld(forge))

describe('pull requests on Forgejo', () => {
  it('count no review of a stranger, and open one pull request for a pushed branch', async () => {
    const world = await forgejoScmWorld(forge)
    const { scm, project } = world
    await world.push('feat/1', 'one.txt', '1\n')
    const request = { branch: 'feat/1', title: 'One', body: '' }
    const opened = (await scm.openPR!(request, project))!
    expect(opened).toMatchObject({ number: 1, branch: 'feat/1', baseBranch: 'main' })
    expect(await scm.openPR!(request, project)).toBeNull()
    await world.review(1, { state: 'approved', byStranger: true })
    const reading = (await scm.readPullRequests!([{ sessionId: 's', branch: 'feat/1', pr: null }], project)).get('s')
    expect(reading).toMatchObject({ kind: 'read', snapshot: { review: 'none' } })
    expect(reading).toMatchObject({ snapshot: { reviews: [{ author: { login: 'outsider', isMember: false } }] } })
    expect(await scm.checkAccess!(project)).toMatchObject({ ok: true })
    await world.cleanup()
  })
})

describe('a delivery', () => {
  const secret = 'between us'
  const deliver = (event: string, payload: object, header = 'x-forgejo', key = secret) => {
    const body = Buffer.from(JSON.stringify(payload))
    const signature = createHmac('sha256', key).update(body).digest('hex')
    const headers = { [`${header}-event`]: event, [`${header}-delivery`]: 'd-1', [`${header}-signature`]: signature }
    return parseForgejoWebhook({ headers, body }, secret)
  }
  const pull = {
    repository: { full_name: 'acme/app' },
    pull_request: { number: 7, head: { ref: 'feat/x', sha: 'abc' } },
  }

  it.each(['x-forgejo', 'x-gitea'])('signed with %s names what changed', (header) => {
    const expected = { deliveryId: 'd-1', repo: 'acme/app', prNumber: 7, branch: 'feat/x', sha: 'abc' }
    expect(deliver('pull_request', pull, header)).toEqual(expected)
    const push = { repository: { full_name: 'acme/app' }, ref: 'refs/heads/feat/x', after: 'def' }
    expect(deliver('push', push, header)).toMatchObject({ branch: 'feat/x', sha: 'def', prNumber: null })
    expect(deliver('star', pull, header)).toBeNull()
  })

  it('with a wrong or missing signature is refused', () => {
    expect(() => deliver('push', pull, 'x-forgejo', 'guess')).toThrow(/signature/)
    expect(() =>
      parseForgejoWebhook({ headers: { 'x-forgejo-event': 'push' }, body: Buffer.from('{}') }, secret),
    ).toThrow(/signature/)
    expect(() => parseForgejoWebhook({ headers: {}, body: Buffer.from('{}') }, '')).toThrow(/signature/)
  })
})
