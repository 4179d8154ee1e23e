// Every address that a forge plugin queries, and the token it sends along, for every kind of remote. All tokens are in the
// environment at once: one that goes to a host it is not meant for is a leak.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createPluginRegistry } from '../../src/plugins/registry.ts'
import { createRepo, git } from '../support/git-repo.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'
import { sampleProject } from './sample-project.ts'

const TOKENS = {
  GITHUB_TOKEN: 'for-github.com',
  GH_ENTERPRISE_TOKEN: 'for-GH_HOST',
  GITLAB_TOKEN: 'for-gitlab',
  FORGEJO_TOKEN: 'for-forgejo',
}
const NOBODY: string[] = []

const requests = vi.hoisted((): string[] => [])
// The one way out, whatever proxy this machine has.
vi.mock('../../src/plugins/http-api/outgoing-fetch.ts', () => ({
  outgoingFetch: async (url: string, init: RequestInit) => {
    const authorization = new Headers(init.headers).get('authorization') ?? '-'
    requests.push(`${new URL(url).origin} ${authorization.replace(/^(?:Bearer|token) /, '')}`)
    return new Response('{"message":"Not Found"}', { status: 404 })
  },
}))

let temp: TempHome
beforeEach(() => {
  temp = createTempHome()
  requests.length = 0
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

/** gh and glab keep no token here; ssh knows one alias and would leave a trace if it ran more than its configuration. */
function writePrograms(): string {
  const bin = join(temp.home, 'bin')
  mkdirSync(bin)
  const programs = {
    gh: 'exit 1',
    glab: 'exit 1',
    ssh: `echo "$*" >> "$HOME/ssh-asked"; [ "$1" = -G ] || exit 9
case "$3" in github-work) echo "hostname github.com" ;; *) echo "hostname $3" ;; esac`,
  }
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  return bin
}

async function ask(plugin: string, url: string, more: Record<string, string>): Promise<string[]> {
  const path = createRepo(join(temp.home, 'app'), temp.env)
  if (url !== '') git(path, temp.env, 'remote', 'add', 'origin', url)
  const env = { ...temp.env, PATH: `${writePrograms()}:${temp.env.PATH}`, ...TOKENS, ...more }
  const registry = createPluginRegistry({ env, home: temp.home })
  const project = sampleProject({ path, repo: 'acme/app' })
  const scm = await registry.load('scm', plugin)
  const tracker = await registry.load('tracker', plugin)
  const query = { sessionId: 'app-1', branch: 'feat/x', pr: null }
  await scm.readPullRequests!([query], project)
  await scm.checkAccess!(project)
  await tracker.checkAccess!(project)
  for (const call of [
    () => scm.resolvePR!('1', project),
    () => tracker.getIssue('1', project),
    () => tracker.listIssues!({}, project),
    () => tracker.createIssue!({ title: 'x', description: '' }, project),
  ]) {
    await expect(call()).rejects.toThrow()
  }
  return [...new Set(requests)]
}

type Row = [plugin: string, url: string, env: Record<string, string>, expected: string[]]

describe('outgoing requests', () => {
  const github = ['https://api.github.com for-github.com']
  const codeberg = ['https://codeberg.org for-forgejo']
  const gitlab = ['https://gitlab.com for-gitlab']
  it.each<Row>([
    ['github', 'https://github.com/acme/app.git', {}, github],
    ['github', 'git@github.com:acme/app.git', { GH_HOST: 'git.corp.example' }, github],
    ['github', 'ssh://git@ssh.github.com:443/acme/app.git', {}, github],
    ['github', 'git@github-work:acme/app.git', {}, github],
    ['github', 'https://acme.ghe.com/acme/app.git', {}, NOBODY],
    [
      'github',
      'https://acme.ghe.com/acme/app.git',
      { GH_HOST: 'acme.ghe.com' },
      ['https://api.acme.ghe.com for-github.com'],
    ],
    ['github', 'https://github.com/acme/app.git', { GH_HOST: 'acme.ghe.com' }, NOBODY],
    ['github', 'https://github.corp.example/acme/app.git', {}, NOBODY],
    ['github', 'https://git.corp.example/acme/app.git', {}, NOBODY],
    [
      'github',
      'git@git.corp.example:acme/app.git',
      { GH_HOST: 'git.corp.example' },
      ['https://git.corp.example for-GH_HOST'],
    ],
    ['github', 'http://127.0.0.1:9/acme/app.git', {}, NOBODY],
    ['github', 'git@evil:acme/app.git', {}, NOBODY],
    ['gitlab', 'git@gitlab.com:acme/app.git', {}, gitlab],
    ['gitlab', 'ssh://git@altssh.gitlab.com:443/acme/app.git', {}, gitlab],
    ['gitlab', 'git@gitlab.com:acme/app.git', { GITLAB_HOST: 'gitlab.corp.example' }, NOBODY],
    ['gitlab', 'https://gitlab.corp.example/acme/app.git', {}, NOBODY],
    [
      'gitlab',
      'https://gitlab.corp.example/acme/app.git',
      { GITLAB_HOST: 'gitlab.corp.example' },
      ['https://gitlab.corp.example for-gitlab'],
    ],
    [
      'gitlab',
      'ssh://git@git.corp.example:2222/acme/app',
      { GITLAB_HOST: 'git.corp.example' },
      ['https://git.corp.example for-gitlab'],
    ],
    [
      'gitlab',
      'http://gitlab.corp.example/acme/app',
      { GITLAB_HOST: 'gitlab.corp.example' },
      ['https://gitlab.corp.example for-gitlab'],
    ],
    ['forgejo', 'https://codeberg.org/acme/app.git', {}, codeberg],
    ['forgejo', 'https://codeberg.org/acme/app.git', { FORGEJO_HOST: 'git.home.example' }, NOBODY],
    ['forgejo', 'https://gitea.home.example/acme/app.git', {}, NOBODY],
    [
      'forgejo',
      'https://git.home.example:3000/acme/app',
      { FORGEJO_HOST: 'git.home.example:3000' },
      ['https://git.home.example:3000 for-forgejo'],
    ],
    ['forgejo', '/srv/git/app.git', {}, codeberg],
    // Another machine, but nobody can say which repository: no server is asked.
    ['gitlab', 'ssh://git@[2001:db8::1]/acme/app.git', {}, NOBODY],
    ['forgejo', 'git@[2001:db8::1]:acme/app.git', {}, NOBODY],
    ['gitlab', 'https://gitlab.corp.example/app', {}, NOBODY],
    ['github', 'https://github.corp.example/~sam/app', {}, NOBODY],
    // Mirrors and places without a forge: the public host, and only with its own token.
    ['github', 'https://gitlab.corp.example/acme/app.git', {}, github],
    ['github', '', {}, github],
    ['gitlab', 'git@bitbucket.org:acme/app.git', {}, gitlab],
  ])('%s with the remote %j and %j ask %j', async (plugin, url, env, expected) => {
    expect(await ask(plugin, url, env)).toEqual(expected)
  })
})
