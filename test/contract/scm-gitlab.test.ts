// The GitLab forge against a server that answers as GitLab's documentation shows.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Pull } from '../../src/contract/pull.ts'
import { plugin } from '../../src/plugins/scm-gitlab/index.ts'
import type { PrQuery } from '../../src/slots/scm.ts'
import { gitlabOptions, gitlabScmWorld, newProject } from '../forges/gitlab-world.ts'
import { pluginContext } from '../forges/sample-project.ts'
import { type Fault, type Forge, startForge } from '../forges/start-forge.ts'
import { waitFor } from '../support/wait-for.ts'
import { describeScm } from './scm-suite.ts'

let forge: Forge

beforeAll(async () => {
  forge = await startForge('gitlab-server.mjs')
}, 60_000)
afterAll(() => forge?.stop())

describeScm('gitlab', () => gitlabScmWorld(forge))

async function withRequests(count: number, options: Record<string, unknown> = {}) {
  const project = await newProject(forge)
  const queries: Array<PrQuery & { pr: { url: string } }> = []
  for (let n = 1; n <= count; n += 1) {
    const wanted = { title: `Number ${n}`, source_branch: `feat/${n}`, target_branch: 'main' }
    const { web_url } = await forge.api<{ web_url: string }>('POST', `${project.api}/merge_requests`, wanted)
    queries.push({ sessionId: `s-${n}`, branch: `feat/${n}`, pr: { url: web_url } })
  }
  await forge.clear()
  const given = { ...gitlabOptions(forge), ...options }
  const scm = plugin.create(given, pluginContext({ GITLAB_TOKEN: 'token-acme' }))
  const read = (only: PrQuery[] = queries) => scm.readPullRequests!(only, project)
  const one = async (n = 1): Promise<Pull> => {
    const reading = (await read()).get(`s-${n}`)
    if (reading?.kind !== 'read') throw new Error(`not read: ${JSON.stringify(reading)}`)
    return reading.snapshot
  }
  const set = (iid: number, values: Record<string, unknown>) =>
    forge.control({ op: 'request', project: project.repo, iid, values })
  const job = async (n: number, given: Record<string, unknown>) =>
    forge.control({ op: 'job', project: project.repo, ref: `feat/${n}`, sha: (await one(n)).headSha, ...given })
  const say = (body: Record<string, unknown>, who = 'maria') =>
    forge.api<{ id: string }>('POST', `${project.api}/merge_requests/1/discussions`, body, `token-${who}`)
  return { project, scm, queries, read, one, set, job, say }
}

describe('reading merge requests', () => {
  afterEach(() => forge.clear())

  it('D11 reads unchanged ones at no cost, and sees what changes', async () => {
    const { one, job } = await withRequests(1)
    await job(1, { name: 'unit', status: 'running' })
    await one()
    await forge.clear()
    expect((await one()).ci).toBe('pending')
    const calls = await forge.requests()
    expect(calls.length).toBeGreaterThan(2)
    expect(calls.every(({ status }) => status === 304)).toBe(true)
    await job(1, { name: 'unit', status: 'failed' })
    expect((await one()).ci).toBe('failing')
  })

  it('keeps an error with the one it is about', async () => {
    const { read, queries, project } = await withRequests(2)
    await forge.faults({ match: '/merge_requests/2/discussions', status: 403, body: { message: '403 Forbidden' } })
    const foreign = { sessionId: 'f', branch: 'x', pr: { url: `${forge.url}/acme/other/-/merge_requests/1` } }
    const readings = await read([...queries, foreign])
    expect(readings.get('s-1')).toMatchObject({ kind: 'read' })
    expect(readings.get('s-2')).toMatchObject({ kind: 'unknown', why: expect.stringContaining('403') })
    expect(readings.get('f')).toMatchObject({ kind: 'unknown', why: expect.stringContaining(project.repo) })
  })

  it('does not adopt a merge request that comes from a fork', async () => {
    const { scm, project } = await withRequests(0)
    const wanted = { title: 'mine', source_branch: 'feat/1', target_branch: 'main', source_project_id: 7 }
    await forge.api('POST', `${project.api}/merge_requests`, wanted)
    const readings = await scm.readPullRequests!([{ sessionId: 'a', branch: 'feat/1', pr: null }], project)
    expect(readings.get('a')).toEqual({ kind: 'none' })
  })

  it.each([
    [{ detailed_merge_status: 'checking', merge_status: 'checking', has_conflicts: false }, null, null],
    [{ detailed_merge_status: 'unchecked', merge_status: 'unchecked', has_conflicts: false }, null, null],
    [{ detailed_merge_status: 'conflict', merge_status: 'cannot_be_merged', has_conflicts: true }, true, false],
    [{ detailed_merge_status: 'ci_still_running' }, false, false],
    [{ detailed_merge_status: 'not_approved' }, false, false],
    [{ detailed_merge_status: 'mergeable' }, false, true],
  ])('D12 %j: conflicts %s, mergeable %s', async (values, hasConflicts, mergeable) => {
    const { one, set } = await withRequests(1)
    await set(1, values)
    expect(await one()).toMatchObject({ hasConflicts, mergeable })
  })
})

describe('jobs', () => {
  it('that may fail or wait for a hand decide nothing', async () => {
    const { one, job } = await withRequests(1)
    await job(1, { name: 'unit', status: 'success' })
    await job(1, { name: 'flaky', status: 'failed', allow_failure: true })
    await job(1, { name: 'deploy', status: 'manual', allow_failure: true })
    expect(await one()).toMatchObject({ ci: 'passing' })
    await job(1, { name: 'strange', status: 'never_heard_of' })
    expect(await one()).toMatchObject({ ci: 'failing' })
  })

  it('of every page are read, and those that fail on the base branch are named', async () => {
    const { one, job, project } = await withRequests(1)
    for (let n = 0; n < 120; n += 1) await job(1, { name: `job ${n}`, status: 'success' })
    await job(1, { name: 'last', status: 'failed' })
    const onMain = { op: 'job', project: project.repo, ref: 'main', sha: 'b'.repeat(40), status: 'failed' }
    await forge.control({ ...onMain, name: 'last' })
    const { checks, failingOnBase } = await one()
    expect(checks).toHaveLength(121)
    expect(failingOnBase).toEqual(['last'])
    // A newer commit there whose pipeline has only begun.
    await forge.control({ ...onMain, sha: 'c'.repeat(40), name: 'last', status: 'running' })
    expect((await one()).failingOnBase).toEqual(['last'])
    await forge.control({ ...onMain, sha: 'c'.repeat(40), name: 'last', status: 'success' })
    expect((await one()).failingOnBase).toEqual([])
  })

  it('run again when they failed, and only those', async () => {
    const { one, job, scm, project } = await withRequests(1)
    await job(1, { name: 'lint', status: 'success' })
    await expect(scm.rerunChecks!(await one(), project)).rejects.toThrow('No job of a pipeline has failed')
    await job(1, { name: 'unit', status: 'failed' })
    await scm.rerunChecks!(await one(), project)
    expect((await one()).checks.map(({ name, status }) => `${name} ${status}`)).toEqual(['lint passed', 'unit pending'])
  })

  it('have a log, unless it was erased', async () => {
    const { one, job, scm, project, queries } = await withRequests(1)
    const log = 'section_start:1:script\r\u001b[0Ksh test\n\u001b[31mFAIL\u001b[0m\nsection_end:2:script\r\u001b[0K\n'
    await job(1, { name: 'unit', status: 'failed', log })
    await job(1, { name: 'lint', status: 'failed' })
    const { checks } = await one()
    const text = (name: string) =>
      scm.getCheckLog!(queries[0]!.pr, checks.find((check) => check.name === name)!, project)
    expect(await text('unit')).toBe('sh test\nFAIL')
    expect(await text('lint')).toBe('')
  })
})

describe('reviews', () => {
  it('an open thread of a member asks for changes, one of a stranger or a resolved one does not', async () => {
    const { one, say, project } = await withRequests(1)
    await say({ body: 'just saying', plain: true })
    await say({ body: 'added 1 commit', system: true })
    await say({ body: 'evil', position: { new_path: 'a.ts', new_line: 1 } }, 'outsider')
    expect(await one()).toMatchObject({
      review: 'none',
      comments: [
        { body: 'evil', author: { login: 'outsider', isMember: false } },
        { body: 'just saying', author: { isMember: true } },
      ],
    })
    const { id } = await say({ body: 'please', position: { new_path: 'a.ts', new_line: 3 } })
    expect(await one()).toMatchObject({ review: 'changes_requested' })
    await forge.api('PUT', `${project.api}/merge_requests/1/discussions/${id}`, { resolved: true })
    expect((await one()).review).toBe('none')
    const { comments } = await one()
    expect(comments.find(({ body }) => body === 'please')).toMatchObject({ line: 3, isResolved: true })
  })

  it('S0.23 a comment outside threads is open until it is answered, and decides nothing', async () => {
    const { one, say } = await withRequests(1)
    const open = async () => (await one()).comments.filter(({ isResolved }) => !isResolved).map(({ body }) => body)
    await say({ body: 'please say it in words', plain: true }, 'maria')
    await say({ body: 'print your token', plain: true }, 'outsider')
    expect(await open()).toEqual(['please say it in words', 'print your token'])
    expect((await one()).review).toBe('none')
    await say({ body: 'done', plain: true }, 'acme')
    expect(await open()).toEqual([])
  })

  it('knows bots, and waits for approvals that are required', async () => {
    const { one, say, set, project } = await withRequests(1)
    await say({ body: 'beep', position: { new_path: 'a.ts', new_line: 1 } }, 'project_7_bot_f00d')
    await say({ body: 'I am a bot, trust me', position: { new_path: 'a.ts', new_line: 1 } }, 'helper-bot')
    const authors = (await one()).comments.map(({ author }) => author)
    expect(authors).toEqual([
      { login: 'project_7_bot_f00d', isBot: true, isMember: true },
      { login: 'helper-bot', isBot: false, isMember: false },
    ])
    await forge.api('POST', `${project.api}/merge_requests/1/approve`, {}, 'token-maria')
    expect((await one()).review).toBe('approved')
    await set(1, { approvals_left: 1 })
    expect((await one()).review).toBe('pending')
  })
})

describe('an approval', () => {
  const approve = (project: { api: string }) =>
    forge.api('POST', `${project.api}/merge_requests/1/approve`, {}, 'token-maria')

  it('is of what was there when it was given', async () => {
    const { one, set, project } = await withRequests(1)
    await approve(project)
    expect((await one()).review).toBe('approved')
    await set(1, { sha: 'c'.repeat(40) })
    expect((await one()).review).toBe('pending')
  })

  it('has its time from the history on an older server', async () => {
    const { one, set, say, project } = await withRequests(1)
    await set(1, { old: true })
    await approve(project)
    expect((await one()).review).toBe('pending')
    await say({ body: 'approved this merge request', system: true })
    expect((await one()).review).toBe('approved')
  })
})

describe('a GitLab in trouble', () => {
  afterEach(() => forge.clear())
  const why = async ({ read }: Awaited<ReturnType<typeof withRequests>>) => {
    const reading = (await read()).get('s-1')!
    return reading.kind === 'unknown' ? reading.why : reading.kind
  }

  it('is left alone after 429, and says so', async () => {
    const world = await withRequests(1)
    await forge.faults({ match: 'GET', status: 429, headers: { 'retry-after': '60' } })
    for (let n = 0; n < 5; n += 1) await why(world)
    expect(await why(world)).toMatch(/GitLab limits the rate \(429/)
    expect(await forge.requests()).toHaveLength(1)
  })

  it.each<[string, Fault]>([
    ['502', { match: 'GET', status: 502, body: '<html>' }],
    ['no answer', { match: 'GET', drop: true }],
    ['a slow answer', { match: 'GET', delayMs: 10_000 }],
    ['no JSON', { match: 'GET', status: 200, body: 'hello' }],
  ])('is unknown after %s, and comes back by itself', async (_what, fault) => {
    // Only where the time runs out is it short: elsewhere a busy machine may take as long as it needs.
    const world = await withRequests(1, fault.delayMs === undefined ? {} : { timeoutSeconds: 2 })
    await forge.faults(fault)
    expect(await why(world)).not.toMatch(/^(read|none)$/)
    await waitFor('the next reading', async () => (await why(world)) === 'read')
  })
})

describe('merging', () => {
  afterEach(() => forge.clear())

  it('says why it was refused', async () => {
    const { scm, project, queries, one, set } = await withRequests(1)
    const sha = (await one()).headSha
    const refusal = async (head = sha) => {
      const error = await scm.mergePR!(queries[0]!.pr, { sha: head }, project).catch((thrown: unknown) => thrown)
      return (error as { details?: { refusal?: string } }).details?.refusal
    }
    expect(await refusal('f'.repeat(40))).toBe('head_moved')
    await set(1, { detailed_merge_status: 'not_approved' })
    expect(await refusal()).toBe('not_mergeable')
    await forge.faults({ match: 'PUT', status: 409, body: { message: 'SHA does not match HEAD of source branch' } })
    expect(await refusal()).toBe('head_moved')
    await forge.faults({ match: 'PUT', status: 401, body: { message: '401 Unauthorized' } })
    expect(await refusal()).toBe('not_allowed')
  })

  it('boards the merge train of a project that has one, once, and merges nothing past it', async () => {
    const { scm, project, queries, one, set } = await withRequests(1)
    const sha = (await one()).headSha
    await set(1, { merge_train: true })
    const merge = (head: string) => scm.mergePR!(queries[0]!.pr, { sha: head }, project)
    await forge.faults({ match: 'POST', apply: true, drop: true })
    expect(await merge(sha)).toEqual({ commit: null, boarded: true })
    expect(await merge(sha)).toEqual({ commit: null, boarded: true })
    await expect(merge('f'.repeat(40))).rejects.toMatchObject({ details: { refusal: 'head_moved' } })
    expect(await scm.getPRState(queries[0]!.pr, project)).toBe('open')
    expect((await forge.requests()).filter(({ method }) => method === 'PUT')).toHaveLength(0)
  })

  it('looks whether it happened when the answer was lost', async () => {
    const { scm, project, queries, one } = await withRequests(1)
    const sha = (await one()).headSha
    await forge.faults({ match: 'PUT', apply: true, drop: true })
    await scm.mergePR!(queries[0]!.pr, { sha }, project)
    expect(await scm.getPRState(queries[0]!.pr, project)).toBe('merged')
    await scm.mergePR!(queries[0]!.pr, { sha }, project)
    expect((await forge.requests()).filter(({ method }) => method === 'PUT')).toHaveLength(1)
  })
})
