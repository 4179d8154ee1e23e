// A repository on the GitHub of the tests for each test, with real commits behind it.
import type { ProjectConfig } from '../../src/contract/config.ts'
import { plugin as scmPlugin } from '../../src/plugins/scm-github/index.ts'
import { plugin as trackerPlugin } from '../../src/plugins/tracker-github/index.ts'
import type { TrackerWorld } from '../contract/tracker-suite.ts'
import { createTempHome } from '../support/temp-home.ts'
import { createGitRemote, type HostedWorld } from './git-remote.ts'
import { pluginContext, sampleProject } from './sample-project.ts'
import type { Forge } from './start-forge.ts'

let repositories = 0

export async function newRepository(forge: Forge): Promise<ProjectConfig> {
  repositories += 1
  const name = `app-${repositories}`
  await forge.api('POST', '/user/repos', { name, auto_init: true })
  await forge.api('PUT', `/repos/acme/${name}/collaborators/maria`, { permission: 'push' })
  return sampleProject({ repo: `acme/${name}` })
}

export async function githubTrackerWorld(forge: Forge): Promise<TrackerWorld> {
  const project = await newRepository(forge)
  const path = `/repos/${project.repo}/issues`
  const context = pluginContext({ GITHUB_TOKEN: 'token-acme' })
  return {
    tracker: trackerPlugin.create({ apiUrl: forge.url }, context),
    project,
    async seed({ title, body, labels, assignee, closed }) {
      const issue = { title, body, labels, ...(assignee ? { assignees: [assignee] } : {}) }
      const { number } = await forge.api<{ number: number }>('POST', path, issue)
      if (closed) await forge.api('PATCH', `${path}/${number}`, { state: 'closed' })
      return String(number)
    },
    block: (blocker, blocked) =>
      forge.api('POST', `${path}/${blocked}/dependencies/blocked_by`, { number: Number(blocker) }),
    async blockFromElsewhere(blocked) {
      const elsewhere = { number: 7, html_url: `${forge.url}/acme/other/issues/7` }
      await forge.api('POST', `${path}/${blocked}/dependencies/blocked_by`, elsewhere)
      return 'acme/other#7'
    },
    async comment(issue, { body, editedTo }) {
      const { id } = await forge.api<{ id: number }>('POST', `${path}/${issue}/comments`, { body }, 'token-maria')
      if (editedTo !== undefined) await forge.api('PATCH', `${path}/comments/${id}`, { body: editedTo })
    },
    commentByStranger: (issue, body) => forge.api('POST', `${path}/${issue}/comments`, { body }, 'token-outsider'),
    commentElsewhere: (text) => {
      const at = new Date().toISOString()
      const body = [`${forge.url}/${project.repo}/pull/1`, `${forge.url}/mallory/app/issues/1`].map((page, id) => {
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
    spellings: (id) => [`#${id}`, `${forge.url}/${project.repo}/issues/${id}`, `${project.repo}#${id}`],
    missing: '4711',
    breakDown: () => forge.faults({ match: `GET /repos/${project.repo}`, status: 503, times: 1000 }),
    cleanup: () => forge.clear(),
  }
}

export async function githubScmWorld(forge: Forge): Promise<HostedWorld> {
  const temp = createTempHome()
  const remote = createGitRemote(temp.home, temp.env)
  const project = await newRepository(forge)
  const repo = project.repo!
  await forge.control({ op: 'bare', repo, path: remote.bare })
  const env = { ...temp.env, GITHUB_TOKEN: 'token-acme' }
  return {
    scm: scmPlugin.create({ apiUrl: forge.url }, pluginContext(env)),
    project,
    remote,
    env,
    label: async (number, labels) => void (await forge.control({ op: 'pull', repo, number, labels })),
    push: async (branch, file, content, from) => remote.push(branch, file, content, from),
    pushToBase: async (file, content) => remote.push('main', file, content),
    readBase: async (file) => remote.readBase(file),
    baseHead: async () => remote.tip('main'),
    checkout: remote.checkout,
    async openPR({ branch, title, draft }) {
      const wanted = { title, head: branch, base: 'main', draft: draft ?? false }
      const { number, html_url } = await forge.api<{ number: number; html_url: string }>(
        'POST',
        `/repos/${repo}/pulls`,
        wanted,
      )
      return { number, url: html_url, branch, baseBranch: 'main', title }
    },
    async check(branch, name, result, log) {
      const done = result === 'running' ? {} : { conclusion: result === 'passed' ? 'success' : 'failure' }
      const status = result === 'running' ? 'in_progress' : 'completed'
      const run = { name, head_sha: remote.tip(branch), status, ...done }
      const { id } = await forge.api<{ id: number }>('POST', `/repos/${repo}/check-runs`, run)
      if (log !== undefined) await forge.control({ op: 'log', job: id, text: log })
    },
    async review(number, { state, body, comments, byStranger }) {
      const event = { approved: 'APPROVE', changes_requested: 'REQUEST_CHANGES', commented: 'COMMENT' }[state]
      const given = {
        event,
        body: body ?? '',
        comments: (comments ?? []).map(({ line, ...comment }) => ({ ...comment, position: line })),
      }
      const token = byStranger ? 'token-outsider' : 'token-maria'
      await forge.api('POST', `/repos/${repo}/pulls/${number}/reviews`, given, token)
    },
    async close(number) {
      await forge.api('PATCH', `/repos/${repo}/pulls/${number}`, { state: 'closed' })
    },
    retarget: async (number, base) => void (await forge.api('PATCH', `/repos/${repo}/pulls/${number}`, { base })),
    breakDown: () =>
      forge.faults(
        { match: '/graphql', status: 502, times: 1000 },
        { match: `/repos/${repo}`, status: 502, times: 1000 },
      ),
    async cleanup() {
      await forge.clear()
      const strays = await temp.cleanup()
      if (strays.length > 0) throw new Error(`left running: ${strays.join(', ')}`)
    },
  }
}
