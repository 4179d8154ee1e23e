// npm run soak -- --hours 24 | --minutes 30: twenty scripted agents that work, ask, fail, push and land, in terminals and over ACP, beside
// two open pages, with restarts of the loop and of agh in between. Prints the slope of everything that must not grow, and ends with 1
// when one is above its noise, or could not be judged.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { createRandom } from '../src/rehearsal/random.ts'
import { aghBeside } from '../test/support/agh-daemon.ts'
import buildOnce from '../test/support/build-once.ts'
import { git } from '../test/support/git-repo.ts'
import { createAoWorld } from '../test/support/run-ao.ts'
import { numberOf, readOptions } from './options.ts'
import { isRising, type Sample, slopeOf } from './slopes.ts'

const USAGE = `usage: npm run soak -- [options]

  --hours <n>     how long it lasts
  --minutes <n>   the same; 30 without either
  --agents <n>    how many work at once; 20 without
  --help          this text`

const { values } = readOptions(USAGE, {
  hours: { type: 'string' },
  minutes: { type: 'string' },
  agents: { type: 'string' },
})
const HOUR_MS = 3_600_000
const minutes = numberOf('minutes', values.minutes) ?? 60 * (numberOf('hours', values.hours) ?? 0.5)
const lasts = minutes * 60_000
const agentCount = numberOf('agents', values.agents) ?? 20
const SAMPLE_MS = Math.max(1_000, Math.min(30_000, lasts / 240))
/** Long enough that each life of the loop has a slope of its own. */
const RESTART_MS = lasts / (lasts < 2 * HOUR_MS ? 2 : 4)
/** A process that has just begun fills its caches. */
const WARM_MS = Math.min(15 * 60_000, RESTART_MS / 3)

const CHECK = 'for f in answer-*; do grep -q 42 $f || { echo $f is wrong; exit 1; }; done'
const project = (runtime: string) => `    path: .
    agent: demo
    runtime: ${runtime}
    tracker: local
    scm: { plugin: local, ci: { commands: [{ name: test, run: '${CHECK}' }] } }
`
const CONFIG = `port: 0
lifecycle: { pollSeconds: 2 }
defaults: { notifiers: [] }
disk: { cassettesMb: 0 }
reactions:
  approved-and-green: { auto: true }
projects:
  app:
${project('tmux')}  api:
${project('acp')}    sessionPrefix: api
`

await buildOnce()
const world = createAoWorld({ config: CONFIG })
const agh = aghBeside(world.temp.home, world.temp.env)
const random = createRandom(Date.now() % 2 ** 31)
const samples: Record<string, Sample[]> = {}
const done: Record<string, number> = {}
const count = (what: string) => {
  done[what] = (done[what] ?? 0) + 1
}
const began = Date.now()
let [life, pid, port, token, isOver, warmAt, started] = [0, 0, 0, '', false, 0, 0]
let pages: Socket[] = []

writeFileSync(join(world.repo, 'answer-0'), '42\n')
git(world.repo, world.temp.env, 'add', '-A')
git(world.repo, world.temp.env, 'commit', '-qm', 'base')
await world.ao(['config', 'trust', '--yes'])
try {
  await startLoop()
  const agents = Array.from({ length: agentCount }, (_, n) => live(n))
  await Promise.all([...agents, measure(), restart()])
} finally {
  for (const page of pages) page.destroy()
  await world.ao(['stop', '--sessions'])
  await agh.stop()
  const strays = await world.temp.cleanup()
  for (const stray of strays) console.log(`still running at the end: ${stray}`)
  if (strays.length > 0) process.exitCode = 1
}
report()

function isTime(): boolean {
  isOver ||= Date.now() - began > lasts
  return !isOver
}

async function startLoop(): Promise<void> {
  pid = (await world.json<{ pid: number }>(['start'])).pid
  const run = join(world.temp.home, '.ao', 'run')
  const fileOf = (ending: string) => join(run, readdirSync(run).find((name) => name.endsWith(ending))!)
  port = (JSON.parse(readFileSync(fileOf('.json'), 'utf8')) as { port: number }).port
  token = readFileSync(fileOf('.token'), 'utf8').trim()
  for (const page of pages) page.destroy()
  pages = [openStream(), openStream()]
  life++
  warmAt = Date.now() + WARM_MS
}

function openStream(): Socket {
  const socket = connect(port, '127.0.0.1')
  // It ends with the loop that it shows.
  socket.on('error', () => undefined)
  socket.resume()
  socket.write(`GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  return socket
}

async function restart(): Promise<void> {
  for (let next = began + RESTART_MS; isTime(); await rest(500)) {
    if (Date.now() < next || Date.now() > began + lasts - RESTART_MS / 2) continue
    next += RESTART_MS
    await world.ao(['stop'])
    agh.agh('daemon', 'restart')
    await startLoop()
    count('restarts')
  }
}

/** One agent after the other in this seat. */
async function live(seat: number): Promise<void> {
  for (let turn = 0; isTime(); turn++) {
    const name = `${seat}-${turn}`
    const where = seat % 2 === 0 ? 'app' : 'api'
    const kind = random.pick(['lands', 'lands', 'asks', 'fails'] as const)
    const script = {
      lands: [
        `write answer-${name} 41`,
        `commit answer ${name}`,
        `pr Answer ${name}`,
        'finish done',
        'on ci-failed:',
        `write answer-${name} 42`,
        `commit mended ${name}`,
        'push',
        'finish mended',
      ],
      asks: ['say thinking', 'ask Which?', 'on message:', 'say thank you', 'finish done'],
      fails: ['say trying', 'fail no credit'],
    }[kind]
    const prompt = script.map((line) => `demo: ${line}`).join('\n')
    const { session } = await world.json<{ session?: { id: string } }>([
      'spawn',
      '--project',
      where,
      '--prompt',
      prompt,
    ])
    if (session === undefined) {
      count('refused spawns')
      await rest(1_000)
      continue
    }
    started++
    await (kind === 'lands' ? land(session.id) : kind === 'asks' ? answer(session.id) : rest(3_000))
    await world.ao(['session', 'kill', session.id, '--purge'])
    count(kind)
  }
}

async function land(id: string): Promise<void> {
  const reached = (status: string) => () => isTime() && statusOf(id).then((found) => found !== status)
  for (const until of ['review_pending', 'merged']) {
    const from = Date.now()
    for (const waits = reached(until); (await waits()) && Date.now() - from < 120_000; ) await rest(1_000)
    if (until === 'merged' || !isTime()) return
    const { pullRequests } = await world.json<{ pullRequests: Array<{ number: number; session?: string }> }>([
      'pr',
      'ls',
    ])
    const own = pullRequests.find(({ session }) => session === id)
    if (own) await world.ao(['pr', 'review', String(own.number), '--approve'])
  }
}

async function answer(id: string): Promise<void> {
  for (let n = 0; n < 60 && isTime() && (await statusOf(id)) !== 'needs_input'; n++) await rest(500)
  await world.ao(['send', id, 'The first one.', '--no-wait'])
}

async function statusOf(id: string): Promise<string | undefined> {
  const { sessions = [] } = (await ask('/api/sessions').catch(() => ({}))) as {
    sessions?: Array<{ id: string; status: string }>
  }
  return sessions.find((one) => one.id === id)?.status
}

async function ask(path: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers, signal: AbortSignal.timeout(30_000) })
  return path === '/metrics' ? response.text() : response.json()
}

async function measure(): Promise<void> {
  for (; isTime(); await rest(SAMPLE_MS)) {
    const askedAt = performance.now()
    const metrics = await ask('/metrics').catch(() => null)
    const latency = performance.now() - askedAt
    // Between two lives.
    if (typeof metrics !== 'string' || Date.now() < warmAt) continue
    const hours = (Date.now() - began) / HOUR_MS
    const note = (what: string, value: number | null) => {
      const list = samples[what] ?? []
      samples[what] = list
      if (value !== null && !Number.isNaN(value)) list.push({ hours, value, life })
    }
    const status = readIf(`/proc/${pid}/status`)
    note('memory of the loop, MB', status === null ? null : Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)
    note('descriptors of the loop', entriesIn(`/proc/${pid}/fd`))
    note('processes', processes())
    const [all, kept] = [diskOf(['.agent-orchestrator', '.ao', '.agh']), diskOf(keptPaths())]
    note('disk, but for what sessions keep, MB', (all - kept) / 1024 ** 2)
    // What they keep stays after their end, so that all of it rises: each must not keep more than the one before.
    note('disk that a session keeps, KB', started === 0 ? null : kept / 1024 / started)
    note('event-loop delay, ms', Number(/^nodejs_eventloop_lag_p99_seconds (\S+)/m.exec(metrics)?.[1]) * 1000)
    note('latency of /metrics, ms', latency)
  }
}

function readIf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // It is being restarted.
    return null
  }
}

function entriesIn(directory: string): number | null {
  try {
    return readdirSync(directory).length
  } catch {
    return null
  }
}

function processes(): number {
  const needle = `HOME=${world.temp.home}\0`
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.filter((one) => readIf(`/proc/${one}/environ`)?.includes(needle)).length
}

/** Of what is never removed by itself, and of what grows to a limit with all that happens. */
function keptPaths(): string[] {
  const data = '.agent-orchestrator'
  const projects = readdirSync(join(world.temp.home, data)).map((name) => join(data, name))
  const names = ['history', 'sessions/archive', 'state', 'pulls', 'checks']
  const logs = readdirSync(join(world.temp.home, '.ao/run')).filter((name) => name.endsWith('.log'))
  const ofAgh = ['sessions', 'logs'].map((name) => join('.agh', name))
  return [
    ...projects.flatMap((project) => names.map((name) => join(project, name))),
    ...logs.map((name) => join('.ao/run', name)),
    ...ofAgh,
  ]
}

function diskOf(names: readonly string[]): number {
  const paths = names
    .map((name) => join(world.temp.home, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false }))
  if (paths.length === 0) return 0
  // What goes while it counts is no failure.
  const { stdout } = spawnSync('du', ['-sb', ...paths], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  return stdout.split('\n').reduce((sum, line) => sum + (Number.parseInt(line, 10) || 0), 0)
}

function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function report(): void {
  const hours = (Date.now() - began) / HOUR_MS
  console.log(
    `${hours.toFixed(2)} hours: ${Object.entries(done)
      .map(([what, number]) => `${number} ${what}`)
      .join(', ')}`,
  )
  for (const [what, list] of Object.entries(samples)) {
    const slope = slopeOf(list)
    if (slope === null) {
      // What was not judged was not found flat.
      process.exitCode = 1
      console.log(`?      ${what}: too few samples`)
      continue
    }
    const rises = isRising(slope)
    if (rises) process.exitCode = 1
    const figures = `${slope.mean.toFixed(1)} on average, ${slope.perHour.toFixed(2)} ± ${slope.error.toFixed(2)} an hour`
    console.log(`${rises ? 'RISES ' : 'flat  '} ${what}: ${figures}, ${list.length} samples`)
  }
}
