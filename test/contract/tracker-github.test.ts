// The GitHub tracker against a server of its own: REST as `emulate` keeps it.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { plugin } from '../../src/plugins/tracker-github/index.ts'
import { isIssueNotFoundError, type Tracker } from '../../src/slots/tracker.ts'
import { githubTrackerWorld } from '../forges/github-world.ts'
import { pluginContext, sampleProject } from '../forges/sample-project.ts'
import { type Forge, startForge } from '../forges/start-forge.ts'
import { describeTracker } from './tracker-suite.ts'

let forge: Forge
let tracker: Tracker
const project = sampleProject({ repo: 'acme/app' })

beforeAll(async () => {
  forge = await startForge('github-server.mjs')
  tracker = make()
}, 60_000)
beforeEach(() => forge.clear())
afterAll(() => forge?.stop())

const make = (env: NodeJS.ProcessEnv = { GITHUB_TOKEN: 'token-acme' }, options = {}) =>
  plugin.create({ apiUrl: forge.url, timeoutSeconds: 2, ...options }, pluginContext(env))

const newIssue = async (more: Record<string, unknown> = {}, token?: string): Promise<string> => {
  const created = { title: 'Fix the login', body: 'It fails.', ...more }
  const { number } = await forge.api<{ number: number }>('POST', '/repos/acme/app/issues', created, token)
  return String(number)
}

describeTracker('github', () => githubTrackerWorld(forge))

describe('an issue', () => {
  it('is read by number, #number and URL', async () => {
    const id = await newIssue({ labels: ['bug'], assignees: ['maria'] })
    const url = `${forge.url}/acme/app/issues/${id}`
    for (const reference of [id, `#${id}`, url, `${url}#issuecomment-1`, `acme/app#${id}`]) {
      expect(await tracker.getIssue(reference, project)).toMatchObject({
        id,
        title: 'Fix the login',
        description: 'It fails.',
        url,
        state: 'open',
        labels: ['bug'],
        assignee: 'maria',
        author: 'acme',
        authorIsMember: true,
      })
    }
  })

  it('says when its author is from outside', async () => {
    const id = await newIssue({}, 'token-outsider')
    const issue = await tracker.getIssue(id, project)
    expect(issue).toMatchObject({ author: 'outsider', authorIsMember: false })
    expect(tracker.generatePrompt(issue, project)).toContain('Author: outsider (not a member)')
  })

  it('is completed when it is closed, and cancelled when it was not planned', async () => {
    const id = await newIssue()
    expect(await tracker.isCompleted(id, project)).toBe(false)
    await tracker.updateIssue!(id, { state: 'closed' }, project)
    expect(await tracker.isCompleted(id, project)).toBe(true)
    await forge.api('PATCH', `/repos/acme/app/issues/${id}`, { state: 'closed', state_reason: 'not_planned' })
    expect((await tracker.getIssue(id, project)).state).toBe('cancelled')
  })

  it('S2.30 names its branch feat/issue-<n>, and a safe one for anything else', async () => {
    expect(await tracker.branchName('42', project)).toBe('feat/issue-42')
    expect(await tracker.branchName('#42', project)).toBe('feat/issue-42')
    expect(await tracker.branchName(`${forge.url}/acme/app/issues/42`, project)).toBe('feat/issue-42')
    expect(await tracker.branchName('fix the login', project)).toBe('feat/fix-the-login')
  })

  it('is blocked by its sub-issues too, and by nothing on another server', async () => {
    const [child, parent] = [await newIssue(), await newIssue()]
    await forge.api('POST', `/repos/acme/app/issues/${parent}/sub_issues`, { number: Number(child) })
    const elsewhere = { number: 7, html_url: 'https://evil.example/acme/app/issues/7' }
    await forge.api('POST', `/repos/acme/app/issues/${parent}/dependencies/blocked_by`, elsewhere)
    expect(await tracker.blockersOf!(parent, project)).toEqual([child])
  })

  it('is blocked by nothing where the server has no such relations', async () => {
    const id = await newIssue()
    await forge.faults({ match: 'dependencies|sub_issues', status: 404, times: 2 })
    expect(await tracker.blockersOf!(id, project)).toEqual([])
  })

  it('is blocked by its sub-issues where the server has no other relations', async () => {
    const [child, parent] = [await newIssue(), await newIssue()]
    await forge.api('POST', `/repos/acme/app/issues/${parent}/sub_issues`, { number: Number(child) })
    await forge.faults({ match: 'dependencies', status: 404, times: 1 })
    expect(await tracker.blockersOf!(parent, project)).toEqual([child])
  })

  it('is read again at no cost while nothing changes', async () => {
    const id = await newIssue()
    const first = await tracker.getIssue(id, project)
    await forge.clear()
    expect(await tracker.getIssue(id, project)).toEqual(first)
    expect(await forge.requests()).toMatchObject([{ status: 304 }])
    await tracker.updateIssue!(id, { title: 'Fix the logout' }, project)
    expect((await tracker.getIssue(id, project)).title).toBe('Fix the logout')
  })
})

describe('no such issue', () => {
  const notFound = async (id: string) => {
    const error = await tracker.getIssue(id, project).catch((thrown: unknown) => thrown)
    expect(isIssueNotFoundError(error), String(error)).toBe(true)
  }

  it('S2.34 is detected by its number, and without a request when it is not a number', async () => {
    await notFound('99999')
    await forge.clear()
    await notFound('INT-1234')
    await notFound('fix the login')
    await notFound('https://example.com/acme/app/issues/1')
    await notFound(`${forge.url}/other/app/issues/1`)
    expect(await forge.requests()).toEqual([])
  })

  it('S2.34 is reported for the number of a pull request', async () => {
    const pull = { title: 'p', head: 'feat/p', base: 'main' }
    const { number } = await forge.api<{ number: number }>('POST', '/repos/acme/app/pulls', pull)
    await notFound(String(number))
  })

  it('S2.34 is reported for an issue that is gone', async () => {
    await forge.faults({ match: 'GET .*/issues/7', status: 410, body: { message: 'This issue was deleted' } })
    await notFound('7')
  })
})

describe('an issue that could not be asked for', () => {
  const failure = async (tracker: Tracker, wanted = project): Promise<Error> => {
    const error = await tracker.getIssue('1', wanted).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Error)
    expect(isIssueNotFoundError(error)).toBe(false)
    return error as Error
  }

  it('S2.35 is an error with a wrong token', async () => {
    const error = await failure(make({ GITHUB_TOKEN: 'wrong' }))
    expect(error).toMatchObject({ code: 'TRACKER_FAILED', hint: expect.stringContaining('gh auth status') })
    expect(error.message).not.toContain('wrong')
  })

  it('S2.35 is an error without any token', async () => {
    const error = await failure(make({ PATH: '/nowhere' }))
    expect(error.message).toMatch(/There is no token for 127.0.0.1:\d+: gh is not installed/)
  })

  it('S2.35 is an error when the repository cannot be seen: GitHub says 404 to that too', async () => {
    const error = await failure(tracker, sampleProject({ repo: 'acme/nothing' }))
    expect(error.message).toBe('The repository acme/nothing does not exist, or the token may not see it')
  })

  it.each([
    ['a rate limit', { status: 429, headers: { 'retry-after': '1' } }],
    ['a secondary rate limit', { status: 403, body: { message: 'You have exceeded a secondary rate limit' } }],
    ['a missing permission', { status: 403, body: { message: 'Resource not accessible by personal access token' } }],
    ['a server error', { status: 502, times: 3 }],
    ['a closed connection', { drop: true, times: 3 }],
    ['a server that does not answer', { delayMs: 400, times: 3 }],
  ])('S2.35 is an error after %s', async (_what, fault) => {
    await newIssue()
    await forge.faults({ match: 'GET .*/issues/1$', ...fault })
    await failure(make(undefined, { timeoutSeconds: 0.2 }))
  })

  it('is asked for again after a short hiccup, because a person waits', async () => {
    await newIssue()
    await forge.faults({ match: 'GET .*/issues/1$', status: 503, times: 2 })
    expect((await make().getIssue('1', project)).id).toBe('1')
  })

  it('is refused before anything is sent when the project names no repository', async () => {
    const error = await failure(tracker, sampleProject({}))
    expect(error).toMatchObject({ code: 'CONFIG_INVALID' })
  })
})

describe('work on issues', () => {
  it('lists by state, label and assignee, and leaves pull requests out', async () => {
    const marked = await newIssue({ title: 'marked', labels: ['agent'] })
    await newIssue({ title: 'plain' })
    await forge.api('POST', '/repos/acme/app/pulls', { title: 'a pull', head: 'feat/list', base: 'main' })
    const found = await tracker.listIssues!({ labels: ['agent'] }, project)
    expect(found.map(({ id }) => id)).toEqual([marked])
    const all = await tracker.listIssues!({ state: 'all', limit: 100 }, project)
    expect(all.map(({ title }) => title)).not.toContain('a pull')
    expect(await tracker.listIssues!({ limit: 1 }, project)).toHaveLength(1)
  })

  it('creates, comments, labels, assigns, closes and opens', async () => {
    const made = await tracker.createIssue!({ title: 'New', description: 'Do it', labels: ['one'] }, project)
    expect(made).toMatchObject({ title: 'New', description: 'Do it', labels: ['one'], state: 'open' })
    const change = { comment: 'started', labels: ['two'], removeLabels: ['one', 'never-there'], assignee: 'maria' }
    await tracker.updateIssue!(made.id, { ...change, state: 'in_progress' as const }, project)
    expect(await tracker.getIssue(made.id, project)).toMatchObject({
      labels: ['two'],
      assignee: 'maria',
      state: 'open',
    })
    const comments = await forge.api<Array<{ body: string }>>('GET', `/repos/acme/app/issues/${made.id}/comments`)
    expect(comments.map(({ body }) => body)).toEqual(['started'])
    await tracker.updateIssue!(made.id, { state: 'closed' }, project)
    expect(await tracker.isCompleted(made.id, project)).toBe(true)
    await tracker.updateIssue!(made.id, { state: 'open', title: 'Newer', description: 'Again' }, project)
    expect(await tracker.getIssue(made.id, project)).toMatchObject({
      title: 'Newer',
      description: 'Again',
      state: 'open',
    })
  })

  it('S2.34 changes nothing for a missing issue', async () => {
    const error = await tracker.updateIssue!('99999', { comment: 'x' }, project).catch((thrown: unknown) => thrown)
    expect(isIssueNotFoundError(error)).toBe(true)
  })
})

it('refuses options that it does not know', () => {
  expect(() => plugin.create({ apiurl: 'https://x' }, pluginContext({}))).toThrow(/tracker plugin github/)
  expect(() => plugin.create({ apiUrl: 'ftp://x' }, pluginContext({}))).toThrow(/apiUrl/)
})
