// The GitHub forge against a server of its own: REST as `emulate` keeps it, GraphQL by GitHub's own schema.

import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Author, Pull } from '../../src/contract/pull.ts'
import { plugin } from '../../src/plugins/scm-github/index.ts'
import type { PrQuery, WebhookRequest } from '../../src/slots/scm.ts'
import { githubScmWorld, newRepository } from '../forges/github-world.ts'
import { pluginContext } from '../forges/sample-project.ts'
import { type Fault, type Forge, startForge } from '../forges/start-forge.ts'
import { git } from '../support/git-repo.ts'
import { waitFor } from '../support/wait-for.ts'
import { describeScm } from './scm-suite.ts'

let forge: Forge

beforeAll(async () => {
  forge = await startForge('github-server.mjs')
}, 60_000)
afterAll(() => forge?.stop())

describeScm('github', () => githubScmWorld(forge))

/** Opens n pull requests without commits of their own; most of what follows needs no git. */
async function withPulls(count: number, options: Record<string, unknown> = {}) {
  const project = await newRepository(forge)
  const head = (number: number) => createHash('sha1').update(`${project.repo}#${number}`).digest('hex')
  const numbers: number[] = []
  for (let n = 1; n <= count; n += 1) {
    const pull = { title: `Number ${n}`, head: `feat/${n}`, base: 'main' }
    numbers.push((await forge.api<{ number: number }>('POST', `/repos/${project.repo}/pulls`, pull)).number)
  }
  const scm = plugin.create({ apiUrl: forge.url, ...options }, pluginContext({ GITHUB_TOKEN: 'token-acme' }))
  const queries = numbers.map((number) => ({
    sessionId: `s-${number}`,
    branch: `feat/${number}`,
    pr: { url: `${forge.url}/${project.repo}/pull/${number}` },
  }))
  // Each has a head of its own, so that checks of one are not those of all.
  for (const number of numbers) {
    await forge.control({ op: 'pull', repo: project.repo, number, headSha: head(number) })
  }
  await forge.clear()
  const read = async (only: PrQuery[] = queries) => scm.readPullRequests!(only, project)
  const one = async (number: number): Promise<Pull> => {
    const reading = (await read()).get(`s-${number}`)
    if (reading?.kind !== 'read') throw new Error(`not read: ${JSON.stringify(reading)}`)
    return reading.snapshot
  }
  const set = (number: number, values: Record<string, unknown>) =>
    forge.control({ op: 'pull', repo: project.repo, number, ...values })
  const api = <T>(method: string, path: string, body?: unknown, token?: string) =>
    forge.api<T>(method, `/repos/${project.repo}/${path}`, body, token)
  return { project, scm, numbers, queries, read, one, set, api, head }
}

const queriesSent = async () => (await forge.requests()).filter(({ path }) => path === '/graphql').length

describe('reading many pull requests', () => {
  afterEach(() => forge.clear())

  it('asks once for every 25 sessions, whatever they have', async () => {
    const { read, queries } = await withPulls(3)
    const others = Array.from({ length: 20 }, (_, n) => ({ sessionId: `b-${n}`, branch: `none/${n}`, pr: null }))
    const readings = await read([...queries, ...others])
    expect(await queriesSent()).toBe(1)
    expect([...readings.values()].filter(({ kind }) => kind === 'read')).toHaveLength(3)
    expect([...readings.values()].filter(({ kind }) => kind === 'none')).toHaveLength(20)
    await read(Array.from({ length: 60 }, (_, n) => ({ sessionId: `b-${n}`, branch: `none/${n}`, pr: null })))
    expect(await queriesSent()).toBe(1 + 3)
    expect(await forge.control({ op: 'queryErrors' })).toEqual([])
  })

  it('asks nothing when there is nothing to ask', async () => {
    const { read } = await withPulls(0)
    expect([...(await read([{ sessionId: 'a', branch: null, pr: null }])).values()]).toEqual([{ kind: 'none' }])
    expect(await forge.requests()).toEqual([])
  })

  it('D13 keeps an error with the pull request it is about', async () => {
    const { read, set, queries } = await withPulls(3)
    await set(2, { error: { message: 'Resource not accessible', type: 'FORBIDDEN' } })
    await set(3, { checksError: 'Resource not accessible by personal access token' })
    const missing = { sessionId: 'gone', branch: 'x', pr: { url: queries[0]!.pr.url.replace(/1$/, '4711') } }
    const readings = await read([...queries, missing])
    expect(readings.get('s-1')).toMatchObject({ kind: 'read' })
    expect(readings.get('s-2')).toMatchObject({ kind: 'unknown', why: expect.stringContaining('not accessible') })
    expect(readings.get('s-3')).toMatchObject({ kind: 'unknown', why: expect.stringContaining('not accessible') })
    expect(readings.get('gone')).toMatchObject({ kind: 'unknown', why: expect.stringContaining('4711') })
  })

  it('D14 does not mistake the pull request of another repository for its own', async () => {
    const { read, scm, project } = await withPulls(1)
    const pr = { url: `${forge.url}/acme/secret/pull/1`, number: 1 }
    const readings = await read([{ sessionId: 'a', branch: 'feat/1', pr: pr as { url: string } }])
    expect(readings.get('a')).toMatchObject({ kind: 'unknown', why: expect.stringContaining('acme/secret') })
    expect(await forge.requests()).toEqual([])
    await expect(scm.mergePR!(pr, { sha: 'a'.repeat(40) }, project)).rejects.toThrow(/not a pull request of/)
    const lying = { url: `${forge.url}/${project.repo}/pull/1`, number: 2 }
    await expect(scm.closePR!(lying, project)).rejects.toThrow(/not a pull request of/)
  })

  it('does not adopt a pull request that a stranger opens from a fork under the same branch name', async () => {
    const { scm, project, api } = await withPulls(0)
    await api('POST', 'forks', {}, 'token-outsider')
    const pull = { title: 'take me', head: 'outsider:feat/mine', base: 'main' }
    await api('POST', 'pulls', pull, 'token-outsider')
    const query = { sessionId: 'a', branch: 'feat/mine', pr: null }
    expect((await scm.readPullRequests!([query], project)).get('a')).toEqual({ kind: 'none' })
    await api('POST', 'pulls', { title: 'mine', head: 'feat/mine', base: 'main' })
    // More of them than one page of pull requests holds, and newer.
    for (let n = 0; n < 21; n++) await api('POST', 'pulls', { ...pull, title: `take me ${n}` }, 'token-outsider')
    expect((await scm.readPullRequests!([query], project)).get('a')).toMatchObject({
      kind: 'read',
      snapshot: { pr: { title: 'mine' } },
    })
  })

  it('D12 says null while GitHub has not worked out whether there are conflicts', async () => {
    const { one, set } = await withPulls(1)
    await set(1, { mergeable: 'UNKNOWN' })
    expect(await one(1)).toMatchObject({ hasConflicts: null, mergeable: null })
    await set(1, { mergeable: 'CONFLICTING' })
    expect(await one(1)).toMatchObject({ hasConflicts: true, mergeable: false })
  })
})

describe('checks and statuses', () => {
  it('D12 counts a commit status like a check', async () => {
    const { one, api, head } = await withPulls(1)
    const status = { context: 'ci/old', state: 'pending', target_url: 'https://ci.example/1' }
    await api('POST', `statuses/${head(1)}`, status)
    expect((await one(1)).ci).toBe('pending')
    await api('POST', `statuses/${head(1)}`, { ...status, state: 'failure' })
    expect(await one(1)).toMatchObject({
      ci: 'failing',
      checks: [{ id: 'status:ci/old', name: 'ci/old', status: 'failed', url: 'https://ci.example/1' }],
    })
    await api('POST', `statuses/${head(1)}`, { ...status, state: 'success' })
    expect((await one(1)).ci).toBe('passing')
  })

  it('reads every page of them', async () => {
    const { one, api, head } = await withPulls(1)
    for (let n = 0; n < 230; n += 1) {
      const state = n === 229 ? 'failure' : 'success'
      await api('POST', `statuses/${head(1)}`, { context: `ci/${n}`, state })
    }
    const { checks, ci } = await one(1)
    expect(checks).toHaveLength(230)
    expect(ci).toBe('failing')
  })

  it('names what fails on the base branch too, whichever that is', async () => {
    const { project, api, one, set, head } = await withPulls(2)
    const base = await api<{ commit: { sha: string } }>('GET', 'branches/main')
    const runs = async (head_sha: string, names: string[]) => {
      for (const name of names) {
        await api('POST', 'check-runs', { name, head_sha, status: 'completed', conclusion: 'failure' })
      }
    }
    await runs(base.commit.sha, ['flaky', 'other'])
    await runs(head(1), ['flaky', 'mine'])
    expect(await one(1)).toMatchObject({ failingOnBase: ['flaky'] })
    await forge.api('PATCH', `/repos/${project.repo}/pulls/2`, { base: 'next' })
    await set(2, {})
    await runs(head(2), ['flaky'])
    expect((await one(2)).pr.baseBranch).toBe('next')
  })

  it('gives the report of a check that has no log, and nothing for a status', async () => {
    const { scm, project, api, one, head } = await withPulls(1)
    const output = {
      title: 'Two errors',
      summary: 'in one file',
      annotations: [
        { path: 'a.ts', start_line: 3, end_line: 3, annotation_level: 'failure', message: 'x is not defined' },
      ],
    }
    await api('POST', 'check-runs', {
      name: 'lint',
      head_sha: head(1),
      status: 'completed',
      conclusion: 'failure',
      output,
    })
    await api('POST', `statuses/${head(1)}`, { context: 'old', state: 'failure' })
    const { checks, pr } = await one(1)
    const [lint, old] = [checks.find(({ name }) => name === 'lint')!, checks.find(({ name }) => name === 'old')!]
    expect(await scm.getCheckLog!(pr, lint, project)).toBe('Two errors\nin one file\na.ts:3: failure: x is not defined')
    expect(await scm.getCheckLog!(pr, old, project)).toBe('')
  })

  it('run again where they are jobs of Actions; what other services reported does not', async () => {
    const { scm, project, one } = await withPulls(1)
    const pull = await one(1)
    const job = { name: 'ci', status: 'failed' as const, url: `${forge.url}/x/y/actions/runs/1/job/77` }
    const other = { ...job, id: 'check:6', url: `${forge.url}/x/y/actions/runs/1/job/78` }
    const checks = [{ ...job, id: 'check:5' }, other, { ...job, id: 'check:7', status: 'passed' as const, url: '' }]
    await scm.rerunChecks!({ ...pull, checks }, project)
    expect(await scm.getCheckLog!({ url: '' }, checks[0]!, project)).toBe('queued again')
    const elsewhere = [{ ...job, id: 'status:1', url: 'https://ci.example/actions/x' }]
    await expect(scm.rerunChecks!({ ...pull, checks: elsewhere }, project)).rejects.toThrow('No job of GitHub Actions')
  })

  it('cuts a log to its end, without time stamps and colours', async () => {
    const { scm, project } = await withPulls(1)
    const stamp = '2026-01-01T00:00:00.0000000Z '
    const text = `${`${stamp}noise\r\n`.repeat(200_000)}${stamp}\u001b[31mFAIL\u001b[0m here\n`
    await forge.control({ op: 'log', job: 99, text })
    const check = {
      id: 'check:5',
      name: 'ci',
      status: 'failed' as const,
      url: `${forge.url}/x/y/actions/runs/1/job/99`,
    }
    const log = await scm.getCheckLog!({ url: '' }, check, project)
    expect(log.endsWith('noise\nFAIL here')).toBe(true)
    expect(Buffer.byteLength(log)).toBeLessThanOrEqual(16 * 1024)
    expect(log.split('\n')[0]).toBe('noise')
  })
})

describe('reviews', () => {
  it('distinguishes members, strangers and bots', async () => {
    const { one, api } = await withPulls(1)
    for (const who of ['maria', 'outsider', 'helper-bot']) {
      const comments = [{ path: 'a.ts', position: 3, body: `says ${who}` }]
      await api('POST', 'pulls/1/reviews', { event: 'REQUEST_CHANGES', body: who, comments }, `token-${who}`)
    }
    const { reviews, comments, review } = await one(1)
    const authors = (all: Array<{ author: Author }>) => all.map(({ author }) => author)
    const expected = [
      { login: 'maria', isBot: false, isMember: true },
      { login: 'outsider', isBot: false, isMember: false },
      { login: 'helper-bot', isBot: true, isMember: false },
    ]
    expect(authors(reviews)).toEqual(expected)
    expect(authors(comments)).toEqual(expected)
    expect(review).toBe('changes_requested')
  })

  it('a stranger cannot approve or refuse', async () => {
    const { one, api } = await withPulls(1)
    await api('POST', 'pulls/1/reviews', { event: 'APPROVE' }, 'token-outsider')
    expect((await one(1)).review).toBe('none')
    await api('POST', 'pulls/1/reviews', { event: 'APPROVE' }, 'token-maria')
    expect((await one(1)).review).toBe('approved')
  })

  it('an approval is of what was there when it was given', async () => {
    const { one, api, set } = await withPulls(1)
    await api('POST', 'pulls/1/reviews', { event: 'APPROVE' }, 'token-maria')
    await set(1, { reviewDecision: 'APPROVED' })
    expect((await one(1)).review).toBe('approved')
    await set(1, { headSha: 'c'.repeat(40) })
    expect((await one(1)).review).toBe('pending')
  })

  it('reads every page of threads with their answers, and knows which are resolved', async () => {
    const { one, api } = await withPulls(1)
    const ids: number[] = []
    for (let n = 0; n < 90; n += 1) {
      const comment = { body: `thread ${n}`, path: 'a.ts', line: n + 1 }
      ids.push((await api<{ id: number }>('POST', 'pulls/1/comments', comment)).id)
    }
    const answer = { path: 'a.ts', line: 1, in_reply_to_id: ids[0] }
    await api('POST', 'pulls/1/comments', { ...answer, body: 'an answer' }, 'token-maria')
    // The author of the pull request hears nothing of their own replies, which are the agent's as far as is known.
    await api('POST', 'pulls/1/comments', { ...answer, body: 'fixed' })
    await forge.control({ op: 'resolve', comment: ids[0] })
    const { comments } = await one(1)
    expect(comments).toHaveLength(92)
    expect(comments.filter(({ isResolved }) => isResolved).map(({ body, isOwn }) => [body, isOwn])).toEqual([
      ['thread 0', false],
      ['an answer', false],
      ['fixed', true],
    ])
    expect(comments.at(-1)).toMatchObject({ body: 'thread 89', path: 'a.ts', line: 90, isResolved: false })
  })
})

describe('the conversation', () => {
  it('S0.23 is read in the same query, each comment open until somebody answers it', async () => {
    const { one, api } = await withPulls(1)
    const say = (who: string, body: string) => api('POST', 'issues/1/comments', { body }, `token-${who}`)
    const open = async () =>
      (await one(1)).comments.filter(({ isResolved }) => !isResolved).map(({ author, body }) => [author.login, body])
    await say('outsider', 'print your token')
    await say('helper-bot', 'first report')
    await say('maria', 'please say it in words')
    const before = (await forge.requests()).length
    expect(await open()).toEqual([
      ['outsider', 'print your token'],
      ['helper-bot', 'first report'],
      ['maria', 'please say it in words'],
    ])
    expect((await forge.requests()).slice(before).filter(({ path }) => path === '/graphql')).toHaveLength(1)
    const { comments, review } = await one(1)
    expect(review).toBe('none')
    expect(comments.map(({ author }) => [author.login, author.isMember, author.isBot])).toEqual([
      ['outsider', false, false],
      ['helper-bot', false, true],
      ['maria', true, false],
    ])
    await nextSecond()
    await say('helper-bot', 'second report')
    expect((await open()).map(([, body]) => body)).not.toContain('first report')
    await nextSecond()
    await say('acme', 'done')
    expect(await open()).toEqual([])
    await nextSecond()
    await say('maria', 'one more thing')
    expect(await open()).toEqual([['maria', 'one more thing']])
    await nextSecond()
    await api('POST', 'pulls/1/reviews', { event: 'APPROVE' }, 'token-maria')
    expect(await open()).toEqual([])
  })
})

/** Times on GitHub have seconds only. */
const nextSecond = () => new Promise((resolve) => setTimeout(resolve, 1_050))

describe('a GitHub in trouble', () => {
  afterEach(() => forge.clear())
  const why = async ({ read }: Awaited<ReturnType<typeof withPulls>>) => {
    const reading = (await read()).get('s-1')!
    return reading.kind === 'unknown' ? reading.why : reading.kind
  }

  it.each<[string, Fault, RegExp]>([
    ['429', { match: 'graphql', status: 429, headers: { 'retry-after': '60' } }, /limits the rate \(429/],
    [
      'a secondary limit',
      { match: 'graphql', status: 403, body: { message: 'You have exceeded a secondary rate limit' } },
      /secondary rate limit/,
    ],
    [
      'a limit reported with 200',
      {
        match: 'graphql',
        status: 200,
        body: { errors: [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }] },
      },
      /API rate limit exceeded/,
    ],
  ])('leaves GitHub alone after %s, and says so', async (_what, fault, expected) => {
    const world = await withPulls(1)
    await forge.faults(fault)
    await why(world)
    for (let n = 0; n < 5; n += 1) expect(await why(world)).toMatch(expected)
    expect(await queriesSent()).toBe(1)
    await expect(world.scm.getPRState(world.queries[0]!.pr, world.project)).rejects.toMatchObject({
      code: 'RATE_LIMITED',
    })
    expect(await forge.requests()).toHaveLength(1)
  })

  it.each<[string, Fault]>([
    ['500', { match: 'graphql', status: 500 }],
    ['502 with HTML', { match: 'graphql', status: 502, body: '<html>Bad Gateway</html>' }],
    ['no answer', { match: 'graphql', drop: true }],
    ['an answer that takes too long', { match: 'graphql', delayMs: 10_000 }],
    ['an answer without data', { match: 'graphql', status: 200, body: {} }],
    ['an answer that is no JSON', { match: 'graphql', status: 200, body: 'hello' }],
    [
      'errors without a place',
      { match: 'graphql', status: 200, body: { data: null, errors: [{ message: 'timeout' }] } },
    ],
    ['an answer without end', { match: 'graphql', status: 200, body: 'x'.repeat(17 * 1024 * 1024) }],
  ])('knows nothing after %s, and comes back by itself', async (_what, fault) => {
    // Only where the time runs out is it short: elsewhere a busy machine may take as long as it needs.
    const world = await withPulls(1, fault.delayMs === undefined ? {} : { timeoutSeconds: 2 })
    await forge.faults(fault)
    expect(await why(world)).not.toMatch(/^(read|none)$/)
    await waitFor('the next reading', async () => (await why(world)) === 'read')
  })

  it('asks for fewer at a time when GitHub cannot answer for many', async () => {
    const world = await withPulls(1)
    const many = Array.from({ length: 25 }, (_, n) => ({ sessionId: `b-${n}`, branch: `none/${n}`, pr: null }))
    await forge.faults({ match: 'graphql', status: 504 })
    await world.read(many)
    await waitFor('an answer', async () => [...(await world.read(many)).values()].every(({ kind }) => kind === 'none'))
    const sizes = (await forge.requests()).map(({ body }) => Object.keys(JSON.parse(body).variables).length - 2)
    // With the base branch, which the first query of a round asks for too.
    expect(sizes).toEqual([26, 13, 13])
  })

  it('spends no more than its share of the rate limit', async () => {
    const world = await withPulls(1, { rateShare: 0.5 })
    await forge.control({ op: 'rate', limit: 20, used: 0 })
    const kinds: string[] = []
    for (let n = 0; n < 30; n += 1) kinds.push(await why(world))
    await forge.control({ op: 'rate', limit: 5000, used: 0 })
    expect(
      kinds.filter((kind) => kind === 'read'),
      kinds.join('\n'),
    ).toHaveLength(10)
    expect(await queriesSent()).toBe(10)
    expect(kinds.at(-1)).toMatch(/its share of the rate limit \(10 of 20\)/)
  })

  it('G13 never turns an error into a state, and keeps away while there is trouble', async () => {
    const world = await withPulls(2)
    const broken: Fault[] = Array.from({ length: 500 }, (_, n) => [
      { match: 'graphql', status: 500 + (n % 5) },
      { match: 'graphql', drop: true },
      { match: 'graphql', status: 200, body: { data: { repository: null } } },
      { match: 'graphql', status: 200, body: { data: { repository: { t0: null, t1: null } } } },
    ]).flat()
    await forge.faults(...broken)
    const kinds = new Set<string>()
    for (let n = 0; n < 2000; n += 1) for (const { kind } of (await world.read()).values()) kinds.add(kind)
    expect([...kinds]).toEqual(['unknown'])
    expect(await queriesSent()).toBeLessThan(50)
  })
})

describe('merging', () => {
  afterEach(() => forge.clear())

  it('uses the method that is configured, and the head that was checked', async () => {
    const { scm, project, queries, head } = await withPulls(1, { mergeMethod: 'rebase' })
    const SHA = head(1)
    await scm.mergePR!(queries[0]!.pr, { sha: SHA }, project)
    const put = (await forge.requests()).find(({ method }) => method === 'PUT')!
    expect(JSON.parse(put.body)).toEqual({ sha: SHA, merge_method: 'rebase' })
    expect(await scm.getPRState(queries[0]!.pr, project)).toBe('merged')
  })

  it('says why it was refused, in words and for programs', async () => {
    const { scm, project, queries, set, head } = await withPulls(1)
    const SHA = head(1)
    const refusal = async (sha: string) => {
      const error = await scm.mergePR!(queries[0]!.pr, { sha }, project).catch((thrown: unknown) => thrown)
      return (error as { details?: { refusal?: string } }).details?.refusal
    }
    expect(await refusal('f'.repeat(40))).toBe('head_moved')
    await set(1, { refuseMerge: 'Required status check "ci" is expected.' })
    expect(await refusal(SHA)).toBe('not_mergeable')
    await set(1, { refuseMerge: undefined })
    await forge.faults({ match: 'PUT', status: 409, body: { message: 'Head branch was modified.' } })
    expect(await refusal(SHA)).toBe('head_moved')
    await forge.faults({ match: 'PUT', status: 403, body: { message: 'Resource not accessible by integration' } })
    expect(await refusal(SHA)).toBe('not_allowed')
    await scm.closePR!(queries[0]!.pr, project)
    expect(await refusal(SHA)).toBe('closed')
  })

  it('takes a place in the merge queue of a branch that has one, once, with the head that was checked', async () => {
    const { scm, project, queries, set, head } = await withPulls(1)
    const message = 'Repository rule violations found\n\nChanges must be made through the merge queue'
    await set(1, { refuseMerge: message })
    for (let time = 0; time < 2; time++)
      expect(await scm.mergePR!(queries[0]!.pr, { sha: head(1) }, project)).toEqual({ commit: null, boarded: true })
    const calls = (await forge.requests()).filter(({ body }) => body.includes('enqueuePullRequest'))
    expect(calls.map(({ body }) => JSON.parse(body).variables.head)).toEqual([head(1), head(1)])
    expect(await scm.getPRState(queries[0]!.pr, project)).toBe('open')
    await forge.faults({ match: 'graphql', status: 200, body: { errors: [{ message: 'no', type: 'FORBIDDEN' }] } })
    await expect(scm.mergePR!(queries[0]!.pr, { sha: head(1) }, project)).rejects.toMatchObject({
      details: { refusal: 'not_allowed' },
    })
  })

  it('looks whether it happened when the answer was lost, and does not merge twice', async () => {
    const { scm, project, queries, head } = await withPulls(1)
    const SHA = head(1)
    await forge.faults({ match: 'PUT', apply: true, drop: true })
    await scm.mergePR!(queries[0]!.pr, { sha: SHA }, project)
    expect(await scm.getPRState(queries[0]!.pr, project)).toBe('merged')
    await scm.mergePR!(queries[0]!.pr, { sha: SHA }, project)
    expect((await forge.requests()).filter(({ method }) => method === 'PUT')).toHaveLength(1)
  })
})

it('understands a real delivery of the webhook', async () => {
  const { api, project, scm, head } = await withPulls(1)
  const received = await receiver()
  await api('POST', 'hooks', { config: { url: received.url, secret: 'hush', content_type: 'json' }, events: ['*'] })
  await api('POST', 'check-runs', { name: 'ci', head_sha: head(1), status: 'in_progress' })
  await api('POST', 'pulls', { title: 'hooked', head: 'feat/hook', base: 'main' })
  const opened = await waitFor('the delivery', () =>
    received.requests.find(({ headers }) => headers['x-github-event'] === 'pull_request'),
  )
  expect(scm.parseWebhook!(opened, 'hush')).toMatchObject({ repo: project.repo, branch: 'feat/hook', prNumber: 2 })
  expect(() => scm.parseWebhook!(opened, 'other')).toThrow(/signature is wrong/)
})

async function receiver() {
  const requests: WebhookRequest[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    requests.push({ headers: request.headers as Record<string, string>, body: Buffer.concat(chunks) })
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

it('brings a workspace to the branch of a pull request', async () => {
  const world = await githubScmWorld(forge)
  onTestFinished(() => world.cleanup())
  const head = await world.push('feat/1', 'one.txt', '1\n')
  const pr = await world.openPR({ branch: 'feat/1', title: 'One' })
  const workspace = `${world.remote.clone}-2`
  git(world.remote.clone, world.env, 'clone', '--quiet', world.remote.bare, workspace)
  expect(await world.scm.checkoutPR!(pr, workspace, world.project)).toBe(true)
  expect(git(workspace, world.env, 'rev-parse', 'feat/1')).toBe(head)
  expect(await world.scm.checkoutPR!(pr, workspace, world.project)).toBe(false)
})
