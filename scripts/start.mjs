// npm start: a sample project in a temporary place goes from issues to merged pull requests by itself.
// The agents are demo agents: scripted, no model behind them. The person who approves is this script. Nothing of yours is touched.
import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const AO = new URL('../dist/ao.js', import.meta.url).pathname
const SAMPLE = new URL('./sample/', import.meta.url).pathname
const LONGEST_MS = 110_000
const once = process.argv.includes('--once') || !process.stdout.isTTY
const started = performance.now()

const home = realpathSync(mkdtempSync(join(tmpdir(), 'ao-sample-')))
const project = join(home, 'sample')
const env = {
  ...process.env,
  HOME: home,
  AO_HOME: home,
  TMUX_TMPDIR: home,
  XDG_CONFIG_HOME: join(home, '.config'),
  XDG_CACHE_HOME: join(home, '.cache'),
  XDG_RUNTIME_DIR: home,
}

build()
process.on('SIGINT', () => end(0))
process.on('SIGTERM', () => end(0))
// The terminal was closed: nobody reads, and still nothing may be left.
process.on('SIGHUP', () => end(0))
process.stdout.on('error', () => undefined)
try {
  await createProject()
  const issues = createIssues()
  say(ao('start').trim().split('\n')[0])
  say(`the dashboard, to watch it live: ${dashboardLink()}`)
  say(
    ao('batch-spawn', ...issues.map(({ id }) => id))
      .trim()
      .split('\n')
      .at(-1),
  )
  console.log('')
  await followToTheEnd()
  console.log(`\n${report(issues)}`)
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

async function createProject() {
  console.log(
    `A sample project in ${project}; its agents are scripted demo agents, and this script approves what they did.\n`,
  )
  mkdirSync(project)
  cpSync(join(SAMPLE, 'project'), project, { recursive: true })
  appendFileSync(join(project, 'agent-orchestrator.yaml'), `\nport: ${await freePort()}\n`)
  run('git', 'config', '--global', 'user.name', 'Sample')
  run('git', 'config', '--global', 'user.email', 'sample@example.invalid')
  run('git', 'init', '--quiet', '--initial-branch=main')
  run('git', 'add', '--all')
  run('git', 'commit', '--quiet', '--message', 'A small project')
  ao('config', 'trust', '--yes')
}

/** The usual one, unless your own ao has it. */
async function freePort() {
  const usual = 3000
  return (await listensOn(usual)) ?? (await listensOn(0))
}

function listensOn(port) {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(null))
    server.listen(port, '127.0.0.1', () => {
      const got = server.address().port
      server.close(() => resolve(got))
    })
  })
}

/** Good once: each call makes a new one. */
function dashboardLink() {
  return JSON.parse(ao('dashboard', '--no-open', '--json')).link
}

function createIssues() {
  return readdirSync(join(SAMPLE, 'issues'))
    .sort()
    .map((file) => {
      const path = join(SAMPLE, 'issues', file)
      const [title] = readFileSync(path, 'utf8').split('\n', 1)
      const { issue } = JSON.parse(ao('issue', 'new', title, '--body-file', path, '--json'))
      say(`issue #${issue.id}: ${title}`)
      return { id: issue.id, title }
    })
}

/** Until every session is merged or waits for the human. */
async function followToTheEnd() {
  const deadline = started + LONGEST_MS
  const shown = new Map()
  const reviewed = new Set()
  for (;;) {
    const { sessions } = JSON.parse(ao('session', 'ls', '--json'))
    for (const session of sessions) show(session, shown)
    showFindings(reviewed)
    approveWhatIsGreen()
    if (sessions.length > 0 && sessions.every(({ status }) => status === 'merged' || status === 'needs_input')) return
    if (performance.now() > deadline) throw new Error(`not everything was merged in time:\n${ao('status')}`)
    await pause(400)
  }
}

function show({ id, status, summary }, shown) {
  if (shown.get(id) === status) return
  shown.set(id, status)
  say(`${id.padEnd(7)} ${status.padEnd(18)} ${summary ?? ''}`)
}

/** The person of the sample: approves what is green and was reviewed. */
function approveWhatIsGreen() {
  const { pullRequests } = JSON.parse(ao('pr', 'ls', '--json'))
  for (const { number, title, ci, review } of pullRequests) {
    if (ci !== 'passing' || review !== 'pending') continue
    ao('pr', 'review', String(number), '--approve')
    say(`you     #${number} ${title}: approved`)
  }
}

/** What another agent found in a pull request; its author hears of it in one message. */
function showFindings(shown) {
  const { reviews } = JSON.parse(ao('review', 'ls', '--json'))
  for (const { reviewer, number, findings, endedAt } of reviews) {
    if (endedAt === null || findings.length === 0 || shown.has(reviewer)) continue
    shown.add(reviewer)
    for (const { file, line, text } of findings)
      say(`${reviewer.padEnd(7)} found in #${number}, ${file}:${line}: ${text}`)
  }
}

function report(issues) {
  const { sessions } = JSON.parse(ao('session', 'ls', '--json'))
  const lines = issues.map(({ id, title }) => {
    const session = sessions.find(({ issueId }) => issueId === id)
    const outcome = session?.status === 'merged' ? 'merged' : 'waits for your answer'
    return `  #${id} ${title.padEnd(48)} ${session?.id.padEnd(7)} ${outcome}`
  })
  const seconds = Math.round((performance.now() - started) / 1000)
  const merged = run('git', 'log', '--oneline', 'main').trim().split('\n').length - 1
  return ['What happened to each issue:', ...lines, `\n${merged} pull requests merged into main in ${seconds} s.`].join(
    '\n',
  )
}

/** Ctrl-C ends it. */
async function stay() {
  console.log(`
The loop keeps running until Ctrl-C. The dashboard, where you can answer the question with a click:

  ${dashboardLink()}

From another terminal:

  export HOME=${home} AO_HOME=${home} TMUX_TMPDIR=${home} XDG_RUNTIME_DIR=${home}; cd ${project}
  alias ao='${process.execPath} ${AO}'
  ao status --watch
  ao why sam-2                      # why it is what it is
  ao send sam-4 "power, please"     # answer the question, and see it merged
`)
  for (;;) {
    approveWhatIsGreen()
    await pause(2_000)
  }
}

function end(code) {
  tryAo('stop')
  const { sessions } = JSON.parse(tryAo('session', 'ls', '--all', '--json') ?? '{"sessions":[]}')
  for (const { id } of sessions) tryAo('session', 'kill', id, '--force')
  spawnSync('tmux', ['-L', 'ao', 'kill-server'], { env, stdio: 'ignore' })
  rmSync(home, { recursive: true, force: true })
  console.log('The sample project is removed.')
  process.exit(code)
}

function say(line) {
  const seconds = ((performance.now() - started) / 1000).toFixed(0).padStart(3)
  console.log(`${seconds} s  ${line}`)
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
