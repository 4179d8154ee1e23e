// npm start: a sample project in a temporary place, and the demo agent at work on it. Nothing of yours is touched.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const AO = new URL('../dist/ao.js', import.meta.url).pathname
const SAMPLE = new URL('./sample/', import.meta.url).pathname
const LONGEST_MS = 90_000
const once = process.argv.includes('--once') || !process.stdout.isTTY

const home = realpathSync(mkdtempSync(join(tmpdir(), 'ao-sample-')))
const project = join(home, 'sample')
const env = {
  ...process.env,
  HOME: home,
  TMUX_TMPDIR: home,
  XDG_CONFIG_HOME: join(home, '.config'),
  XDG_CACHE_HOME: join(home, '.cache'),
}

build()
process.on('SIGINT', () => end(0))
try {
  createProject()
  spawnSessions()
  await watchUntilSettled()
  console.log(`\n${summary()}`)
  if (!once) await stay()
  end(0)
} catch (error) {
  console.error(`\nThe sample stopped: ${error.message}`)
  end(1)
}

function build() {
  const built = spawnSync(process.execPath, [new URL('./build.mjs', import.meta.url).pathname], { stdio: 'inherit' })
  if (built.status !== 0) process.exit(built.status ?? 1)
}

function createProject() {
  console.log(`A sample project in ${project}`)
  mkdirSync(project)
  cpSync(join(SAMPLE, 'project'), project, { recursive: true })
  const identity = ['-c', 'user.name=Sample', '-c', 'user.email=sample@example.invalid']
  run('git', 'init', '--quiet', '--initial-branch=main')
  run('git', 'add', '--all')
  run('git', ...identity, 'commit', '--quiet', '--message', 'A small project')
  run('git', 'config', '--global', 'user.name', 'Demo agent')
  run('git', 'config', '--global', 'user.email', 'demo@example.invalid')
}

function spawnSessions() {
  ao('config', 'trust', '--yes')
  const tasks = readdirSync(join(SAMPLE, 'tasks')).sort()
  console.log(`${tasks.length} tasks, one session of the demo agent for each:\n`)
  for (const task of tasks) {
    const file = join(SAMPLE, 'tasks', task)
    const [title] = readFileSync(file, 'utf8').split('\n', 1)
    const { session } = JSON.parse(ao('spawn', basename(task, '.md').slice(2), '--prompt-file', file, '--json'))
    console.log(`  ${session.id.padEnd(8)} ${title.replace(/^#+\s*/, '')}`)
  }
  console.log('')
}

/** Every agent is ready, waits for you, or has ended. */
async function watchUntilSettled() {
  const deadline = performance.now() + LONGEST_MS
  const shown = new Map()
  for (;;) {
    const { sessions } = JSON.parse(ao('session', 'ls', '--json'))
    for (const { id, status, activity, summary } of sessions) {
      const now = `${status}, ${activity ?? 'starting'}`
      if (shown.get(id) === now) continue
      shown.set(id, now)
      console.log(`  ${id.padEnd(8)} ${now.padEnd(26)} ${summary ?? ''}`)
    }
    if (sessions.every(({ status, activity }) => status !== 'spawning' && activity !== 'active' && activity !== null))
      return
    if (performance.now() > deadline) throw new Error('the sessions did not settle in time')
    await pause(500)
  }
}

function summary() {
  return ao('status')
}

/** Ctrl-C ends it. */
async function stay() {
  console.log(`The sessions keep running until Ctrl-C. Look at them from another terminal:

  export HOME=${home} TMUX_TMPDIR=${home}; cd ${project}
  alias ao='${process.execPath} ${AO}'
  ao status --watch
  ao session attach sam-1
`)
  for (;;) await pause(60_000)
}

function end(code) {
  for (const { id } of JSON.parse(tryAo('session', 'ls', '--all', '--json') ?? '{"sessions":[]}').sessions) {
    tryAo('session', 'kill', id, '--force')
  }
  spawnSync('tmux', ['-L', 'ao', 'kill-server'], { env, stdio: 'ignore' })
  rmSync(home, { recursive: true, force: true })
  console.log('The sample project is removed.')
  process.exit(code)
}

function ao(...args) {
  return run(process.execPath, AO, ...args)
}

function tryAo(...args) {
  const done = spawnSync(process.execPath, [AO, ...args], { cwd: project, env, encoding: 'utf8' })
  return done.status === 0 ? done.stdout : null
}

function run(command, ...args) {
  const done = spawnSync(command, args, { cwd: project, env, encoding: 'utf8' })
  if (done.status === 0) return done.stdout
  throw new Error(`${command} ${args.join(' ')} failed\n${done.stdout}${done.stderr}`)
}
