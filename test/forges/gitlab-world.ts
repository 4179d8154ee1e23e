// A project on the GitLab of the tests for each test, with real commits behind it.
import type { ProjectConfig } from '../../src/contract/config.ts'
import { plugin as scmPlugin } from '../../src/plugins/scm-gitlab/index.ts'
import { plugin as trackerPlugin } from '../../src/plugins/tracker-gitlab/index.ts'
import type { TrackerWorld } from '../contract/tracker-suite.ts'
import { createTempHome } from '../support/temp-home.ts'
import { createGitRemote, type HostedWorld } from './git-remote.ts'
import { pluginContext, sampleProject } from './sample-project.ts'
import type { Forge } from './start-forge.ts'

let projects = 0

export async function newProject(forge: Forge, bare?: string): Promise<ProjectConfig & { repo: string; api: string }> {
  projects += 1
  const repo = `acme/tools/app-${projects}`
  await forge.control({ op: 'project', path: repo, bare })
  return { ...sampleProject({}), repo, api: `/api/v4/projects/${encodeURIComponent(repo)}` }
}

export const gitlabOptions = (forge: Forge) => ({ apiUrl: `${forge.url}/api/v4` })

export async function gitlabTrackerWorld(forge: Forge): Promise<TrackerWorld> {
  const project = await newProject(forge)
  return {
    tracker: trackerPlugin.create(gitlabOptions(forge), pluginContext({ GITLAB_TOKEN: 'token-acme' })),
    project,
    async seed({ title, body, labels, closed }) {
      const issue = { title, description: body, ...(labels ? { labels: labels.join(',') } : {}) }
      const { iid } = await forge.api<{ iid: number }>('POST', `${project.api}/issues`, issue)
      if (closed) await forge.api('PUT', `${project.api}/issues/${iid}`, { state_event: 'close' })
      return String(iid)
    },
    block: (blocker, blocked) =>
      forge.api('POST', `${project.api}/issues/${blocked}/links`, {
        target_issue_iid: Number(blocker),
        link_type: 'is_blocked_by',
      }),
    async blockFromElsewhere(blocked) {
      const other = await newProject(forge)
      const { iid } = await forge.api<{ iid: number }>('POST', `${other.api}/issues`, { title: 'elsewhere' })
      await forge.api('POST', `${project.api}/issues/${blocked}/links`, {
        target_project_id: other.repo,
        target_issue_iid: iid,
        link_type: 'is_blocked_by',
      })
      return `${other.repo}#${iid}`
    },
    async comment(issue, { body, editedTo }) {
      const notes = `${project.api}/issues/${issue}/notes`
      const { id } = await forge.api<{ id: number }>('POST', notes, { body }, 'token-maria')
      if (editedTo !== undefined) await forge.api('PUT', `${notes}/${id}`, { body: editedTo })
    },
    commentByStranger: (issue, body) =>
      forge.api('POST', `${project.api}/issues/${issue}/notes`, { body }, 'token-outsider'),
    commentElsewhere: (body) => {
      const at = new Date().toISOString()
      const on = { noteable_type: 'MergeRequest', noteable_iid: 1 }
      const note = {
        id: 1,
        body,
        author: { id: 2, username: 'maria' },
        system: false,
        created_at: at,
        updated_at: at,
        ...on,
      }
      return forge.faults({ match: 'GET .*/events$', status: 200, body: [{ action_name: 'commented on', note }] })
    },
    spellings: (id) => [
      `#${id}`,
      `${forge.url}/${project.repo}/-/issues/${id}`,
      `${forge.url}/${project.repo}/-/work_items/${id}`,
      `${project.repo}#${id}`,
    ],
    missing: '4711',
    breakDown: () => forge.faults({ match: '/api/v4/projects', status: 503, times: 1000 }),
    cleanup: () => forge.clear(),
  }
}

export async function gitlabScmWorld(forge: Forge): Promise<HostedWorld> {
  const temp = createTempHome()
  const remote = createGitRemote(temp.home, temp.env)
  const project = await newProject(forge, remote.bare)
  const request = (iid: number) => `${project.api}/merge_requests/${iid}`
  return {
    scm: scmPlugin.create(gitlabOptions(forge), pluginContext({ ...temp.env, GITLAB_TOKEN: 'token-acme' })),
    project,
    remote,
    env: temp.env,
    label: async (iid, labels) =>
      void (await forge.control({ op: 'request', project: project.repo, iid, values: { labels } })),
    push: async (branch, file, content, from) => remote.push(branch, file, content, from),
    pushToBase: async (file, content) => remote.push('main', file, content),
    readBase: async (file) => remote.readBase(file),
    baseHead: async () => remote.tip('main'),
    checkout: remote.checkout,
    async openPR({ branch, title, draft }) {
      const wanted = { title: draft ? `Draft: ${title}` : title, source_branch: branch, target_branch: 'main' }
      const made = await forge.api<{ iid: number; web_url: string }>('POST', `${project.api}/merge_requests`, wanted)
      return { number: made.iid, url: made.web_url, branch, baseBranch: 'main', title }
    },
    async check(branch, name, result, log) {
      const status = { passed: 'success', failed: 'failed', running: 'running' }[result]
      await forge.control({ op: 'job', project: project.repo, ref: branch, name, status, log })
    },
    async review(iid, { state, body, comments, byStranger }) {
      const user = byStranger ? 'outsider' : 'maria'
      const say = (outcome: Record<string, unknown>) =>
        forge.api('POST', `${request(iid)}/discussions`, outcome, `token-${user}`)
      if (body && state !== 'approved') await say({ body, plain: true })
      for (const { path, line, body: text } of comments ?? []) {
        await say({ body: text, position: { new_path: path, new_line: line } })
      }
      if (state === 'approved') await forge.api('POST', `${request(iid)}/approve`, {}, `token-${user}`)
      if (state === 'changes_requested') {
        await forge.control({ op: 'reviewer', project: project.repo, iid, user, state: 'requested_changes' })
      }
    },
    async close(iid) {
      await forge.api('PUT', request(iid), { state_event: 'close' })
    },
    retarget: async (iid, base) => void (await forge.api('PUT', request(iid), { target_branch: base })),
    breakDown: () => forge.faults({ match: '/api/v4/projects', status: 502, times: 1000 }),
    async cleanup() {
      await forge.clear()
      const strays = await temp.cleanup()
      if (strays.length > 0) throw new Error(`left running: ${strays.join(', ')}`)
    },
  }
}
