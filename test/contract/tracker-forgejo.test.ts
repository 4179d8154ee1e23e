// The Forgejo tracker against a server that answers as Forgejo's API documentation shows.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { plugin } from '../../src/plugins/tracker-forgejo/index.ts'
import { isIssueNotFoundError } from '../../src/slots/tracker.ts'
import { forgejoOptions, forgejoTrackerWorld, newRepository } from '../forges/forgejo-world.ts'
import { pluginContext, sampleProject } from '../forges/sample-project.ts'
import { type Forge, startForge } from '../forges/start-forge.ts'
import { describeTracker } from './tracker-suite.ts'

let forge: Forge

beforeAll(async () => {
  forge = await startForge('forgejo-server.mjs')
}, 60_000)
beforeEach(() => forge.clear())
afterAll(() => forge?.stop())

describeTracker('forgejo', () => forgejoTrackerWorld(forge))

const make = (env: NodeJS.ProcessEnv = { FORGEJO_TOKEN: 'token-acme' }) =>
  plugin.create({ ...forgejoOptions(forge), timeoutSeconds: 10 }, pluginContext(env))

describe('issues on Forgejo', () => {
  it('says whether the author belongs to the repository, also to those who may not ask for everybody', async () => {
    const project = await newRepository(forge)
    const by = async (token: string) =>
      String((await forge.api<{ number: number }>('POST', `${project.api}/issues`, { title: 'x' }, token)).number)
    for (const token of ['token-acme', 'token-maria']) {
      const tracker = make({ FORGEJO_TOKEN: token })
      expect(await tracker.getIssue(await by('token-outsider'), project)).toMatchObject({ authorIsMember: false })
      expect(await tracker.getIssue(await by('token-maria'), project)).toMatchObject({ authorIsMember: true })
    }
  })

  it('does not take a pull request for an issue', async () => {
    const project = await newRepository(forge)
    await forge.api('POST', `${project.api}/issues`, { title: 'x' })
    const error = await make()
      .getIssue('2', project)
      .catch((thrown: unknown) => thrown)
    expect(isIssueNotFoundError(error)).toBe(true)
  })

  it.each([
    ['a bad token', { FORGEJO_TOKEN: 'nonsense' }, {}, /401/],
    ['no token', { PATH: '/nowhere' }, {}, /There is no token for 127\.0\.0\.1/],
    ['a server error', { FORGEJO_TOKEN: 'token-acme' }, { status: 502, times: 3 }, /502/],
    ['no answer', { FORGEJO_TOKEN: 'token-acme' }, { drop: true, times: 3 }, /could not be reached/],
  ])('is an error with %s, never "not found"', async (_what, env, fault, expected) => {
    const project = await newRepository(forge)
    await forge.api('POST', `${project.api}/issues`, { title: 'x' })
    if (Object.keys(fault).length > 0) await forge.faults({ match: 'GET .*/issues/1$', ...fault })
    const error = await make(env)
      .getIssue('1', project)
      .catch((thrown: unknown) => thrown)
    expect(isIssueNotFoundError(error)).toBe(false)
    expect(String(error)).toMatch(expected)
    expect(String(error)).not.toContain('token-')
  })

  it('is an error when the repository cannot be seen', async () => {
    await expect(make().getIssue('1', sampleProject({ repo: 'acme/nothing' }))).rejects.toThrow(
      /acme\/nothing does not exist, or the token may not see it/,
    )
  })
})
