// How many programs each command starts: every one on PATH is replaced by a script that writes a line and goes on.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AO, createHome } from './home.mjs'

const PROGRAMS = ['tmux', 'git', 'ps', 'sh', 'bash', 'gh', 'node', 'cat', 'which', 'env']

export async function run() {
  console.log('subprocesses per command (one project, one session of the demo agent in tmux)')
  const place = createPlace()
  try {
    place.ao('config', 'validate')
    for (const [name, ...args] of [
      ['ao --version', '--version'],
      ['ao session ls, none', 'session', 'ls'],
      ['ao spawn', 'spawn', '--prompt', 'work'],
      ['ao session ls', 'session', 'ls'],
      ['ao status', 'status'],
      ['ao session show', 'session', 'show', 'app-1'],
      ['ao send', 'send', 'app-1', 'hello'],
      ['ao session kill', 'session', 'kill', 'app-1'],
      ['ao session restore', 'session', 'restore', 'app-1'],
      ['ao session kill --purge', 'session', 'kill', 'app-1', '--purge'],
      ['ao session cleanup, nothing to do', 'session', 'cleanup'],
    ]) {
      console.log(`  ${name.padEnd(36)} ${place.count(args)}`)
    }
  } finally {
    place.remove()
  }
}

/** A HOME with a repository, and shims before everything else on its PATH. */
function createPlace() {
  const { home, cwd, env } = createHome(() => ({ DEMO_AGENT_SPEED: '200' }))
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=B', '-c', 'user.email=b@example.invalid', ...args], { cwd, env })
  git('init', '--quiet', '--initial-branch=main')
  writeFileSync(
    join(cwd, 'agent-orchestrator.yaml'),
    'defaults: { runtime: tmux }\nprojects:\n  app:\n    path: .\n    agent: demo\n',
  )
  git('add', '--all')
  git('commit', '--quiet', '--message', 'first')
  const ao = (...args) => spawnSync(process.execPath, [AO, ...args], { cwd, env, encoding: 'utf8' })
  return {
    ao,
    count: (args) => countSubprocesses({ home, cwd, env }, args),
    remove() {
      spawnSync('tmux', ['-L', 'ao', 'kill-server'], { env, stdio: 'ignore' })
      rmSync(home, { recursive: true, force: true })
    },
  }
}

export function countSubprocesses({ home, cwd, env }, args) {
  const shims = join(home, 'shims')
  const log = join(home, 'shims.log')
  mkdirSync(shims, { recursive: true })
  writeFileSync(log, '')
  for (const program of PROGRAMS) {
    const real = spawnSync('/bin/sh', ['-c', `command -v ${program}`], { env, encoding: 'utf8' }).stdout.trim()
    if (real === '') continue
    // Only what ao itself starts counts, not what git or tmux start in turn.
    const shim = `#!/bin/sh\n[ "$PPID" = "$(/bin/cat '${home}/ao.pid')" ] && echo ${program} >> '${log}'\nexec '${real}' "$@"\n`
    // Renamed into place: the agent of the command before may be running the old one.
    writeFileSync(join(shims, `.${program}`), shim, { mode: 0o755 })
    renameSync(join(shims, `.${program}`), join(shims, program))
  }
  const launcher = `echo $$ > '${home}/ao.pid'; exec '${process.execPath}' '${AO}' "$@"`
  spawnSync('/bin/sh', ['-c', launcher, 'ao', ...args], {
    cwd,
    env: { ...env, PATH: `${shims}:${env.PATH}` },
    stdio: 'ignore',
  })
  const lines = readFileSync(log, 'utf8').split('\n').filter(Boolean)
  const kinds = Map.groupBy(lines, (line) => line)
  const named = [...kinds].map(([name, all]) => `${all.length} ${name}`).join(', ')
  return lines.length === 0 ? '0' : `${lines.length} (${named})`
}
