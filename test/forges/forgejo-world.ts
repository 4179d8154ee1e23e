// A repository on the Forgejo of the tests for each test, with real commits behind it.
import type { ProjectConfig } from '../../src/contract/config.ts'
import { plugin as scmPlugin } from '../../src/plugins/scm-forgejo/index.ts'
import { plugin as trackerPlugin } from '../../src/plugins/tracker-forgejo/index.ts'
import type { TrackerWorld } from '../contract/tracker-suite.ts'
import { createTempHome } from '../support/temp-home.ts'
import { createGitRemote, type HostedWorld } from './git-remote.ts'
import { pluginContext, sampleProject } from './sample-project.ts'
import type { Forge } from './start-forge.ts'

let repositories = 0

export async function newRepository(
  forge: Forge,
  bare?: string,
): Promise<ProjectConfig & { repo: string; api: string }> {
  repositories += 1
  const repo = `acme/app-${repositories}`
  await forge.control({ op: 'repository', name: repo, bare })
  return { ...sampleProject({}), repo, api: `/api/v1/repos/${repo}` }
}

export const forgejoOptions = (forge: Forge) => ({ apiUrl: `${forge.url}/api/v1` })

export async function forgejoTrackerWorld(forge: Forge): Promise<TrackerWorld> {
  const project = await newRepository(forge)
  const cached = new Map<string, number>()
  const labelId = async (name: string) => {
    if (!cached.has(name)) {
      cached.set(name, (await forge.api<{ id: number }>('POST', `${project.api}/labels`, { name })).id)
    }
    return cached.get(name)!
  }
  return {
    tracker: trackerPlugin.create(forgejoOptions(forge), pluginContext({ FORGEJO_TOKEN: 'token-acme' })),
    project,
    block: (blocker, blocked) =>
      forge.api('POST', `${project.api}/issues/${blocked}/dependencies`, { index: Number(blocker) }),
    async blockFromElsewhere(blocked) {
      const other = await newRepository(forge)
      const { number } = await forge.api<{ number: number }>('POST', `${other.api}/issues`, { title: 'elsewhere' })
      const [owner, repo] = other.repo.split('/')
      await forge.api('POST', `${project.api}/issues/${blocked}/dependencies`, { index: number, owner, repo })
      return `${other.repo}#${number}`
    },
    async comment(issue, { body, editedTo }) {
      const path = `${project.api}/issues/${issue}/comments`
      const { id } = await forge.api<{ id: number }>('POST', path, { body }, 'token-maria')
      if (editedTo !== undefined)
        await forge.api('PATCH', `${project.api}/issues/comments/${id}`, { body: editedTo }, 'token-maria')
    },
    commentByStranger: (issue, body) =>
      forge.api('POST', `${project.api}/issues/${issue}/comments`, { body }, 'token-outsider'),
    commentElsewhere: (text) => {
      const at = new Date().toISOString()
      const body = [`${forge.url}/${project.repo}/pulls/1`, `${forge.url}/mallory/app/issues/1`].map((page, id) => {
        return {
          id,
          html_url: `${page}#issuecomment-${id}`,
          body: text,
          user: { login: 'maria' },
          created_at: at,
          updated_at: at,
        }
      })
      return forge.faults({ match: 'GET .*/issues/comments$', status: 200, body })
    },
    async seed({ title, body, labels, closed }) {
      const numbers: number[] = []
      for (const name of labels ?? []) numbers.push(await labelId(name))
      const issue = { title, body, labels: numbers }
      const { number } = await forge.api<{ number: number }>('POST', `${project.api}/issues`, issue)
      if (closed) await forge.api('PATCH', `${project.api}/issues/${number}`, { state: 'closed' })
      return String(number)
    },
    spellings: (id) => [`#${id}`, `${forge.url}/${project.repo}/issues/${id}`, `${project.repo}#${id}`],
    missing: '4711',
    breakDown: () => forge.faults({ match: '/api/v1/repos', status: 503, times: 1000 }),
    cleanup: () => forge.clear(),
  }
}

const STATES = { passed: 'success', failed: 'failure', running: 'pending' } as const
const EVENTS = { approved: 'APPROVED', changes_requested: 'REQUEST_CHANGES', commented: 'COMMENT' } as const

export async function forgejoScmWorld(forge: Forge): Promise<HostedWorld> {
  const temp = createTempHome()
  const remote = createGitRemote(temp.home, temp.env)
  const project = await newRepository(forge, remote.bare)
  return {
    scm: scmPlugin.create(forgejoOptions(forge), pluginContext({ ...temp.env, FORGEJO_TOKEN: 'token-acme' })),
    project,
    remote,
    env: temp.env,
    label: async (number, labels) =>
      void (await forge.control({ op: 'labels', repository: project.repo, number, labels })),
    push: async (branch, file, content, from) => remote.push(branch, file, content, from),
    pushToBase: async (file, content) => remote.push('main', file, content),
    readBase: async (file) => remote.readBase(file),
    baseHead: async () => remote.tip('main'),
    checkout: remote.checkout,
    async openPR({ branch, title, draft }) {
      const wanted = { title: draft ? `WIP: ${title}` : title, head: branch, base: 'main' }
      const made = await forge.api<{ number: number; html_url: string }>('POST', `${project.api}/pulls`, wanted)
      return { number: made.number, url: made.html_url, branch, baseBranch: 'main', title }
    },
    async check(branch, name, result, log) {
      const sha = remote.tip(branch)
      await forge.api('POST', `${project.api}/statuses/${sha}`, { context: name, state: STATES[result] })
      if (log !== undefined) await forge.control({ op: 'log', repository: project.repo, sha, name, log })
    },
    async review(number, { state, body, comments, byStranger }) {
      const lines = (comments ?? []).map(({ path, line, body: text }) => ({ path, new_position: line, body: text }))
      const token = byStranger ? 'token-outsider' : 'token-maria'
      const review = { event: EVENTS[state], body, comments: lines }
      await forge.api('POST', `${project.api}/pulls/${number}/reviews`, review, token)
    },
    async close(number) {
      await forge.api('PATCH', `${project.api}/pulls/${number}`, { state: 'closed' })
    },
    retarget: async (number, base) => void (await forge.api('PATCH', `${project.api}/pulls/${number}`, { base })),
    breakDown: () => forge.faults({ match: '/api/v1/repos', status: 502, times: 1000 }),
    async cleanup() {
      await forge.clear()
      const strays = await temp.cleanup()
      if (strays.length > 0) throw new Error(`left running: ${strays.join(', ')}`)
    },
  }
}
