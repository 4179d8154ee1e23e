// The Jira tracker against a server that answers, and refuses, as Jira Cloud does.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fromDocument, toDocument } from '../../src/plugins/tracker-jira/document-text.ts'
import { plugin } from '../../src/plugins/tracker-jira/index.ts'
import { siteAddress } from '../../src/plugins/tracker-jira/jira-client.ts'
import { pluginContext, sampleProject } from '../forges/sample-project.ts'
import { type Forge, startForge } from '../forges/start-forge.ts'
import { describeTracker, type TrackerWorld } from './tracker-suite.ts'

let forge: Forge
let projects = 0
const project = sampleProject({})
const KEY = { JIRA_EMAIL: 'acme@example.invalid', JIRA_API_TOKEN: 'jira-secret' }

beforeAll(async () => {
  forge = await startForge('jira-server.mjs')
}, 60_000)
beforeEach(() => forge.clear())
afterAll(() => forge?.stop())

const make = (options: Record<string, unknown> = {}, env: NodeJS.ProcessEnv = KEY) =>
  plugin.create({ site: forge.url, timeoutSeconds: 10, ...options }, pluginContext(env))

async function newProject(workflow?: string[]): Promise<string> {
  projects += 1
  const key = `P${projects}X`
  await forge.control({ op: 'project', key, ...(workflow ? { workflow } : {}) })
  return key
}
const seed = (key: string, issue: Record<string, unknown> = {}) =>
  forge.control({ op: 'issue', key, ...issue }) as Promise<string>

async function world(): Promise<TrackerWorld> {
  const key = await newProject()
  return {
    tracker: make({ project: key }),
    project,
    seed: ({ title, body, labels, assignee, closed }) =>
      seed(key, { title, description: toDocument(body), labels, assignee, ...(closed ? { status: 'Done' } : {}) }),
    block: (other, key) => forge.control({ op: 'link', key: key, type: 'Blocks', way: 'inwardIssue', other }),
    async blockFromElsewhere(blocked) {
      const other = await seed(await newProject())
      await forge.control({ op: 'link', key: blocked, type: 'Blocks', way: 'inwardIssue', other })
      return other
    },
    spellings: (id) => [id.toLowerCase(), `${forge.url}/browse/${id}`, `${forge.url}/browse/${id}?focusedId=1`],
    twoWords: 'good-first',
    missing: `${key}-4711`,
    breakDown: () => forge.faults({ match: '/rest/', status: 503, times: 1000 }),
    cleanup: () => forge.clear(),
  }
}

describeTracker('jira', world)

describe('issues in Jira', () => {
  it.each([
    ['To Do', 'open', false],
    ['In Progress', 'in_progress', false],
    ['Done', 'closed', true],
  ])('in the status %s are %s', async (status, state, completed) => {
    const id = await seed(await newProject(), { status })
    expect((await make().getIssue(id, project)).state).toBe(state)
    expect(await make().isCompleted(id, project)).toBe(completed)
  })

  it('are moved by a transition of their own workflow, or not at all with a reason', async () => {
    const id = await seed(await newProject(['To Do', 'Done']))
    await make().updateIssue!(id, { state: 'closed' }, project)
    expect(await make().isCompleted(id, project)).toBe(true)
    await expect(make().updateIssue!(id, { state: 'in_progress' }, project)).rejects.toMatchObject({
      code: 'TRACKER_FAILED',
      message: expect.stringContaining('leads from Done to no state that means in_progress'),
      hint: expect.stringContaining('Move to To Do'),
    })
  })

  it('are found by assignee, and text cannot change what is asked for', async () => {
    const key = await newProject()
    const id = await seed(key, { assignee: 'maria' })
    await seed(key, { labels: ['x" OR project = "OTHER'] })
    const ids = async (filter: object) =>
      (await make({ project: key }).listIssues!(filter, project)).map((one) => one.id)
    expect(await ids({ assignee: 'Maria@example.invalid' })).toEqual([id])
    expect(await ids({ labels: ['x" OR project = "OTHER'] })).toEqual([`${key}-2`])
    await expect(ids({ assignee: 'nobody' })).rejects.toThrow('Jira knows no user nobody')
  })

  it('take no label with spaces, and no project that is not named', async () => {
    const issue = { title: 'x', description: '', labels: ['good first'] }
    await expect(make({ project: await newProject() }).createIssue!(issue, project)).rejects.toMatchObject({
      hint: 'Write it as: good-first',
    })
    await expect(make().createIssue!({ title: 'x', description: '' }, project)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    })
    const odd = make({ project: await newProject(), issueType: 'Saga' })
    await expect(odd.createIssue!({ title: 'x', description: '' }, project)).rejects.toThrow(
      'issue type selected is invalid',
    )
  })

  it('of a customer or an app have no member for an author', async () => {
    const reporter = { accountId: 'c', displayName: 'somebody', accountType: 'customer' }
    const id = await seed(await newProject(), { reporter })
    expect(await make().getIssue(id, project)).toMatchObject({ author: 'somebody', authorIsMember: false })
  })
})

describe('the token of Jira', () => {
  const requestsMade = async (site: string, env: NodeJS.ProcessEnv) => {
    const error = await make({ site, timeoutSeconds: 0.2 }, env)
      .getIssue('ENG-1', project)
      .catch((thrown: Error) => thrown)
    return (error as { message: string }).message
  }

  it('goes to no site but its own', async () => {
    for (const site of [
      'https://jira.evil.example',
      'https://acme.atlassian.net.evil.example',
      'http://acme.atlassian.net',
    ])
      expect(await requestsMade(site, KEY)).toContain(`JIRA_API_TOKEN is not sent to ${site}`)
    const named = { ...KEY, JIRA_SITE: 'https://acme.atlassian.net' }
    expect(await requestsMade('https://other.atlassian.net', named)).toContain(
      'is not sent to https://other.atlassian.net',
    )
    expect(await forge.requests()).toEqual([])
  })

  it('is sent to the site that the environment names, and what is missing is named', async () => {
    const tracker = plugin.create({}, pluginContext({ ...KEY, JIRA_SITE: `${forge.url}/` }))
    expect(await tracker.checkAccess!(project)).toMatchObject({ ok: true, detail: expect.stringContaining('acme') })
    const wrong = plugin.create({}, pluginContext({ ...KEY, JIRA_SITE: forge.url, JIRA_API_TOKEN: 'no' }))
    expect(await wrong.checkAccess!(project)).toMatchObject({ ok: false, fix: 'Check JIRA_EMAIL and JIRA_API_TOKEN' })
    expect(await requestsMade(forge.url, { JIRA_API_TOKEN: 'x' })).toBe('There is no token for Jira')
    const lost = plugin.create({}, pluginContext(KEY))
    expect(await lost.checkAccess!(project)).toMatchObject({ ok: false, detail: 'Nothing says where your Jira is' })
  })
})

it.each([
  ['acme.atlassian.net', 'https://acme.atlassian.net'],
  [' acme.atlassian.net/ ', 'https://acme.atlassian.net'],
  ['https://acme.atlassian.net/', 'https://acme.atlassian.net'],
  ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ['', ''],
  [undefined, ''],
])('JIRA_SITE or the option site %j is the site %j', (written, site) => {
  expect(siteAddress(written)).toBe(site)
})

it.each(['acme.atlassian.net', 'https://acme.atlassian.net', 'jira.corp.example:8443'])('takes the site %s', (site) => {
  expect(plugin.options!.safeParse({ site })).toMatchObject({ success: true })
})

it.each(['', 'not a host', 'https://user@acme.atlassian.net', '//acme.atlassian.net', '-x'])(
  'refuses the site %j',
  (site) => {
    expect(plugin.options!.safeParse({ site })).toMatchObject({ success: false })
  },
)

describe("Atlassian's documents", () => {
  it.each([
    'One line',
    'Two\nlines\n\nand a paragraph',
    'Before\n\n```ts\nconst a = 1\n\nconst b = 2\n```\n\nafter',
    '```\nonly code\n```',
    '',
  ])('give back what was written: %j', (text) => {
    expect(fromDocument(JSON.parse(JSON.stringify(toDocument(text))))).toBe(text)
  })

  it('are read as text, whatever is in them', () => {
    const text = (wording: string) => ({ type: 'text', text: wording })
    const paragraph = (...content: object[]) => ({ type: 'paragraph', content })
    const item = (...content: object[]) => ({ type: 'listItem', content })
    const content = [
      { type: 'heading', attrs: { level: 2 }, content: [text('Steps')] },
      { type: 'orderedList', content: [item(paragraph(text('Open'))), item(paragraph(text('Close')))] },
      { type: 'taskList', content: [{ type: 'taskItem', attrs: { state: 'DONE' }, content: [text('Try')] }] },
      { type: 'blockquote', content: [paragraph(text('said'))] },
      { type: 'mediaSingle', content: [{ type: 'media', attrs: { id: 'x' } }] },
      { type: 'panel', content: [paragraph({ type: 'mention', attrs: { text: '@maria' } }, text(' knows'))] },
      {
        type: 'table',
        content: [
          {
            type: 'tableRow',
            content: [
              { type: 'tableCell', content: [paragraph(text('a'))] },
              { type: 'tableCell', content: [paragraph(text('b'))] },
            ],
          },
        ],
      },
    ]
    expect(fromDocument({ type: 'doc', content })).toBe(
      '## Steps\n\n1. Open\n2. Close\n\n- [x] Try\n\n> said\n\n@maria knows\n\n| a | b |',
    )
    let deep: object = paragraph(text('deep'))
    for (let level = 0; level < 10_000; level++) deep = { type: 'blockquote', content: [deep] }
    for (const odd of [
      null,
      undefined,
      7,
      [],
      { type: 'doc', content: [null, 3, {}] },
      { type: 'doc', content: [deep] },
    ])
      expect(fromDocument(odd)).toBe('')
  })
})
