// A HOME of its own for a measurement, with a directory for a repository; and one that the real `ao start` runs over.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPluginRegistry, createSessionManager, loadConfig } from '../dist/index.js'

export const AO = new URL('../dist/ao.js', import.meta.url).pathname

/** What a project's lines begin with for an agent that only shows its prompt. */
export const GENERIC = 'agent: generic, agentConfig: { command: [cat, "{promptFile}", "-"] }'

export function createHome(more = () => ({})) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'aob-')))
  const cwd = join(home, 'app')
  mkdirSync(cwd)
  const env = {
    HOME: home,
    PATH: process.env.PATH,
    LANG: 'C.UTF-8',
    TMUX_TMPDIR: home,
    XDG_CACHE_HOME: join(home, '.cache'),
    GIT_CONFIG_NOSYSTEM: '1',
    ...more(home),
  }
  return { home, cwd, env }
}

/** A repository whose configuration, trusted, has these projects; `remove` ends everything that runs in it. */
export function createAoPlace(projects) {
  const { home, cwd, env } = createHome((own) => ({ XDG_CONFIG_HOME: join(own, '.config'), AO_PORT: '0' }))
  const exec = (command, ...args) => execFileSync(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'ignore'] })
  const ao = (...args) => exec(process.execPath, AO, ...args).toString()
  writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = Bench\n\temail = bench@example.invalid\n')
  exec('git', 'init', '--quiet', '--initial-branch=main')
  exec('git', 'commit', '--quiet', '--allow-empty', '--message', 'first')
  const config = join(cwd, 'agent-orchestrator.yaml')
  const lines = Object.entries(projects).map(([id, options]) => `  ${id}: { path: ., ${options} }\n`)
  writeFileSync(config, `defaults: { notifiers: [] }\nprojects:\n${lines.join('')}`)
  ao('config', 'trust', '--yes')
  return {
    home,
    cwd,
    env,
    ao,
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
