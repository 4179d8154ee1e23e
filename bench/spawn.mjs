// A spawn against its two raw parts: git worktree add and tmux new-session, on a repository of 2,000 files; and against the same
// with as many syncs as a spawn needs to survive a power loss.
import { execFileSync } from 'node:child_process'
import { closeSync, fsyncSync, mkdirSync, mkdtempSync, openSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPluginRegistry, createSessionManager, loadConfig } from '../dist/index.js'
import { compare, report } from './measure.mjs'

const FILES = 2_000
const ROUNDS = 15
/** Records, intents and histories that a spawn writes: each file is synced, and its directory. */
const DURABLE_FILES = 11

export async function run() {
  console.log(`spawn (raw limit: git worktree add + tmux new-session, ${FILES} files)`)
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'aob-')))
  const env = {
    ...process.env,
    HOME: home,
    TMUX_TMPDIR: home,
    XDG_CACHE_HOME: join(home, '.cache'),
    GIT_CONFIG_NOSYSTEM: '1',
  }
  const exec = (command, ...args) => execFileSync(command, args, { cwd: join(home, 'app'), env, stdio: 'ignore' })
  try {
    createRepo(home, exec)
    const manager = await createManager(home, env)
    exec('tmux', '-L', 'raw', '-f', '/dev/null', 'new-session', '-d', '-s', 'anchor', 'sleep 3600')
    const raw = (name, beforeTmux) => {
      const path = join(home, 'raw', name)
      exec('git', 'worktree', 'add', '--quiet', '--no-track', '-b', `raw/${name}`, path, 'main')
      beforeTmux?.(path)
      exec('tmux', '-L', 'raw', 'new-session', '-d', '-s', `raw-${name}`, '-c', path, 'cat')
    }
    const medians = await compare(
      {
        raw: (round = 'warm') => raw(`${round}`),
        durable: (round = 'warm') => raw(`durable-${round}`, (path) => syncAll(exec, home, path)),
        spawn: () => manager.spawn({ projectId: 'app', prompt: 'work' }),
      },
      ROUNDS,
    )
    report('git worktree add + tmux new-session', medians.raw, medians.raw)
    report('the same with the syncs of a spawn', medians.durable, medians.raw)
    report('manager.spawn', medians.spawn, medians.raw, 1.15)
  } finally {
    for (const server of ['raw', 'ao']) {
      try {
        exec('tmux', '-L', server, 'kill-server')
      } catch {
        // It never started.
      }
    }
    rmSync(home, { recursive: true, force: true })
  }
}

function syncAll(exec, home, path) {
  exec('sync', '-f', path)
  for (let n = 0; n < DURABLE_FILES; n++) {
    writeFileSync(join(home, 'raw', `record-${n}`), 'x'.repeat(500))
    for (const name of [`record-${n}`, '.']) {
      const fd = openSync(join(home, 'raw', name), 'r')
      fsyncSync(fd)
      closeSync(fd)
    }
  }
}

function createRepo(home, exec) {
  mkdirSync(join(home, 'app'))
  writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = Bench\n\temail = bench@example.invalid\n')
  exec('git', 'init', '--quiet', '--initial-branch=main')
  for (let n = 0; n < FILES; n++) {
    const folder = join(home, 'app', 'src', `module-${n % 40}`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `file-${n}.txt`), `file ${n}\n`.repeat(60))
  }
  exec('git', 'add', '--all')
  exec('git', 'commit', '--quiet', '--message', 'files')
}

async function createManager(home, env) {
  const path = join(home, '.config', 'agent-orchestrator', 'config.yaml')
  mkdirSync(join(home, '.config', 'agent-orchestrator'), { recursive: true })
  writeFileSync(
    path,
    `defaults: { runtime: tmux }\nprojects:\n  app:\n    path: ${join(home, 'app')}\n    agent: generic\n    agentConfig: { command: [cat, "{promptFile}", "-"] }\n`,
  )
  const config = loadConfig({ path, env: { ...env, XDG_CONFIG_HOME: join(home, '.config') }, home })
  const registry = createPluginRegistry({ env, home })
  await registry.loadBuiltins(config)
  return createSessionManager({ config, registry, env: { ...env, XDG_CONFIG_HOME: join(home, '.config') }, home })
}
