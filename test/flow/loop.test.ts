// `ao start` as a user runs it: the real command, tmux, git and the demo agent, in a HOME of its own.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hashConfigDir } from '../../src/lib/process/own-home.ts'
import { createRepo } from '../support/git-repo.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

interface Started {
  running: boolean
  startedNow: boolean
  pid: number
  projects: string[]
  added: string | null
}

let world: AoWorld
let env: NodeJS.ProcessEnv

beforeAll(() => buildAo(), 60_000)

beforeEach(() => {
  world = createAoWorld()
  const bin = join(world.temp.home, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'notify-send'), '#!/bin/sh\nprintf "%s\\n" "$*" >> "$HOME/notified"\n')
  chmodSync(join(bin, 'notify-send'), 0o755)
  env = { PATH: `${bin}:${process.env.PATH}` }
})

afterEach(async () => {
  await world.ao(['stop'], { env })
  expect(await world.temp.cleanup()).toEqual([])
})

const start = (...args: string[]) => world.json<Started>(['start', ...args], { env })

async function spawn(prompt: string): Promise<string> {
  const answer = await world.json<{ session?: { id: string } }>(['spawn', '--prompt', prompt], { env })
  if (!answer.session) throw new Error(JSON.stringify(answer))
  return answer.session.id
}

const sessionFile = (id: string) =>
  join(world.temp.home, '.agent-orchestrator', `${hashConfigDir(world.repo)}-app`, 'sessions', id)

function recorded(id: string): Record<string, string> {
  const lines = readFileSync(sessionFile(id), 'utf8').split('\n')
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
}

/** The loop's output explains a failure. */
const untilStatus = (id: string, status: string) =>
  waitFor(`${id} is ${status}`, () => recorded(id).status === status, 30_000).catch((error: Error) => {
    const log = join(world.temp.home, '.ao', 'run', `${hashConfigDir(world.repo)}.log`)
    throw new Error(`${error.message}\n${JSON.stringify(recorded(id))}\n${readFileSync(log, 'utf8')}`)
  })

/** When the change to this status was written down. */
async function eventTime(id: string, status: string): Promise<number> {
  const { events } = await world.json<{ events: Array<{ type: string; to?: string; at: string }> }>(['events', id])
  return Date.parse(events.find(({ type, to }) => type === 'status.changed' && to === status)!.at)
}

/**
 * Below the process probe every 5 s and the poll every 30 s: only a pushed change is that early, even on a busy machine.
 * `npm run bench state-change` measures against the target of 100 ms.
 */
const PUSHED_MS = 3_000

const notified = () => {
  const file = join(world.temp.home, 'notified')
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

describe('ao start', () => {
  it('S0.36 S3.28 an agent that asks is in needs_input as soon as it asks, and the human is notified', async () => {
    await start()
    const id = await spawn('demo: think 1\ndemo: ask which colour?')
    await untilStatus(id, 'needs_input')
    await waitFor('the notification', () => notified().includes('which colour?'))
    const requestedAt = Date.parse(recorded(id).lastActivityAt!)
    expect((await eventTime(id, 'needs_input')) - requestedAt).toBeLessThan(PUSHED_MS)
    const { stdout } = await world.ao(['why', id])
    expect(stdout).toMatch(
      /is needs_input[\s\S]+working -> needs_input[\s\S]+asks for an answer[\s\S]+agent-needs-input/,
    )
  })

  it('S0.32 S0.31 an agent that ends is done or killed in its record', async () => {
    await start()
    const done = await spawn('demo: think 1\ndemo: exit 0')
    const crashed = await spawn('demo: think 1\ndemo: exit 3')
    await untilStatus(done, 'done')
    await untilStatus(crashed, 'killed')
    await waitFor('the notification', () => notified().includes(`${crashed}: its agent is no longer running`))
    await waitFor('all-complete', () => notified().includes('all 2 sessions have ended'))
  })

  it.each(['tmux', 'process'])(
    'S0.31 an agent in %s that is killed is killed in its record immediately',
    async (runtime) => {
      const config = `projects: { app: { path: ., agent: demo, runtime: ${runtime} } }\n`
      writeFileSync(join(world.repo, 'agent-orchestrator.yaml'), config)
      await start()
      const id = await spawn('demo: stuck')
      await waitFor('its agent', () => recorded(id).lastActivityAt)
      const { agent } = (JSON.parse(decodeURIComponent(recorded(id).runtimeHandle!)) as { data: { agent: string } })
        .data
      const killedAt = Date.now()
      process.kill(Number(agent.split(':')[0]), 'SIGKILL')
      await untilStatus(id, 'killed')
      expect((await eventTime(id, 'killed')) - killedAt).toBeLessThan(PUSHED_MS)
    },
  )

  it('is single: a second start joins, another one in the foreground is refused', async () => {
    const [first, second] = await Promise.all([start(), start()])
    expect(first.pid).toBe(second.pid)
    const third = await start()
    expect(third).toMatchObject({ startedNow: false, pid: first.pid, projects: ['app'] })
    const refused = await world.ao(['start', '--foreground'], { env })
    expect(refused.code).toBe(5)
    expect(refused.stderr).toContain('already')
  })

  it('ao stop ends the loop within five seconds and no session; --sessions ends these too', async () => {
    await start()
    const id = await spawn('demo: stuck')
    const began = Date.now()
    const { stopped } = await world.json<{ stopped: boolean }>(['stop'], { env })
    expect(stopped).toBe(true)
    expect(Date.now() - began).toBeLessThan(6_000)
    const { sessions } = await world.json<{ sessions: Array<{ status: string }> }>(['session', 'ls'])
    expect(sessions).toMatchObject([{ id, status: 'working' }])
    // The agent of a session whose work is merged is still there.
    const merged = await spawn('demo: stuck')
    writeFileSync(sessionFile(merged), `${readFileSync(sessionFile(merged), 'utf8')}endedAs=merged\nstatus=merged\n`)
    expect(await world.json(['stop', '--sessions'], { env })).toMatchObject({ stopped: false, sessions: [id, merged] })
    expect([recorded(id).status, recorded(merged).status]).toEqual(['killed', 'merged'])
    expect(await world.json(['stop', '--sessions'], { env })).toMatchObject({ sessions: [] })
  })

  it('continues where it was after kill -9', async () => {
    const { pid } = await start()
    const id = await spawn('demo: think 8\ndemo: ask still there?')
    process.kill(pid, 'SIGKILL')
    await waitFor('its end', () => !isAlive(pid))
    const again = await start()
    expect(again).toMatchObject({ startedNow: true })
    expect(again.pid).not.toBe(pid)
    await untilStatus(id, 'needs_input')
    await waitFor('the notification', () => notified().includes('still there?'))
  })

  it('adds a project to the running loop without a restart, and keeps the old configuration when the new one is broken', async () => {
    const { pid } = await start()
    createRepo(join(world.repo, 'other'), world.temp.env)
    const added = await start('other')
    expect(added).toMatchObject({ pid, startedNow: false, added: 'other', projects: ['app', 'other'] })
    const config = join(world.repo, 'agent-orchestrator.yaml')
    const good = readFileSync(config, 'utf8')
    writeFileSync(config, 'projects: [')
    const state = join(world.temp.home, '.ao', 'run', `${hashConfigDir(world.repo)}.json`)
    const read = () => JSON.parse(readFileSync(state, 'utf8')) as { configProblem?: string; projects: string[] }
    await waitFor('the complaint', () => read().configProblem)
    expect(read().projects).toEqual(['app', 'other'])
    expect(isAlive(pid)).toBe(true)
    writeFileSync(config, good)
    await waitFor('the good one', () => read().configProblem === undefined)
  })

  it('offers to restore what ran before the machine was restarted', async () => {
    const id = await spawn('demo: stuck')
    const { pid } = await start()
    process.kill(pid, 'SIGKILL')
    await waitFor('its end', () => !isAlive(pid))
    const { execFileSync } = await import('node:child_process')
    execFileSync('tmux', ['-L', 'ao', 'kill-server'], { env: { ...process.env, ...world.temp.env } })
    await waitFor('the end of its runtime', async () => {
      const { sessions } = await world.json<{ sessions: Array<{ status: string }> }>(['session', 'ls'])
      return sessions[0]?.status === 'killed'
    })
    const before = readFileSync(sessionFile(id), 'utf8')
    // Only another boot distinguishes a reboot of the machine from a crash.
    const file = join(world.temp.home, '.ao', 'run', `${hashConfigDir(world.repo)}.json`)
    const state = JSON.parse(readFileSync(file, 'utf8')) as { process: string }
    writeFileSync(file, JSON.stringify({ ...state, process: state.process.replace(/:[^:]*$/, ':0ldb00t0-1') }))
    const reboot = readFileSync(file, 'utf8')
    const offered = await world.ao(['start'], { env })
    expect(offered.stderr).toContain(`The machine was restarted while 1 session ran: ${id}`)
    expect(offered.stderr).toContain('ao session restore --all')
    await untilStatus(id, 'killed')
    await world.ao(['stop'], { env })
    // The same again with a yes; the record is as it was then.
    writeFileSync(file, reboot)
    writeFileSync(sessionFile(id), before)
    const { stderr, code } = await world.ao(['start', '--restore'], { env })
    expect(code).toBe(0)
    expect(stderr).toContain(`restored ${id}`)
    const { sessions } = await world.json<{ sessions: Array<{ status: string }> }>(['session', 'ls'])
    expect(sessions).toMatchObject([{ id, status: 'working' }])
  })

  it('S1.53 S1.55 S1.59 keeps its snapshot with polls and health, and only hash-named directories in the data directory', async () => {
    const { pid } = await start()
    await spawn('demo: stuck')
    const base = join(world.temp.home, '.agent-orchestrator')
    const hash = hashConfigDir(world.repo)
    const file = join(base, `${hash}-observability`, 'processes', `lifecycle-${pid}.json`)
    const snapshot = await waitFor('its snapshot', () => {
      const read = JSON.parse(readFileSync(file, 'utf8')) as {
        metrics: Record<string, unknown>
        health: Record<string, unknown>
      }
      return read.health.tmux ? read : null
    })
    expect(snapshot.metrics).toMatchObject({ 'app::lifecycle_poll': { success: expect.any(Number) } })
    expect(snapshot.health).toMatchObject({ tmux: { status: 'ok' } })
    expect(readdirSync(base).filter((name) => !name.startsWith(`${hash}-`))).toEqual([])
  })
})

describe('ao doctor --test-notify', () => {
  it('sends a test through every notifier of a route and says which do not work', async () => {
    writeFileSync(
      join(world.repo, 'agent-orchestrator.yaml'),
      `projects: { app: { path: ., agent: demo } }
notifiers: { broken: { plugin: webhook, url: 'http://127.0.0.1:9/' } }
notificationRouting: { urgent: [desktop, broken] }
`,
    )
    expect((await world.ao(['config', 'trust', '--yes'])).code).toBe(0)
    const { checks, code } = await world.json<{ checks: Array<{ level: string; name: string }> }>(
      ['doctor', '--test-notify'],
      { env },
    )
    expect(code).toBe(1)
    expect(checks).toContainEqual(expect.objectContaining({ level: 'pass', name: 'notifier desktop' }))
    expect(checks).toContainEqual(expect.objectContaining({ level: 'fail', name: 'notifier broken' }))
    expect(notified()).toContain('This is a test')
  })
})

describe('ao events', () => {
  it('prints what happened, and only what came after a number', async () => {
    const id = await spawn('demo: think 1')
    const { events } = await world.json<{ events: Array<{ seq: number; type: string; sessionId: string }> }>([
      'events',
      id,
    ])
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    const later = await world.json<{ events: Array<{ seq: number }> }>(['events', id, '--after', '2'])
    expect(later.events[0]?.seq).toBe(3)
    const all = await world.ao(['events'])
    expect(all.stdout).toContain(`${id} #1 reserved for demo`)
    expect((await world.ao(['events', '--after', '2'])).code).toBe(2)
  })

  it('follows: a message is on the stream as it happens', async () => {
    const id = await spawn('demo: stuck')
    const { spawn: run } = await import('node:child_process')
    const { AO } = await import('../support/run-ao.ts')
    const child = run(process.execPath, [AO, 'events', id, '--follow', '--json'], {
      cwd: world.repo,
      env: world.temp.env,
    })
    let out = ''
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString()
    })
    await waitFor('the beginning', () => out.includes('session.reserved'))
    await world.ao(['send', id, 'hello'])
    await waitFor('the message', () => out.includes('"text":"hello"'))
    const seqs = out
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { seq: number }).seq)
    expect(new Set(seqs).size).toBe(seqs.length)
    child.kill('SIGINT')
    await new Promise((resolve) => child.on('close', resolve))
  })
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}
