// Issues over the dashboard's real server: the local tracker, GitHub as the tests have it, and none at all.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { IssueRow, IssuesAnswer } from '../../src/contract/dashboard/issues.ts'
import { newRepository } from '../forges/github-world.ts'
import { type Forge, startForge } from '../forges/start-forge.ts'
import { waitFor } from '../support/wait-for.ts'
import { type ServedProject, serveProject } from './served-project.ts'

const ALL = '/api/projects/app/issues'

let served: ServedProject

afterEach(async () => {
  expect(await served.close()).toEqual([])
})

const titles = async (state = 'open') =>
  (await served.api<IssuesAnswer>('GET', `${ALL}?state=${state}`)).body.issues.map(({ title }) => title)

describe('issues of the local tracker', () => {
  it('are written, listed with who works on them, changed, closed and opened again', async () => {
    served = await serveProject({ yaml: ['tracker: local', 'agent: demo'] })
    const { api } = served
    const empty = await api<IssuesAnswer>('GET', ALL)
    expect(empty.body).toMatchObject({ issues: [], tracker: 'local', canCreate: true, canChange: true })
    expect(empty.body).toMatchObject({ defaultAgent: 'demo', agents: expect.arrayContaining(['demo']) })

    const made = await api<{ issue: IssueRow }>('POST', ALL, {
      title: '<img src=x onerror=alert(1)>',
      description: 'First\n\n```sh\nrm -rf /\n```',
      labels: ['ui'],
    })
    expect(made).toMatchObject({
      status: 201,
      body: { issue: { id: '1', state: 'open', labels: ['ui'], author: 'sam' } },
    })
    expect(await titles()).toEqual(['<img src=x onerror=alert(1)>'])

    await served.session('app-1', { issue: '1' })
    await waitFor('who works on it', async () => {
      const { issues } = (await api<IssuesAnswer>('GET', ALL)).body
      return issues[0]?.sessionIds.includes('app-1')
    })
    expect(
      (await api<{ issue: IssueRow }>('PATCH', `${ALL}/1`, { title: 'Plain', state: 'closed' })).body.issue,
    ).toMatchObject({ title: 'Plain', state: 'closed' })
    expect(await titles()).toEqual([])
    expect(await titles('closed')).toEqual(['Plain'])
    await api('PATCH', `${ALL}/1`, { state: 'open', labels: ['fruit'], removeLabels: ['ui'], comment: 'Go on.' })
    expect(await titles()).toEqual(['Plain'])
    expect((await api('GET', `${ALL}/1`)).body).toMatchObject({
      issue: { id: '1', title: 'Plain', labels: ['fruit'], sessionIds: ['app-1'] },
      comments: [{ author: 'sam', body: 'Go on.' }],
      canChange: true,
    })
  })

  it('says what is wrong: no such issue, no title, an unknown state', async () => {
    served = await serveProject({ yaml: ['tracker: local'] })
    const { api } = served
    expect((await api('PATCH', `${ALL}/7`, { state: 'closed' })).body.error?.code).toBe('ISSUE_NOT_FOUND')
    expect((await api('GET', `${ALL}/7`)).body.error?.code).toBe('ISSUE_NOT_FOUND')
    expect((await api('GET', `${ALL}/${encodeURIComponent('../../x')}`)).status).toBe(404)
    expect((await api('PATCH', `${ALL}/${encodeURIComponent('../../x')}`, { state: 'closed' })).status).toBe(404)
    expect((await api('POST', ALL, { title: '', description: '' })).status).toBe(400)
    expect((await api('POST', ALL, { title: '  ', description: '' })).body.error?.code).toBe('USAGE')
    expect((await api('GET', `${ALL}?state=odd`)).status).toBe(400)
  })

  it('are asked for anew when a command has written one', async () => {
    served = await serveProject({ yaml: ['tracker: local'] })
    expect(await titles()).toEqual([])
    const { createLocalIssues } = await import('../../src/forge/issues/issue-store.ts')
    const { context } = served
    const issues = createLocalIssues({ projectDir: context.paths.project('app').dir, clock: context.clock })
    await issues.create({ title: 'By hand', body: '', labels: [], author: 'sam' })
    await waitFor('the new issue', async () => (await titles()).includes('By hand'))
  })
})

describe('issues elsewhere', () => {
  let forge: Forge

  beforeAll(async () => {
    forge = await startForge('github-server.mjs')
  }, 60_000)
  afterAll(() => forge?.stop())

  it('are those of GitHub, asked for once by many pages', async () => {
    const { repo } = await newRepository(forge)
    served = await serveProject({
      yaml: [`repo: ${repo}`, `tracker: { plugin: github, apiUrl: "${forge.url}" }`],
      env: { GITHUB_TOKEN: 'token-acme' },
    })
    await forge.api('POST', `/repos/${repo}/issues`, { title: 'From there', body: 'Text' })
    await forge.clear()
    const answers = await Promise.all([...Array(5)].map(() => served.api<IssuesAnswer>('GET', ALL)))
    expect(answers[4]!.body.issues).toMatchObject([{ title: 'From there', url: expect.stringMatching(/^http/) }])
    expect((await forge.requests()).length).toBeLessThanOrEqual(2)
    const closed = await served.api<{ issue: IssueRow }>('PATCH', `${ALL}/1`, { state: 'closed' })
    expect(closed.body.issue.state).toBe('closed')
    expect(await titles()).toEqual([])
    await served.api('PATCH', `${ALL}/1`, { comment: 'Go on.' })
    expect((await served.api('GET', `${ALL}/1`)).body.comments).toBeNull()
  })
})
