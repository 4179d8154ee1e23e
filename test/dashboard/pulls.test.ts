// Pull requests over the dashboard's real server: the local forge with real git, and GitHub as the tests have it.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { DiffAnswer, PullDetail, PullsAnswer, SuggestionsAnswer } from '../../src/contract/dashboard/answers.ts'
import { reviewPull } from '../../src/forge/pulls/change-pull.ts'
import { openPull } from '../../src/forge/pulls/open-pull.ts'
import { currentProcess, formatIdentity } from '../../src/lib/process/process-identity.ts'
import { newRepository } from '../forges/github-world.ts'
import { type Forge, startForge } from '../forges/start-forge.ts'
import { git } from '../support/git-repo.ts'
import { waitFor } from '../support/wait-for.ts'
import { type ServedProject, serveProject } from './served-project.ts'

const LOCAL = ['tracker: local', 'scm: { plugin: local, ci: { commands: [{ name: unit, run: "true" }] } }']
const ONE = '/api/projects/app/pulls/1'
const TEXT = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`)

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

let served: ServedProject

async function serveLocal(): Promise<ServedProject> {
  served = await serveProject({ yaml: LOCAL, files: { 'a.txt': `${TEXT.join('\n')}\n` } })
  return served
}

afterEach(async () => {
  expect(await served.close()).toEqual([])
})

async function openOne(title = 'Better', branch = 'feat/one'): Promise<string> {
  const sha = served.commit(branch, { 'a.txt': `${TEXT.with(9, 'ten').join('\n')}\n` })
  await openPull(await served.forge(), { title, body: 'Please look.', head: branch })
  return sha
}

async function check(sha: string, status: 'passed' | 'failed', log = ''): Promise<void> {
  const forge = await served.forge()
  const [command] = forge.options.ci
  const record = { ...command!, status, owner: formatIdentity(currentProcess()), startedAt: '2026-01-01' }
  forge.checks.write(sha, record)
  writeFileSync(forge.checks.logFile(sha, command!), log)
  forge.checks.write(served.git('rev-parse', 'main'), { ...record, status: 'passed' })
}

describe('pull requests of the local forge', () => {
  it('lists the open ones with their checks, and all of them when asked', async () => {
    const { api } = await serveLocal()
    expect((await api('GET', '/api/pulls')).body).toEqual({ pulls: [], problems: [] })
    const sha = await openOne('<script>alert(1)</script>')
    // A recent answer stands for a moment while no page is open.
    const body = await waitFor('it to be listed', async () => {
      const answer = await api<PullsAnswer>('GET', '/api/pulls')
      return answer.body.pulls.length > 0 && answer.body
    })
    expect(body.pulls).toMatchObject([
      {
        projectId: 'app',
        number: 1,
        hasPage: false,
        canReview: true,
        title: '<script>alert(1)</script>',
        state: 'open',
        ci: 'pending',
        review: 'pending',
        hasConflicts: false,
        headSha: sha,
        branch: 'feat/one',
        baseBranch: 'main',
        author: 'sam',
        checks: [{ name: 'unit', status: 'pending', hasLog: false }],
        staleReason: null,
      },
    ])
    expect((await api('POST', `${ONE}/close`, {})).status).toBe(200)
    expect((await api<PullsAnswer>('GET', '/api/pulls')).body.pulls).toEqual([])
    expect((await api<PullsAnswer>('GET', '/api/pulls?state=all')).body.pulls).toMatchObject([{ state: 'closed' }])
    expect((await api('GET', '/api/pulls?state=odd')).body.error?.code).toBe('USAGE')
  })

  it('gives the diff, and the log of a check of the present head only', async () => {
    const { api } = await serveLocal()
    const sha = await openOne()
    await check(sha, 'failed', 'expected 1\ngot 2\n')
    const diff = (await api<DiffAnswer>('GET', `${ONE}/diff`)).body
    expect(diff).toMatchObject({ head: sha, base: served.git('rev-parse', 'main'), truncated: false })
    expect(diff.diff).toContain('-line 10\n+ten\n')
    const { pull } = (await api<PullDetail>('GET', ONE)).body
    expect(pull).toMatchObject({ ci: 'failing', checks: [{ status: 'failed', hasLog: true, failsOnBase: false }] })
    const log = (id: string) => api<{ log: string }>('GET', `${ONE}/checks/${encodeURIComponent(id)}/log`)
    expect((await log(pull.checks[0]!.id)).body.log).toBe('expected 1\ngot 2\n')
    for (const id of ['../../../etc/passwd', `${'0'.repeat(40)}/unit`, 'unit']) expect((await log(id)).status).toBe(404)
  })

  it('gives parts of it: one commit, what is new since a review, one file with more around it, and nothing else', async () => {
    const { api } = await serveLocal()
    const first = await openOne()
    await reviewPull(await served.forge(), 1, { state: 'commented', body: 'Seen', comments: [] })
    const second = served.commit('feat/one', { 'b.txt': 'more\n' })
    const part = async (query: string) => (await api<DiffAnswer>('GET', `${ONE}/diff?${query}`)).body
    const { commits } = (await api<{ commits: Array<{ sha: string }> }>('GET', `${ONE}/commits`)).body
    expect(commits.map(({ sha }) => sha)).toEqual([first, second])
    expect((await part(`since=${first}`)).diff).not.toContain('a.txt')
    expect(await part(`since=${first}`)).toMatchObject({ base: first, head: second, includesBase: false })
    expect((await part(`commit=${first}`)).diff).not.toContain('b.txt')
    const wide = (await part('path=a.txt&context=25')).diff
    expect(wide).toContain(' line 30')
    expect(wide).not.toContain('b.txt')

    served.commit('main', { 'c.txt': 'other\n' })
    served.git('switch', '--quiet', 'feat/one')
    served.git('merge', '--quiet', '--no-edit', 'main')
    served.git('switch', '--quiet', 'elsewhere')
    expect(await part(`since=${first}`)).toMatchObject({ includesBase: true })

    const main = served.git('rev-parse', 'main')
    for (const query of [
      `since=${main}`,
      `commit=${main}`,
      'since=HEAD',
      'commit=--output=/tmp/x',
      'context=-1',
      'context=1e9',
      `path=${'x'.repeat(5000)}`,
    ])
      expect((await api('GET', `${ONE}/diff?${query}`)).body.error?.code, query).toBe('USAGE')
    // Names are never patterns.
    expect((await part('path=*.txt')).diff).toBe('')
    expect((await part('path=:(top)a.txt')).diff).toBe('')
  })

  it('takes one review with all its comments, notifies the loop, and refuses one for a head that has moved', async () => {
    const { api, requests: calls } = await serveLocal()
    const seen = await openOne()
    const comments = [
      { path: 'a.txt', line: 10, body: 'Why?' },
      { path: 'a.txt', line: 8, body: 'And here' },
    ]
    const given = { verdict: 'request_changes', body: 'Almost', sha: seen, comments }
    const first = await api('POST', `${ONE}/review`, given)
    expect(first).toMatchObject({ status: 200, body: { review: { state: 'changes_requested', commit: seen } } })
    expect(calls).toEqual(['app'])
    // Outside of what it changes, nobody who reads the diff would see it.
    for (const where of [
      { path: 'a.txt', line: 2 },
      { path: 'a.txt', startLine: 2, line: 10 },
      { path: 'a.txt', startLine: 11, line: 10 },
      { path: 'other.txt', line: 1 },
    ]) {
      const stray = await api('POST', `${ONE}/review`, { ...given, comments: [{ ...where, body: 'Lost' }] })
      expect(stray).toMatchObject({
        status: 400,
        body: { error: { message: expect.stringContaining('not part of the diff') } },
      })
    }
    const { body } = await api<PullDetail>('GET', ONE)
    expect(body).toMatchObject({ mergeProblem: 'changes are requested', reviews: [{ body: 'Almost', author: 'sam' }] })
    expect(
      body.remarks.map(({ line, body: output, reviewId }) => [line, output, reviewId === body.reviews[0]!.id]),
    ).toEqual([
      [10, 'Why?', true],
      [8, 'And here', true],
    ])

    const moved = served.commit('feat/one', { 'b.txt': 'more\n' })
    const late = await api('POST', `${ONE}/review`, { ...given, verdict: 'approve' })
    expect(late).toMatchObject({ status: 409, body: { error: { code: 'PR_HEAD_MOVED' } } })
    expect(late.body.error!.message).toContain(moved.slice(0, 10))
    expect((await api<PullDetail>('GET', ONE)).body.reviews).toHaveLength(1)
    expect((await api('POST', `${ONE}/review`, { ...given, sha: 'no' })).status).toBe(400)
  })

  it('shows remarks where their lines are now, and says which are outdated', async () => {
    const { api } = await serveLocal()
    await openOne()
    await reviewPull(await served.forge(), 1, {
      state: 'commented',
      body: '',
      comments: [
        { path: 'a.txt', line: 10, body: 'changed later' },
        { path: 'a.txt', line: 12, body: 'moves down' },
        { path: 'a.txt', startLine: 11, line: 13, body: 'several move together' },
        { path: 'a.txt', startLine: 9, line: 12, body: 'one of them changed' },
      ],
    })
    served.commit('feat/one', { 'a.txt': `${['new', ...TEXT.with(9, 'TEN')].join('\n')}\n` })
    const { remarks } = (await api<PullDetail>('GET', ONE)).body
    expect(remarks.map(({ body, startLine, line, isOutdated }) => [body, startLine, line, isOutdated])).toEqual([
      ['changed later', null, 10, true],
      ['moves down', null, 13, false],
      ['several move together', 12, 14, false],
      ['one of them changed', 9, 12, true],
    ])
    const done = await api('POST', `${ONE}/resolve`, { commentId: remarks[1]!.id, resolved: true })
    expect(done.status).toBe(200)
    expect((await api<PullDetail>('GET', ONE)).body.remarks[1]!.isResolved).toBe(true)
    expect((await api('POST', `${ONE}/resolve`, { commentId: 'comment-x', resolved: true })).status).toBe(400)
    // An answer stays with the remark, whatever was pushed between the two.
    const thread = remarks[2]!.thread
    expect((await api('POST', `${ONE}/reply`, { thread, body: 'Why three?' })).status).toBe(200)
    const after = (await api<PullDetail>('GET', ONE)).body
    expect(after).toMatchObject({ hasThreads: true })
    const place = { startLine: 12, line: 14, isOutdated: false, isAgent: false }
    expect(after.remarks.at(-1)).toMatchObject({ body: 'Why three?', author: 'sam', thread, isReply: true, ...place })
    for (const body of [{ thread: 'comment-x', body: 'x' }, { thread, body: '  ' }, { thread }])
      expect((await api('POST', `${ONE}/reply`, body)).status).toBe(400)
  })

  it('applies suggestions as one commit, where the lines still are what they were about, and the checkout follows', async () => {
    const { api } = await serveLocal()
    const seen = await openOne()
    const suggest = (text: string) => `Better:\n\n\`\`\`suggestion\n${text}\n\`\`\``
    const comments = [
      { path: 'a.txt', line: 10, body: suggest('TEN') },
      { path: 'a.txt', startLine: 12, line: 13, body: suggest('twelve and\nthirteen') },
      { path: 'a.txt', line: 13, body: suggest('overlapping') },
      { path: 'a.txt', line: 11, body: 'no suggestion' },
    ]
    await reviewPull(await served.forge(), 1, { state: 'commented', body: '', comments })
    const apply = (sha: string, ...remarks: string[]) =>
      api<SuggestionsAnswer>('POST', `${ONE}/suggestions`, { sha, remarks })
    const [ten, two, over, none] = (await api<PullDetail>('GET', ONE)).body.remarks.map(({ id }) => id)
    for (const [status, ...ids] of [
      [400, two!, over!],
      [400, none!],
      [400, 'comment-x'],
    ] as const)
      expect((await apply(seen, ...ids)).status).toBe(status)
    expect(served.git('rev-parse', 'feat/one')).toBe(seen)

    const path = `${served.repo}-work`
    served.git('worktree', 'add', '--quiet', path, 'feat/one')
    writeFileSync(join(path, 'a.txt'), 'not committed\n')
    const dirty = await apply(seen, ten!, two!)
    expect(dirty.body.error?.message).toContain('not committed: a.txt')
    served.git('-C', path, 'checkout', '--quiet', '--', '.')
    writeFileSync(join(path, 'scratch.txt'), 'mine\n')
    const { status, body } = await apply(seen, ten!, two!)
    expect({ status, body }).toMatchObject({ status: 200, body: { sentTo: null, warnings: [] } })
    const head = served.git('rev-parse', 'feat/one')
    expect(body.commit).toBe(head)
    expect(served.git('rev-parse', `${head}^`)).toBe(seen)
    const lines = TEXT.with(9, 'TEN').toSpliced(11, 2, 'twelve and', 'thirteen')
    expect(served.git('show', `${head}:a.txt`)).toBe(lines.join('\n'))
    expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe(`${lines.join('\n')}\n`)
    expect(served.git('-C', path, 'status', '--porcelain')).toBe('?? scratch.txt')
    const { remarks } = (await api<PullDetail>('GET', ONE)).body
    expect(remarks.map(({ isResolved, isOutdated }) => [isResolved, isOutdated])).toEqual([
      [true, true],
      [true, true],
      [false, true],
      [false, false],
    ])
    // Not twice, and not over lines that have changed.
    expect((await apply(seen, ten!)).body.error?.code).toBe('PR_HEAD_MOVED')
    expect((await apply(head, over!)).body.error?.message).toContain('have changed since')
  })

  it('takes back a hunk or a file as a commit, of exactly the change that was seen, and nothing else', async () => {
    const { api } = await serveLocal()
    const lines = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve']
    served.commit('main', { 'kept.txt': `${lines.join('\n')}\n`, 'gone.txt': 'still needed\n' })
    const changed = lines.with(0, 'ONE').with(11, 'TWELVE')
    const files = { 'kept.txt': `${changed.join('\n')}\n`, 'gone.txt': null, 'new.txt': 'unwanted\n' }
    served.git('branch', '-f', 'feat/back', 'main')
    let sha = served.commit('feat/back', files)
    await openPull(await served.forge(), { title: 'Back', body: '', head: 'feat/back' })
    const { number } = (await served.forge()).pulls.list().at(-1)!
    const one = `/api/projects/app/pulls/${number}`
    const { base } = (await api<DiffAnswer>('GET', `${one}/diff`)).body
    const take = (body: object) => api<SuggestionsAnswer>('POST', `${one}/take-back`, { sha, base, ...body })
    const last = { oldStart: 9, oldLines: 4, newStart: 9, newLines: 4 }
    for (const wrong of [
      { path: '../kept.txt' },
      { path: 'kept.txt', hunk: { ...last, newStart: 90 } },
      { path: 'kept.txt', hunk: { oldStart: 5, oldLines: 2, newStart: 5, newLines: 2 } },
      { path: 'nowhere.txt' },
      { path: '.git/config' },
      { path: 'kept.txt', hunk: { ...last, patch: 'x' } },
      { path: 'kept.txt', base: sha },
      { path: 'kept.txt', asMessage: true },
    ])
      expect((await take(wrong)).status, JSON.stringify(wrong)).toBeGreaterThanOrEqual(400)
    expect(served.git('rev-parse', 'feat/back')).toBe(sha)
    for (const [request, path, expected] of [
      [{ hunk: last }, 'kept.txt', changed.with(11, 'twelve').join('\n')],
      [{}, 'gone.txt', 'still needed'],
      [{}, 'new.txt', null],
    ] as const) {
      const { status, body } = await take({ path, ...request })
      expect({ status, body }, path).toMatchObject({ status: 200, body: { sentTo: null } })
      sha = served.git('rev-parse', 'feat/back')
      expect(body.commit).toBe(sha)
      const there = served.git('ls-tree', '--name-only', sha, path) === path
      expect(there ? served.git('show', `${sha}:${path}`) : null).toBe(expected)
    }
    expect((await take({ path: 'kept.txt', sha: base })).body.error?.code).toBe('PR_HEAD_MOVED')
  })

  it('gives pictures of both sides, as pictures that nothing runs in, and nothing else as one', async () => {
    const { api } = await serveLocal()
    const pixel = Buffer.from(PIXEL, 'base64')
    served.commit('main', { 'old.png': pixel })
    const other = Buffer.concat([pixel, Buffer.from('more')])
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    served.git('branch', 'feat/one', 'main')
    served.commit('feat/one', { 'old.png': other, 'new.svg': svg, 'fake.png': '<script>alert(1)</script>' })
    await openPull(await served.forge(), { title: 'Pictures', body: '', head: 'feat/one' })
    const image = (path: string, side: string) =>
      fetch(`http://127.0.0.1:${served.server.port}${ONE}/image?${new URLSearchParams({ path, side })}`, {
        headers: { authorization: `Bearer ${served.token}`, connection: 'close' },
      })
    const before = await image('old.png', 'old')
    expect(before.headers.get('content-type')).toBe('image/png')
    expect(Buffer.from(await before.arrayBuffer())).toEqual(pixel)
    expect(Buffer.from(await (await image('old.png', 'new')).arrayBuffer())).toEqual(other)
    const drawn = await image('new.svg', 'new')
    expect(drawn.headers.get('content-type')).toBe('image/svg+xml')
    expect(drawn.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(drawn.headers.get('content-security-policy')).toContain('sandbox')
    expect(drawn.headers.get('content-disposition')).toMatch(/^attachment/)
    expect(drawn.headers.get('x-content-type-options')).toBe('nosniff')
    for (const path of ['fake.png', 'a.txt', '../a.png', '.git/config', '*.png', ':(glob)*'])
      expect((await image(path, 'new')).status, path).toBe(404)
    expect((await image('new.svg', 'old')).status).toBe(404)
    expect((await api('GET', `${ONE}/image?path=old.png`)).status).toBe(400)
    expect((await api('GET', `${ONE}/image?path=old.png&side=new&commit=${'0'.repeat(40)}`)).status).toBe(400)
  })

  it('merges exactly the head that was seen, and writes it into the record of the session', async () => {
    const { api } = await serveLocal()
    const seen = await openOne()
    await served.session('app-1', { pr: (await served.forge()).pulls.read(1)!.url })
    await waitFor('the session of the pull request', async () => {
      return (await api<PullDetail>('GET', ONE)).body.pull.sessionId === 'app-1'
    })
    await check(seen, 'failed')
    expect((await api<PullDetail>('GET', ONE)).body.mergeProblem).toContain('checks have not passed')
    expect((await api('POST', `${ONE}/merge`, { sha: seen })).body.error?.code).toBe('PR_NOT_MERGEABLE')

    const moved = served.commit('feat/one', { 'b.txt': 'more\n' })
    await check(moved, 'passed')
    expect((await api('POST', `${ONE}/merge`, { sha: seen })).status).toBe(409)
    expect((await api<PullDetail>('GET', ONE)).body.mergeProblem).toBeNull()
    const merged = await api<{ commit: string }>('POST', `${ONE}/merge`, { sha: moved })
    expect(merged).toMatchObject({ status: 200, body: { commit: served.git('rev-parse', 'main'), warnings: [] } })
    expect((await api<PullDetail>('GET', ONE)).body).toMatchObject({
      pull: { state: 'merged' },
      mergeProblem: 'it is merged',
    })
    expect((await api<DiffAnswer>('GET', `${ONE}/diff`)).body.diff).toContain('+ten')
    expect(served.context.store('app').read('app-1')!.pairs.status).toBe('merged')
  })

  it('says what is in the way: conflicts, a draft, nothing there', async () => {
    const { api } = await serveLocal()
    await openOne()
    served.commit('main', { 'a.txt': `${TEXT.with(9, 'TEN').join('\n')}\n` })
    expect((await api<PullDetail>('GET', ONE)).body).toMatchObject({
      pull: { hasConflicts: true },
      mergeProblem: 'it conflicts with main',
    })
    served.commit('feat/two', { 'c.txt': 'c' })
    await openPull(await served.forge(), { title: 'Half', body: '', head: 'feat/two', draft: true })
    const two = await api<PullDetail>('GET', '/api/projects/app/pulls/2')
    expect(two.body).toMatchObject({ pull: { isDraft: true }, mergeProblem: 'it is a draft' })
    expect(await api('GET', '/api/projects/app/pulls/3')).toMatchObject({
      status: 404,
      body: { error: { code: 'PR_NOT_FOUND' } },
    })
    expect((await api('GET', '/api/projects/nope/pulls/1')).body.error?.code).toBe('PROJECT_NOT_FOUND')
  })

  it('sends a diff that a browser can show: names, binaries, renames, and not everything of something huge', async () => {
    const { api } = await serveLocal()
    served.commit('feat/one', {
      'ä ö/名前.txt': 'x\n',
      'image.bin': Buffer.from([0, 1, 2, 255]),
      'renamed.txt': `${TEXT.join('\n')}\n`,
      'a.txt': null,
      'zz-huge.txt': 'a long line that says nothing\n'.repeat(120_000),
    })
    await openPull(await served.forge(), { title: 'Much', body: '', head: 'feat/one' })
    const { diff, truncated } = (await api<DiffAnswer>('GET', `${ONE}/diff`)).body
    expect(truncated).toBe(true)
    expect(diff).toContain('rename from a.txt\nrename to renamed.txt')
    expect(diff).toContain('Binary files /dev/null and b/image.bin differ')
    expect(diff).not.toContain('zz-huge.txt')
  })

  it('says that the forge cannot be read instead of showing nothing', async () => {
    const { api } = await serveLocal()
    await openOne()
    await api('GET', '/api/pulls')
    const { pulls } = await served.forge()
    renameSync(pulls.directory, `${pulls.directory}.away`)
    writeFileSync(pulls.directory, 'no directory')
    const later = await waitFor('a new reading', async () => {
      const answer = await api<PullsAnswer>('GET', '/api/pulls')
      return answer.body.problems.length > 0 && answer
    })
    expect(later.body.problems).toMatchObject([{ projectId: 'app' }])
    expect(later.body.pulls).toMatchObject([{ number: 1, staleReason: expect.stringContaining('ENOTDIR') }])
  })
})

describe('pull requests of sessions on GitHub', () => {
  let forge: Forge

  beforeAll(async () => {
    forge = await startForge('github-server.mjs')
  }, 60_000)
  afterEach(() => forge.clear())
  afterAll(() => forge?.stop())

  async function serveGithub(more: Record<string, string> = {}): Promise<{ repo: string; head: string; url: string }> {
    const { repo } = await newRepository(forge)
    served = await serveProject({
      yaml: [`repo: ${repo}`, `scm: { plugin: github, apiUrl: "${forge.url}" }`],
      env: { GITHUB_TOKEN: 'token-acme' },
    })
    const head = served.commit('feat/one', { 'answer.txt': '42\n' })
    const bare = join(served.temp.home, 'app.git')
    git(served.temp.home, served.temp.env, 'clone', '--quiet', '--bare', served.repo, bare)
    git(served.repo, served.temp.env, 'remote', 'add', 'origin', bare)
    await forge.control({ op: 'bare', repo, path: bare })
    const wanted = { title: 'The answer', head: 'feat/one', base: 'main' }
    const { html_url } = await forge.api<{ html_url: string }>('POST', `/repos/${repo}/pulls`, wanted)
    await served.session('app-1', { pr: html_url, branch: 'feat/one', ...more })
    return { repo: repo!, head, url: html_url }
  }

  const list = async (state = 'open') => (await served.api<PullsAnswer>('GET', `/api/pulls?state=${state}`)).body
  const listed = () =>
    waitFor('the pull request', async () => {
      const answer = await list()
      return answer.pulls.length > 0 && answer
    })
  const requestsMade = async () => (await forge.requests()).filter(({ path }) => path === '/graphql').length

  it('shows them with checks, reviews and a diff, and asks once for everybody', async () => {
    const { repo, head, url } = await serveGithub()
    const run = { name: 'unit', head_sha: head, status: 'completed', conclusion: 'failure' }
    const { id } = await forge.api<{ id: number }>('POST', `/repos/${repo}/check-runs`, run)
    await forge.control({ op: 'log', job: id, text: 'expected 41 to be 42' })
    const comments = [{ path: 'answer.txt', position: 1, body: 'Say why' }]
    const given = { event: 'REQUEST_CHANGES', body: 'Why?', comments }
    await forge.api('POST', `/repos/${repo}/pulls/1/reviews`, given, 'token-maria')
    const { pulls, problems } = await listed()
    expect(problems).toEqual([])
    expect(pulls).toMatchObject([
      { hasPage: true, url, number: 1, title: 'The answer', sessionId: 'app-1', headSha: head, ci: 'failing' },
    ])
    const before = await requestsMade()
    const many = await Promise.all([...Array(5)].map(() => served.api<PullDetail>('GET', ONE)))
    expect(await requestsMade()).toBe(before)
    expect(many[0]!.body).toMatchObject({
      hasThreads: true,
      mergeProblem: 'changes are requested',
      reviews: [{ author: 'maria', state: 'changes_requested', body: 'Why?' }],
      remarks: [{ author: 'maria', path: 'answer.txt', body: 'Say why' }],
    })
    const [check] = many[0]!.body.pull.checks
    const log = await served.api<{ log: string }>('GET', `${ONE}/checks/${encodeURIComponent(check!.id)}/log`)
    expect(log.body.log).toContain('expected 41 to be 42')
    expect((await served.api<DiffAnswer>('GET', `${ONE}/diff`)).body.diff).toContain('+42')
    const refused = await served.api('POST', `${ONE}/review`, { verdict: 'approve', body: '', sha: head, comments: [] })
    expect(refused.body.error).toMatchObject({
      code: 'SCM_FAILED',
      message: expect.stringContaining('your own pull request'),
    })
  })

  it('takes replies, and a suggestion as a commit that is pushed, or not at all', async () => {
    const { repo, head } = await serveGithub({ endedAs: 'killed' })
    const bare = join(served.temp.home, 'app.git')
    const comments = [{ path: 'answer.txt', position: 1, body: '```suggestion\nforty-two\n```' }]
    await forge.api('POST', `/repos/${repo}/pulls/1/reviews`, { event: 'COMMENT', comments }, 'token-maria')
    await listed()
    const [remark] = (await served.api<PullDetail>('GET', ONE)).body.remarks
    const reply = { thread: remark!.thread, body: 'Good idea' }
    expect((await served.api('POST', `${ONE}/reply`, reply)).status).toBe(200)
    const request = { sha: head, remarks: [remark!.id] }
    const tip = () => git(bare, served.temp.env, 'rev-parse', 'feat/one').trim()
    // Somebody pushes in between: nothing of theirs is overwritten, and nothing is changed here.
    const other = git(bare, served.temp.env, 'commit-tree', '-p', head, '-m', 'other', `${head}^{tree}`).trim()
    git(bare, served.temp.env, 'update-ref', 'refs/heads/feat/one', other)
    expect((await served.api('POST', `${ONE}/suggestions`, request)).body.error?.code).toBe('PR_HEAD_MOVED')
    expect([tip(), served.git('rev-parse', 'feat/one')]).toEqual([other, head])
    git(bare, served.temp.env, 'update-ref', 'refs/heads/feat/one', head)
    const { body } = await waitFor('GitHub to show the old head again', async () => {
      const answer = await served.api<SuggestionsAnswer>('POST', `${ONE}/suggestions`, request)
      return answer.status === 200 ? answer : Promise.reject(new Error(JSON.stringify(answer.body)))
    })
    expect(body).toMatchObject({ sentTo: null, warnings: [] })
    expect([tip(), served.git('rev-parse', 'feat/one')]).toEqual([body.commit, body.commit])
    expect(served.git('show', 'feat/one:answer.txt')).toBe('forty-two')
    const { remarks } = (await served.api<PullDetail>('GET', ONE)).body
    expect(remarks).toMatchObject([
      { author: 'maria', isResolved: true },
      { body: 'Good idea', isReply: true, isAgent: false },
    ])
  })

  it('merges the head that was seen; when GitHub is down the last answer stands and is marked as such', async () => {
    const { repo, head } = await serveGithub()
    // What would be merged is compared here first.
    await listed()
    await forge.faults(
      { match: '/graphql', status: 502, times: 1000 },
      { match: `/repos/${repo}`, status: 502, times: 1000 },
    )
    expect((await served.api('POST', `${ONE}/merge`, { sha: head })).status).toBe(502)
    expect(await list()).toMatchObject({
      pulls: [{ number: 1, state: 'open', staleReason: expect.any(String) }],
      problems: [{ projectId: 'app' }],
    })
    await forge.clear()
    const other = `${head[0] === '0' ? '1' : '0'}${head.slice(1)}`
    // The client rests for a moment after failures.
    await waitFor('GitHub to refuse', async () => {
      const { body } = await served.api('POST', `${ONE}/merge`, { sha: other })
      return body.error?.message.includes(`its head is ${head.slice(0, 10)}`)
    })
    expect(await served.api('POST', `${ONE}/merge`, { sha: head })).toMatchObject({ status: 200 })
    expect(served.requests).toContain('app')
    expect((await list('all')).pulls).toMatchObject([{ state: 'merged' }])
  })
})
