// A home with one configuration, records without agents, and the real `ao start` over them.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPluginRegistry, createSessionManager, loadConfig } from '../dist/index.js'

const AO = new URL('../dist/ao.js', import.meta.url).pathname
const STATUSES = ['working', 'working', 'needs_input', 'review_pending', 'stuck', 'ci_failed', 'done', 'merged']

export function createBoardPlace() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'aob-')))
  const cwd = join(home, 'app')
  const env = {
    HOME: home,
    PATH: process.env.PATH,
    LANG: 'C.UTF-8',
    TMUX_TMPDIR: home,
    XDG_CACHE_HOME: join(home, '.cache'),
    XDG_CONFIG_HOME: join(home, '.config'),
    GIT_CONFIG_NOSYSTEM: '1',
    AO_PORT: '0',
  }
  const exec = (command, ...args) => execFileSync(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'ignore'] })
  const ao = (...args) => exec(process.execPath, AO, ...args).toString()
  mkdirSync(cwd)
  writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = Bench\n\temail = bench@example.invalid\n')
  exec('git', 'init', '--quiet', '--initial-branch=main')
  exec('git', 'commit', '--quiet', '--allow-empty', '--message', 'first')
  const config = join(cwd, 'agent-orchestrator.yaml')
  const generic = 'agent: generic, agentConfig: { command: [cat, "{promptFile}", "-"] }'
  writeFileSync(
    config,
    `defaults: { notifiers: [] }
projects:
  app: { path: ., sessionPrefix: app, runtime: tmux, ${generic} }
  real: { path: ., sessionPrefix: re, runtime: tmux, ${generic} }
`,
  )
  ao('config', 'trust', '--yes')
  const made = new Date(Date.now() - 3_600_000).toISOString()
  const hash = createHash('sha256').update(cwd).digest('hex').slice(0, 12)
  const sessions = join(home, '.agent-orchestrator', `${hash}-app`, 'sessions')
  mkdirSync(sessions, { recursive: true })
  return {
    home,
    /** As the store writes it: a new file in the place of the old one. */
    writeSession(n, { title }) {
      const id = `app-${n}`
      const pairs = {
        project: 'app',
        status: STATUSES[n % STATUSES.length],
        statusSince: made,
        branch: `feat/issue-${n}`,
        issue: String(n),
        issueTitle: title,
        agent: 'generic',
        createdAt: made,
        lastActivityAt: made,
        summary: `Session ${n} does what issue ${n} asks for, and says so in a sentence of usual length.`,
      }
      const temporary = join(sessions, `.${id}.tmp`)
      writeFileSync(
        temporary,
        Object.entries(pairs)
          .map(([key, value]) => `${key}=${value}\n`)
          .join(''),
      )
      renameSync(temporary, join(sessions, id))
    },
    start() {
      const { pid, port } = JSON.parse(ao('start', '--json'))
      const run = join(home, '.ao', 'run')
      const token = readFileSync(
        join(
          run,
          readdirSync(run).find((name) => name.endsWith('.token')),
        ),
        'utf8',
      ).trim()
      return {
        ...describeProcess(pid),
        port,
        token,
        link: () => JSON.parse(ao('dashboard', '--no-open', '--json')).link,
      }
    },
    async untilAnswered({ port, token }) {
      const response = await fetch(`http://127.0.0.1:${port}/api/sessions`, {
        headers: { authorization: `Bearer ${token}` },
      })
      await response.json()
    },
    async createManager() {
      const loaded = loadConfig({ path: config, env, home })
      const registry = createPluginRegistry({ env, home })
      await registry.loadBuiltins(loaded)
      return createSessionManager({ config: loaded, registry, env, home, aoCommand: [process.execPath, AO] })
    },
    remove() {
      for (const end of [() => ao('stop', '--sessions'), () => exec('tmux', '-L', 'ao', 'kill-server')]) {
        try {
          end()
        } catch {
          // It never started, or is gone already.
        }
      }
      rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    },
  }
}

/** Linux only: what the kernel counts of it. */
function describeProcess(pid) {
  const ticks = () => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
    return Number(fields[11]) + Number(fields[12])
  }
  return {
    pid,
    memory: () => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1024,
    /** Of one core, without the programs it runs. */
    async cpuShare(ms) {
      const before = ticks()
      await new Promise((resolve) => setTimeout(resolve, ms))
      return ((ticks() - before) * 10) / ms
    },
  }
}
