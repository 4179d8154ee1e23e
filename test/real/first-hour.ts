// The first hour of a newcomer, from the packed tarball: an ordinary user with a fresh HOME, on four versions of Node and four
// forges, from the installation to a merged pull request. Prints a table with times. Run it with: npm run test:first-hour
// Needs npm for the versions of Node, and gh for GitHub. As root it runs everything as the user `nobody`.
import { execFileSync, type SpawnSyncReturns, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { newRepository } from '../forges/forgejo-world.ts'
import { newRepository as newGithubRepository } from '../forges/github-world.ts'
import { newProject } from '../forges/gitlab-world.ts'
import { type Forge, startForge } from '../forges/start-forge.ts'
import { type InstalledPackage, installPackage } from '../support/installed-package.ts'

const ORDINARY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
const LONGEST_MS = 120_000
const packed = installPackage()
const place = realpathSync(mkdtempSync(join(tmpdir(), 'ao-first-hour-')))
chmodSync(place, 0o755)
// The fake forges merge in repositories of the ordinary user.
Object.assign(process.env, { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' })

interface Row {
  node: string
  forge: string
  result: string
  seconds: Record<string, number>
}
const rows: Row[] = []

class Newcomer {
  readonly home: string
  readonly env: NodeJS.ProcessEnv
  readonly seconds: Record<string, number> = {}
  readonly node: string
  constructor(node: string, more: NodeJS.ProcessEnv = {}) {
    this.node = node
    this.home = mkdtempSync(join(place, 'home-'))
    this.env = {
      HOME: this.home,
      PATH: `${join(node, '..')}:${join(this.home, 'app/node_modules/.bin')}:/usr/local/bin:/usr/bin:/bin`,
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      SHELL: '/bin/sh',
      TMUX_TMPDIR: this.home,
      AO_PORT: '0',
      DEMO_AGENT_SPEED: '50',
      npm_config_cache: join(this.home, '.npm'),
      ...more,
    }
    this.own(this.home)
  }
  get program(): string {
    return join(this.home, 'app/node_modules/ao-fleet/dist/ao.js')
  }
  own(path: string): void {
    if ('uid' in ORDINARY) execFileSync('chown', ['-R', `${ORDINARY.uid}:${ORDINARY.gid}`, path])
  }
  run(command: string, args: string[], cwd = join(this.home, 'app')): SpawnSyncReturns<string> {
    return spawnSync(command, args, { cwd, env: this.env, encoding: 'utf8', timeout: LONGEST_MS, ...ORDINARY })
  }
  ok(command: string, args: string[], cwd?: string): string {
    const done = this.run(command, args, cwd)
    if (done.status === 0) return done.stdout
    throw new Error(`${command} ${args.join(' ')}: ${done.stderr || done.stdout || done.error?.message}`.slice(0, 500))
  }
  ao(...args: string[]): string {
    return this.ok(this.node, [this.program, ...args], join(this.home, 'repo'))
  }
  async timed<T>(what: string, work: () => T | Promise<T>): Promise<T> {
    const started = performance.now()
    const result = await work()
    this.seconds[what] = Math.round((performance.now() - started) / 100) / 10
    return result
  }
  install(tarball: string): Promise<string> {
    mkdirSync(join(this.home, 'app'), { recursive: true })
    // What the package depends on comes packed from the checkout: a machine without a network or a compiler installs it too.
    cpSync(join(packed.directory, 'package.json'), join(this.home, 'app/package.json'))
    this.own(this.home)
    return this.timed('install', () => this.ok('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball]))
  }
  /** `address`: what the remote is called, where that is not its directory. */
  repository(remote?: string, address = remote): string {
    const repo = join(this.home, 'repo')
    mkdirSync(repo)
    this.own(repo)
    this.ok('git', ['config', '--global', 'user.name', 'New Comer'], repo)
    this.ok('git', ['config', '--global', 'user.email', 'new@example.invalid'], repo)
    this.ok('git', ['init', '--quiet', '--initial-branch', 'main'], repo)
    this.ok('git', ['commit', '--quiet', '--allow-empty', '--message', 'First'], repo)
    if (remote) {
      this.ok('git', ['clone', '--quiet', '--bare', repo, remote], repo)
      this.ok('git', ['remote', 'add', 'origin', address!], repo)
      this.ok('git', ['fetch', '--quiet', 'origin'], repo)
    }
    return repo
  }
  leave(): void {
    this.run(this.node, [this.program, 'stop', '--sessions'], join(this.home, 'repo'))
    this.run('tmux', ['-L', 'ao', 'kill-server'], this.home)
  }
  async until(what: string, holds: () => unknown): Promise<void> {
    const deadline = performance.now() + LONGEST_MS
    while (!(await holds())) {
      if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`)
      await pause(200)
    }
  }
}

const TASK = '```demo\nwrite hello.txt hello\ncommit Add a greeting\npush\npr Add a greeting\n```'

async function localForge(node: string, tarball: string): Promise<Newcomer> {
  const user = new Newcomer(node)
  await user.install(tarball)
  user.repository()
  await user.timed('init', () => user.ao('init', '--agent', 'demo'))
  await user.timed('start', () => user.ao('start'))
  try {
    const { issue } = JSON.parse(user.ao('issue', 'new', 'Say hello', '--body', TASK, '--json')) as {
      issue: { id: string }
    }
    await user.timed('spawn', () => user.ao('spawn', issue.id))
    const pulls = () =>
      JSON.parse(user.ao('pr', 'ls', '--all', '--json')) as { pullRequests: Array<{ number: number }> }
    await user.timed('to pull request', () => user.until('a pull request', () => pulls().pullRequests.length > 0))
    const number = String(pulls().pullRequests[0]!.number)
    await user.timed('to merge', () => {
      user.ao('pr', 'review', number, '--approve')
      user.ao('pr', 'merge', number)
    })
    if (!user.ok('git', ['show', 'main:hello.txt'], join(user.home, 'repo')).includes('hello'))
      throw new Error('main lacks the work')
  } finally {
    user.leave()
  }
  return user
}

interface OnServer {
  plugin: string
  server: string
  args?: string[]
  token: NodeJS.ProcessEnv
  create(forge: Forge, bare: string): Promise<{ repo: string; api: string }>
  /** What the remote is called; null: by its directory. */
  remote?(repo: string): string
  /** What the user's own tools need. */
  prepare?(user: Newcomer, bare: string): void
  /** The agent opens the pull request itself. */
  agentOpens?: true
  options(forge: Forge): string
  approve(forge: Forge, api: string, repo: string, head: string): Promise<void>
}

const GH_SOCKET = join(place, 'gh.sock')

const SERVERS: OnServer[] = [
  {
    plugin: 'github',
    server: './github-server.mjs',
    args: ['--gh-socket', GH_SOCKET],
    token: { GH_TOKEN: 'token-acme', GH_PROMPT_DISABLED: '1', GH_NO_UPDATE_NOTIFIER: '1' },
    async create(forge, bare) {
      const { repo } = await newGithubRepository(forge)
      await forge.control({ op: 'bare', repo, path: bare })
      return { repo: repo!, api: `/repos/${repo}` }
    },
    remote: (repo) => `git@github.com:${repo}.git`,
    prepare: reachGithub,
    agentOpens: true,
    options: (forge) => `apiUrl: ${forge.url}`,
    async approve(forge, api, _repo, head) {
      const run = { name: 'unit', head_sha: head, status: 'completed', conclusion: 'success' }
      await forge.api('POST', `${api}/check-runs`, run)
      const [pull] = await forge.api<Array<{ number: number }>>('GET', `${api}/pulls`)
      const review = { event: 'APPROVE', body: '', comments: [] }
      await forge.api('POST', `${api}/pulls/${pull!.number}/reviews`, review, 'token-maria')
    },
  },
  {
    plugin: 'gitlab',
    server: './gitlab-server.mjs',
    token: { GITLAB_TOKEN: 'token-acme' },
    create: (forge, bare) => newProject(forge, bare),
    options: (forge) => `apiUrl: ${forge.url}/api/v4`,
    async approve(forge, api, repo, head) {
      const [request] = await forge.api<Array<{ iid: number; source_branch: string }>>(
        'GET',
        `${api}/merge_requests?state=all`,
      )
      await forge.control({ op: 'job', project: repo, ref: request!.source_branch, name: 'unit', status: 'success' })
      await forge.api('POST', `${api}/merge_requests/${request!.iid}/approve`, { sha: head }, 'token-maria')
    },
  },
  {
    plugin: 'forgejo',
    server: './forgejo-server.mjs',
    token: { FORGEJO_TOKEN: 'token-acme' },
    create: (forge, bare) => newRepository(forge, bare),
    options: (forge) => `apiUrl: ${forge.url}/api/v1`,
    async approve(forge, api, _repo, head) {
      await forge.api('POST', `${api}/statuses/${head}`, { context: 'unit', state: 'success' })
      await forge.api('POST', `${api}/pulls/1/reviews`, { event: 'APPROVED', body: '' }, 'token-maria')
    },
  },
]

/** The real gh reaches the emulator by a socket, and git's ssh to github.com ends in the directory of the remote. */
function reachGithub(user: Newcomer, bare: string): void {
  user.ok('gh', ['config', 'set', 'http_unix_socket', GH_SOCKET], user.home)
  const ssh = join(user.home, 'ssh')
  writeFileSync(ssh, `#!/bin/sh\nfor last; do :; done\nname=\${last%% *}\nexec git "\${name#git-}" '${bare}'\n`)
  chmodSync(ssh, 0o755)
  user.ok('git', ['config', '--global', 'core.sshCommand', ssh], user.home)
}

async function onServer(node: string, tarball: string, one: OnServer): Promise<Newcomer> {
  const forge = await startForge(one.server, { args: one.args ?? [] })
  const user = new Newcomer(node, one.token)
  try {
    await user.install(tarball)
    const bare = join(user.home, 'app.git')
    const { repo: name, api } = await one.create(forge, bare)
    one.prepare?.(user, bare)
    const repo = user.repository(bare, one.remote?.(name))
    await user.timed('init', () => user.ao('init', '--agent', 'demo'))
    const choice = (slot: string) => `    ${slot}: { plugin: ${one.plugin}, ${one.options(forge)} }`
    const yaml = [
      'lifecycle: { pollSeconds: 1 }',
      'defaults: { agent: demo }',
      'reactions: { approved-and-green: { auto: true, action: auto-merge } }',
      'projects:',
      '  repo:',
      '    path: .',
      `    repo: ${name}`,
      '    defaultBranch: main',
      choice('tracker'),
      choice('scm'),
    ]
    writeFileSync(join(repo, 'agent-orchestrator.yaml'), `${yaml.join('\n')}\n`)
    user.ao('config', 'trust', '--yes')
    await user.timed('start', () => user.ao('start'))
    const task = one.agentOpens ? TASK : TASK.replace('pr Add a greeting\n', '')
    await user.timed('spawn', () => user.ao('spawn', '--prompt', task))
    const session = () =>
      (
        JSON.parse(user.ao('session', 'ls', '--all', '--json')) as {
          sessions: Array<{ status: string; pr?: unknown; branch: string }>
        }
      ).sessions[0]
    await user.timed('to pull request', () =>
      user.until('the request', () => session()?.status === 'pr_open' || session()?.status === 'review_pending'),
    )
    const head = execFileSync('git', ['rev-parse', `refs/heads/${session()!.branch}`], {
      cwd: bare,
      encoding: 'utf8',
    }).trim()
    await user.timed('to merge', async () => {
      await one.approve(forge, api, name, head)
      await user.until(
        'the merge',
        () =>
          session()?.status === 'merged' || spawnSync('git', ['show', 'main:hello.txt'], { cwd: bare }).status === 0,
      )
    })
  } catch (error) {
    const printed = ['why', 'session transcript'].map((text) => {
      const { stdout, stderr } = user.run(
        user.node,
        [user.program, ...text.split(' '), 'repo-1'],
        join(user.home, 'repo'),
      )
      return `${stdout}${stderr}`
    })
    throw new Error([(error as Error).message, ...printed].join('; ').replaceAll(/\s+/g, ' '))
  } finally {
    user.leave()
    await forge.stop()
  }
  return user
}

/** An old Node is refused by one sentence that says what to do, by both commands. */
async function refusal(node: string, tarball: string): Promise<Newcomer> {
  const user = new Newcomer(node)
  // With the npm of this machine: what matters is the Node that runs ao.
  mkdirSync(join(user.home, 'app/node_modules'), { recursive: true })
  execFileSync('tar', ['-xzf', tarball, '-C', join(user.home, 'app/node_modules')])
  cpSync(join(user.home, 'app/node_modules/package'), join(user.home, 'app/node_modules/ao-fleet'), { recursive: true })
  user.own(user.home)
  for (const program of ['ao', 'agh']) {
    const done = await user.timed(program, () =>
      user.run(node, [join(user.home, `app/node_modules/ao-fleet/dist/${program}.js`), 'status'], user.home),
    )
    const lines = done.stderr.trim().split('\n')
    if (done.status === 0 || lines.length > 2 || !/Node/.test(done.stderr) || /\n\s+at /.test(done.stderr)) {
      throw new Error(`${program} on an old Node: exit ${done.status}, ${JSON.stringify(done.stderr.slice(0, 200))}`)
    }
  }
  return user
}

/** The tarball of the package, beside those of what it depends on. */
function tarballOf({ root }: InstalledPackage): string {
  chmodSync(root, 0o755)
  const name = readdirSync(root).find((file) => /^ao-fleet-.*\.tgz$/.test(file))
  return join(root, name!)
}

function getNode(major: string): string {
  const directory = join(place, `node-${major}`)
  execFileSync('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefix', directory, `node@${major}`], {
    stdio: 'ignore',
  })
  const node = join(directory, 'node_modules/node/bin/node')
  if (!existsSync(node)) throw new Error(`there is no ${node}`)
  return node
}

async function attempt(node: string, forge: string, work: () => Promise<Newcomer>): Promise<void> {
  try {
    const { seconds } = await work()
    rows.push({ node, forge, result: 'ok', seconds })
  } catch (error) {
    rows.push({ node, forge, result: `failed: ${(error as Error).message}`, seconds: {} })
  }
  const row = rows.at(-1)!
  const times = Object.entries(row.seconds).map(([what, seconds]) => `${what} ${seconds} s`)
  console.log(`| ${row.node} | ${row.forge} | ${row.result} | ${times.join(', ')} |`)
}

/** For a single column: a version of Node, and a forge. */
const [only, onlyForge] = process.argv.slice(2)
const tarball = tarballOf(packed)
console.log('| Node | forge | result | times |\n|---|---|---|---|')
try {
  for (const major of ['18', '20'].filter((one) => !only || one === only)) {
    await attempt(major, 'none', () => refusal(getNode(major), tarball))
  }
  for (const major of ['22', '24'].filter((one) => !only || one === only)) {
    const node = getNode(major)
    if (!onlyForge || onlyForge === 'local') await attempt(major, 'local', () => localForge(node, tarball))
    for (const one of SERVERS.filter(({ plugin }) => !onlyForge || plugin === onlyForge))
      await attempt(major, one.plugin, () => onServer(node, tarball, one))
  }
} finally {
  for (const path of [place, packed.root]) rmSync(path, { recursive: true, force: true, maxRetries: 5 })
}
process.exit(rows.some(({ result }) => result !== 'ok') ? 1 : 0)
