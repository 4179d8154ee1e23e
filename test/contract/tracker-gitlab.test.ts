// The GitLab tracker against a server that answers as GitLab's documentation shows.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { plugin } from '../../src/plugins/tracker-gitlab/index.ts'
import { isIssueNotFoundError } from '../../src/slots/tracker.ts'
import { gitlabOptions, gitlabTrackerWorld, newProject } from '../forges/gitlab-world.ts'
import { pluginContext, sampleProject } from '../forges/sample-project.ts'
import { type Forge, startForge } from '../forges/start-forge.ts'
import { describeTracker } from './tracker-suite.ts'

let forge: Forge

beforeAll(async () => {
  forge = await startForge('gitlab-server.mjs')
}, 60_000)
beforeEach(() => forge.clear())
afterAll(() => forge?.stop())

describeTracker('gitlab', () => gitlabTrackerWorld(forge))

const make = (env: NodeJS.ProcessEnv = { GITLAB_TOKEN: 'token-acme' }, options = {}) =>
  plugin.create({ ...gitlabOptions(forge), timeoutSeconds: 10, ...options }, pluginContext(env))

describe('issues on GitLab', () => {
  it('S2.30 names the branch feat/issue-<n>', async () => {
    const project = await newProject(forge)
    expect(await make().branchName('#42', project)).toBe('feat/issue-42')
    expect(await make().branchName('fix the login', project)).toBe('feat/fix-the-login')
  })

  it('says whether the author belongs to the project, and assigns by name', async () => {
    const project = await newProject(forge)
    const issue = { title: 'x', description: 'y' }
    const { iid } = await forge.api<{ iid: number }>('POST', `${project.api}/issues`, issue, 'token-outsider')
    expect(await make().getIssue(String(iid), project)).toMatchObject({ author: 'outsider', authorIsMember: false })
    await make().updateIssue!(String(iid), { assignee: 'maria' }, project)
    expect((await make().getIssue(String(iid), project)).assignee).toBe('maria')
    expect(await make().listIssues!({ assignee: 'maria' }, project)).toHaveLength(1)
    await expect(make().updateIssue!(String(iid), { assignee: 'nobody' }, project)).rejects.toThrow(/no user nobody/)
  })

  it.each<[string, NodeJS.ProcessEnv, Record<string, unknown>, RegExp]>([
    ['no token', {}, {}, /There is no token for 127.0.0.1/],
    ['a wrong token', { GITLAB_TOKEN: 'wrong' }, {}, /401/],
    ['a rate limit', { GITLAB_TOKEN: 'token-acme' }, { status: 429, headers: { 'retry-after': '60' } }, /429/],
    ['a missing permission', { GITLAB_TOKEN: 'token-acme' }, { status: 403 }, /403/],
    ['a server error', { GITLAB_TOKEN: 'token-acme' }, { status: 502, times: 3 }, /502/],
    ['no answer', { GITLAB_TOKEN: 'token-acme' }, { drop: true, times: 3 }, /could not be reached/],
    ['a slow server', { GITLAB_TOKEN: 'token-acme' }, { delayMs: 600, times: 3 }, /did not answer within/],
  ])('S2.35 is an error with %s, never "not found"', async (_what, env, fault, expected) => {
    const project = await newProject(forge)
    await forge.api('POST', `${project.api}/issues`, { title: 'x' })
    if (Object.keys(fault).length > 0) await forge.faults({ match: 'GET .*/issues/1$', ...fault })
    const error = await make(env, 'delayMs' in fault ? { timeoutSeconds: 0.3 } : {})
      .getIssue('1', project)
      .catch((thrown: unknown) => thrown)
    expect(isIssueNotFoundError(error)).toBe(false)
    expect(String(error)).toMatch(expected)
    expect(String(error)).not.toContain('token-')
  })

  it('S2.35 is an error when the project cannot be seen', async () => {
    const error = await make()
      .getIssue('1', sampleProject({ repo: 'acme/nothing' }))
      .catch((thrown: unknown) => thrown)
    expect(isIssueNotFoundError(error)).toBe(false)
    expect(String(error)).toMatch(/acme\/nothing does not exist, or the token may not see it/)
  })

  it('sends the token to no host that the user did not name', async () => {
    const project = sampleProject({ repo: 'acme/app' })
    const token = { GITLAB_TOKEN: 'token-acme' }
    const at = (options: Record<string, unknown>, env: NodeJS.ProcessEnv) =>
      plugin.create(options, pluginContext(env)).getIssue('1', project)
    await expect(at({ host: 'evil.example' }, token)).rejects.toMatchObject({
      hint: expect.stringContaining('Say so with: export GITLAB_HOST=evil.example'),
    })
    await expect(at({ apiUrl: 'http://gitlab.com/api/v4' }, token)).rejects.toThrow(/is not sent to http:/)
    expect(() => plugin.create({ token: 'x' }, pluginContext({}))).toThrow(/tracker plugin gitlab/)
  })
})
