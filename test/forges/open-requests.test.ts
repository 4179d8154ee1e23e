// A worker on a forge without a command for agents: it pushes its branch with git alone, and ao opens the request.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ProjectConfig } from '../../src/contract/config.ts'
import type { Session } from '../../src/contract/session.ts'
import type { LoopContext } from '../../src/lifecycle/loop/loop-context.ts'
import { openRequests } from '../../src/lifecycle/tick/open-requests.ts'
import { plugin as gitlab } from '../../src/plugins/scm-gitlab/index.ts'
import type { PrReading, Scm } from '../../src/slots/scm.ts'
import { git } from '../support/git-repo.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'
import { createGitRemote, type GitRemote } from './git-remote.ts'
import { gitlabOptions, newProject } from './gitlab-world.ts'
import { pluginContext } from './sample-project.ts'
import { type Forge, startForge } from './start-forge.ts'

let forge: Forge
let temp: TempHome
let remote: GitRemote
let project: ProjectConfig & { api: string }
let scm: Scm
const lines: string[] = []

beforeAll(async () => {
  forge = await startForge('./gitlab-server.mjs')
})
afterAll(() => forge.stop())
beforeEach(async () => {
  temp = createTempHome()
  remote = createGitRemote(temp.home, temp.env)
  project = { ...(await newProject(forge, remote.bare)), path: remote.clone, tracker: 'gitlab', scm: 'gitlab' }
  scm = gitlab.create(gitlabOptions(forge), pluginContext({ ...temp.env, GITLAB_TOKEN: 'token-acme' }))
  lines.length = 0
})
afterEach(async () => {
  await forge.clear()
  expect(await temp.cleanup()).toEqual([])
})

async function tick(branch = 'feat/x', issueId: string | null = '3'): Promise<PrReading> {
  const queries = [{ sessionId: 'app-1', branch, pr: null }]
  const readings = await scm.readPullRequests!(queries, project)
  const session = { id: 'app-1', issueId, metadata: {} } as unknown as Session
  const loop = { context: { env: temp.env }, say: (line: string) => lines.push(line) } as unknown as LoopContext
  await openRequests({ loop, project, scm, sessions: [session], queries }, readings)
  return readings.get('app-1')!
}

const requests = () =>
  forge.api<Array<{ title: string; state: string; iid: number }>>('GET', `${project.api}/merge_requests?state=all`)

describe('a branch that was pushed with git alone', () => {
  it('gets one merge request, named after its last commit, and is read immediately', async () => {
    git(remote.clone, temp.env, 'switch', '--quiet', '--create', 'feat/x')
    expect(await tick()).toEqual({ kind: 'none' })
    remote.push('feat/x', 'a.txt', 'a')
    const reading = await tick()
    expect(reading).toMatchObject({ kind: 'read', snapshot: { state: 'open', pr: { branch: 'feat/x' } } })
    expect(lines).toEqual([expect.stringContaining('app-1: opened http')])
    expect(await requests()).toMatchObject([{ title: 'a.txt on feat/x', state: 'opened' }])
    await tick()
    expect(await requests()).toHaveLength(1)
    const [request] = (await forge.requests()).filter(({ method }) => method === 'POST')
    expect(JSON.parse(request!.body)).toMatchObject({ target_branch: 'main', description: 'Closes #3' })
  })

  it('gets none where somebody closed it, where it has nothing new, or on the base branch', async () => {
    remote.push('feat/x', 'a.txt', 'a')
    await tick()
    const iid = (await requests())[0]!.iid
    await forge.api('PUT', `${project.api}/merge_requests/${iid}`, { state_event: 'close' })
    expect(await tick()).toEqual({ kind: 'none' })
    git(remote.clone, temp.env, 'push', '--quiet', 'origin', 'origin/main:refs/heads/feat/empty')
    git(remote.clone, temp.env, 'fetch', '--quiet', 'origin')
    expect(await tick('feat/empty')).toEqual({ kind: 'none' })
    expect(await tick('main')).toEqual({ kind: 'none' })
    expect(await requests()).toHaveLength(1)
  })

  it('is reported as unknown, with the reason, while the forge refuses', async () => {
    remote.push('feat/x', 'a.txt', 'a')
    await forge.faults({ match: 'POST .*/merge_requests$', status: 403, body: { message: 'insufficient_scope' } })
    expect(await tick()).toMatchObject({ kind: 'unknown', why: expect.stringContaining('insufficient_scope') })
    expect(await tick()).toMatchObject({ kind: 'read' })
  })
})
