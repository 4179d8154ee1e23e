// The Linear tracker against a server that answers by the schema that Linear publishes.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { plugin } from '../../src/plugins/tracker-linear/index.ts'
import { isIssueNotFoundError } from '../../src/slots/tracker.ts'
import { pluginContext, sampleProject } from '../forges/sample-project.ts'
import { type Forge, startForge } from '../forges/start-forge.ts'
import { describeTracker, type TrackerWorld } from './tracker-suite.ts'

let forge: Forge
let teams = 0
const project = sampleProject({})
const KEY = { LINEAR_API_KEY: 'lin_api_secret' }

beforeAll(async () => {
  forge = await startForge('linear-server.mjs', { token: 'lin_api_owner' })
}, 60_000)
beforeEach(() => forge.clear())
afterAll(() => forge?.stop())

const make = (options: Record<string, unknown> = {}, env: NodeJS.ProcessEnv = KEY) =>
  plugin.create({ apiUrl: forge.url, timeoutSeconds: 10, ...options }, pluginContext(env))

async function newTeam(): Promise<string> {
  teams += 1
  const key = `T${teams}X`
  await forge.control({ op: 'team', key })
  return key
}

const seed = (key: string, issue: Record<string, unknown>) =>
  forge.control({ op: 'issue', key, issue: { title: 'x', ...issue } }) as Promise<string>

async function world(): Promise<TrackerWorld> {
  const key = await newTeam()
  return {
    tracker: make({ teamId: key, workspaceSlug: 'acme' }),
    project,
    seed: ({ title, body, labels, closed }) =>
      seed(key, { title, description: body, labels, ...(closed ? { state: 'completed' } : {}) }),
    block: (from, to) => forge.control({ op: 'relation', issue: { type: 'blocks', from, to } }),
    async blockFromElsewhere(blocked) {
      const other = await seed(await newTeam(), {})
      await forge.control({ op: 'relation', issue: { type: 'blocks', from: other, to: blocked } })
      return other
    },
    spellings: (id) => [id.toLowerCase(), `https://linear.app/acme/issue/${id}/some-title`],
    missing: `${key}-4711`,
    breakDown: () => forge.faults({ match: 'graphql', status: 503, times: 1000 }),
    cleanup: () => forge.clear(),
  }
}

describeTracker('linear', world)

describe('issues in Linear', () => {
  it.each([
    ['triage', 'open', false],
    ['unstarted', 'open', false],
    ['started', 'in_progress', false],
    ['completed', 'closed', true],
    ['canceled', 'cancelled', true],
  ])('in a state of type %s are %s', async (type, state, completed) => {
    const id = await seed(await newTeam(), { state: type })
    expect((await make().getIssue(id, project)).state).toBe(state)
    expect(await make().isCompleted(id, project)).toBe(completed)
  })

  it('S2.30 carry the branch name that Linear suggests', async () => {
    const id = await seed(await newTeam(), { title: 'Log in' })
    expect((await make().getIssue(id, project)).branchName).toBe(`acme/${id.toLowerCase()}-log-in`)
    expect(await make().branchName('int-1234', project)).toBe('feat/INT-1234')
    expect(await make().branchName('fix the login', project)).toBe('feat/fix-the-login')
  })

  it('that an integration brought in have no member for an author', async () => {
    const id = await seed(await newTeam(), { noCreator: true })
    expect(await make().getIssue(id, project)).toMatchObject({ authorIsMember: false })
  })

  it('have an address before and after they were read', async () => {
    const tracker = make({ workspaceSlug: 'acme' })
    const id = await seed(await newTeam(), { title: 'Log in' })
    expect(await tracker.issueUrl(id, project)).toBe(`https://linear.app/acme/issue/${id}`)
    await tracker.getIssue(id, project)
    expect(await tracker.issueUrl(id, project)).toBe(`https://linear.app/acme/issue/${id}/log-in`)
  })

  it('are blocked by all of their parts and relations, over several pages', async () => {
    const key = await newTeam()
    const [whole, ...others] = await Promise.all(Array.from({ length: 63 }, () => seed(key, {})))
    for (const [at, from] of others.entries())
      await forge.control({ op: 'relation', issue: { type: at < 61 ? 'child' : 'blocks', from, to: whole } })
    expect((await make().blockersOf!(whole!, project)).toSorted()).toEqual(others.toSorted())
  })

  it('are assigned, started, and listed by assignee over several pages', async () => {
    const key = await newTeam()
    const tracker = make({ teamId: key })
    for (let n = 0; n < 60; n += 1) await seed(key, { title: `n ${n}` })
    expect(await tracker.listIssues!({ limit: 100 }, project)).toHaveLength(60)
    await tracker.updateIssue!(`${key}-7`, { assignee: 'Maria', state: 'in_progress' }, project)
    expect(await tracker.listIssues!({ assignee: 'maria' }, project)).toMatchObject([
      { id: `${key}-7`, assignee: 'maria', state: 'in_progress' },
    ])
    await expect(tracker.updateIssue!(`${key}-7`, { assignee: 'nobody' }, project)).rejects.toThrow(/no user nobody/)
  })

  it('need a team to be created in when there are several', async () => {
    await newTeam()
    await newTeam()
    const issue = { title: 'x', description: '' }
    await expect(make().createIssue!(issue, project)).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
    await expect(make({ teamId: 'NOPE' }).createIssue!(issue, project)).rejects.toThrow(/no team NOPE/)
  })

  it('S2.34 are not asked for when the words cannot be one', async () => {
    for (const text of ['42', 'fix the login', 'https://example.com/issue/ENG-1', '']) {
      const error = await make()
        .getIssue(text, project)
        .catch((thrown: unknown) => thrown)
      expect(isIssueNotFoundError(error), text).toBe(true)
    }
    expect(await forge.requests()).toEqual([])
  })

  it.each<[string, NodeJS.ProcessEnv, Record<string, unknown> | null, RegExp]>([
    ['no key', {}, null, /There is no key for Linear/],
    ['a wrong key', { LINEAR_API_KEY: 'wrong' }, null, /401.*Authentication required/],
    [
      'a rate limit',
      KEY,
      { status: 400, body: { errors: [{ message: 'Rate limit', extensions: { code: 'RATELIMITED' } }] } },
      /Rate limit/,
    ],
    ['an error in the answer', KEY, { status: 200, body: { errors: [{ message: 'Internal' }] } }, /refused: Internal/],
    ['no data', KEY, { status: 200, body: { data: null } }, /no data/],
    ['a server error', KEY, { status: 502, times: 3 }, /502/],
    ['no answer', KEY, { drop: true, times: 3 }, /could not be reached/],
    ['a slow server', KEY, { delayMs: 600, times: 3 }, /did not answer within/],
  ])('S2.35 are an error with %s, never "not found"', async (_what, env, fault, expected) => {
    if (fault !== null) await forge.faults({ match: 'graphql', ...fault })
    const error = await make(fault && 'delayMs' in fault ? { timeoutSeconds: 0.3 } : {}, env)
      .getIssue('ENG-1', project)
      .catch((thrown: unknown) => thrown)
    expect(isIssueNotFoundError(error)).toBe(false)
    expect(String(error)).toMatch(expected)
    expect(String(error)).not.toContain('lin_api')
  })

  it('are left alone after a rate limit', async () => {
    const tracker = make()
    await forge.faults({ match: 'graphql', status: 400, body: { errors: [{ extensions: { code: 'RATELIMITED' } }] } })
    for (let n = 0; n < 3; n += 1) await expect(tracker.getIssue('ENG-1', project)).rejects.toThrow(/Linear/)
    expect(await forge.requests()).toHaveLength(1)
  })

  it('are never asked for at another address than Linear’s own', async () => {
    const elsewhere = plugin.create({ apiUrl: 'https://evil.example' }, pluginContext(KEY))
    await expect(elsewhere.getIssue('ENG-1', project)).rejects.toThrow(/is not sent to https:\/\/evil.example/)
    expect(() => plugin.create({ apiKey: 'x' }, pluginContext(KEY))).toThrow(/tracker plugin linear/)
  })
})
