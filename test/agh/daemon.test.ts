import { spawnSync } from 'node:child_process'
import { statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { daemonStatus } from '../../src/agh/daemon/daemon-status.ts'
import { startDaemon } from '../../src/agh/daemon/start-daemon.ts'
import { stopDaemon } from '../../src/agh/daemon/stop-daemon.ts'
import type { RepairReport, SessionView } from '../../src/contract/agh/answers.ts'
import { aghConfigSchema } from '../../src/contract/agh/config.ts'
import type { SessionEvent } from '../../src/contract/agh/events.ts'
import type { Task } from '../../src/contract/agh/task.ts'
import { readProcessTable } from '../../src/lib/process/process-table.ts'
import { ofType } from '../support/agh-events.ts'
import { callDaemon, followDaemon } from '../support/call-agh.ts'
import { AO, buildAo } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'
import { type AghHome, type AghHomeOptions, createAghHome, text } from './agh-home.ts'
import { expectTurnsWhole } from './check-history.ts'
import { killHost } from './host-of.ts'

const AGH = join(import.meta.dirname, '..', '..', 'dist', 'agh.js')
let agh: AghHome

function prepare(options: AghHomeOptions = {}) {
  agh = createAghHome(options)
  writeFileSync(agh.context.paths.config, '[http]\nport = 0\n')
}

async function open(options: AghHomeOptions = {}) {
  prepare(options)
  return startDaemon(agh.context.paths, agh.context.env)
}
afterEach(async () => {
  await stopDaemon(agh.context.paths)
  expect(await agh.cleanup()).toEqual([])
})

const call = <T>(path: string, method?: 'GET' | 'POST' | 'DELETE', body?: object) =>
  callDaemon<T>(agh.context.paths.socket, path, { ...(method ? { method } : {}), ...(body ? { body } : {}) })
const create = async () =>
  (await call<{ session: SessionView }>('/api/sessions', 'POST', { workspace_path: agh.workspace })).session
const get = async (id: string) => (await call<{ session: SessionView }>(`/api/sessions/${id}`)).session
const eventsOf = async (id: string) => (await call<{ events: SessionEvent[] }>(`/api/sessions/${id}/events`)).events
const prompt = (id: string, message: string) =>
  followDaemon(agh.context.paths.socket, `/api/sessions/${id}/prompt`, { method: 'POST', body: { message } })
async function allEvents(id: string): Promise<SessionEvent[]> {
  const all: SessionEvent[] = []
  for (let page = ['first']; page.length > 0; ) {
    const path = `/api/sessions/${id}/events?after=${all.at(-1)?.sequence ?? 0}&limit=10000`
    const { events } = await call<{ events: SessionEvent[] }>(path)
    all.push(...events)
    page = events.map(({ type }) => type)
  }
  return all
}
async function collect(events: AsyncGenerator<SessionEvent>): Promise<SessionEvent[]> {
  const all: SessionEvent[] = []
  for await (const event of events) all.push(event)
  return all
}
function curl(...args: string[]) {
  const { stdout } = spawnSync('curl', ['-s', ...args], { encoding: 'utf8' })
  return stdout
}
const JSON_TYPE = ['-H', 'Content-Type: application/json']

describe('the daemon', () => {
  it('S4.15 S4.16 S4.25 S4.48 accepts the curl lines of the documentation, without a token', async () => {
    const { http } = await open()
    expect(aghConfigSchema.parse({}).http.port).toBe(2123)
    const body = JSON.stringify({ agent_name: 'general', name: 'code-review', workspace_path: agh.workspace })
    const made = JSON.parse(curl('-X', 'POST', `${http}/api/sessions`, ...JSON_TYPE, '-d', body)).session
    expect(made).toMatchObject({ name: 'code-review', agent_name: 'general', state: 'active' })
    const stream = curl(
      '-N',
      '-X',
      'POST',
      `${http}/api/sessions/${made.id}/prompt`,
      ...JSON_TYPE,
      '-d',
      '{"message":"say hello"}',
    )
    expect(stream.match(/^event: .*$/gm)).toEqual(['event: user_message', 'event: agent_message', 'event: done'])
    const stopped = JSON.parse(curl('-X', 'DELETE', `${http}/api/sessions/${made.id}`)).session
    expect(stopped).toMatchObject({ state: 'stopped', stop_reason: 'user_canceled' })
    expect(text(await eventsOf(made.id))).toBe('hello')
  })

  it.each([
    ['S4.19 both kinds of workspace', { workspace: 'a', workspace_path: '/tmp' }],
    ['S4.19 none', {}],
    ['S4.18 a relative path', { workspace_path: 'repo' }],
  ])('refuses %s and creates nothing', async (_name, body) => {
    await open()
    await expect(call('/api/sessions', 'POST', body)).rejects.toMatchObject({ code: 'USAGE' })
    expect(await call('/api/sessions')).toEqual({ sessions: [], damaged: [] })
  })

  it('S4.17 takes a registered workspace by name and by id', async () => {
    await open()
    const { workspace } = await call<{ workspace: { id: string } }>('/api/workspaces', 'POST', {
      path: agh.workspace,
      name: 'app',
    })
    for (const reference of ['app', workspace.id]) {
      const { session } = await call<{ session: SessionView }>('/api/sessions', 'POST', { workspace: reference })
      expect(session).toMatchObject({ workspace_id: workspace.id, workspace_path: agh.workspace })
    }
  })

  it('lets no browser and no foreign host in, and guards its socket', async () => {
    const { http } = await open()
    expect(curl('-H', 'Origin: http://localhost:2123', `${http}/api/sessions`)).toContain('browsers have no access')
    expect(curl('-H', 'Host: evil.example', `${http}/api/sessions`)).toContain('is not this server')
    const form = curl(
      '-X',
      'POST',
      `${http}/api/sessions`,
      '-H',
      'Content-Type: text/plain',
      '-d',
      '{"workspace_path":"/"}',
    )
    expect(form).toContain('application/json')
    expect(statSync(agh.context.paths.socket).mode & 0o777).toBe(0o600)
  })

  it('is the only one of its home, and gives the place free when it is killed', async () => {
    const { pid } = await open()
    const second = spawnSync(process.execPath, [AGH, 'daemon', 'start', '--foreground'], {
      env: agh.context.env,
      encoding: 'utf8',
    })
    expect(second.stderr).toContain('Another daemon is running')
    process.kill(pid, 'SIGKILL')
    await waitFor('its end', async () => (await daemonStatus(agh.context.paths)) === null)
    expect((await startDaemon(agh.context.paths, agh.context.env)).pid).not.toBe(pid)
  })

  it('S4.109 resumes a stream after the event that the reader has, without loss or repeat', async () => {
    const { http } = await open()
    const { id } = await create()
    await collect(prompt(id, 'stream 300'))
    const all = await eventsOf(id)
    const half = String(all[100]!.sequence)
    await call(`/api/sessions/${id}/stop`, 'POST', {})
    const rest = curl('-N', '-H', `Last-Event-ID: ${half}`, `${http}/api/sessions/${id}/stream`)
    const ids = [...rest.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]))
    expect(ids).toEqual([...all.slice(101).map(({ sequence }) => sequence), all.at(-1)!.sequence + 1])
    expect(rest).toContain('event: session_stopped')
    // A reader that has everything of an ended session must not reconnect.
    const end = ['-H', `Last-Event-ID: ${ids.at(-1)}`, `${http}/api/sessions/${id}/stream`]
    expect(curl('-o', '/dev/null', '-w', '%{http_code}', ...end)).toBe('204')
    expect(
      await collect(followDaemon(agh.context.paths.socket, `/api/sessions/${id}/stream?after=${ids.at(-1)}`)),
    ).toEqual([])
  })

  it('S4.77 follows a live session to its end, and reports there and in observe health what failed', async () => {
    await open()
    const { id } = await create()
    const following = collect(followDaemon(agh.context.paths.socket, `/api/sessions/${id}/stream`))
    await collect(prompt(id, 'say hi\nexit 3'))
    const events = await following
    const { failure } = await get(id)
    expect(failure).toMatchObject({ kind: 'process_exit' })
    expect(events.at(-1)).toMatchObject({ type: 'session_stopped', content: { failure } })
    const health = await call<{ failures: object[] }>('/api/observe/health')
    expect(health.failures).toMatchObject([{ session_id: id, failure }])
  })

  it('continues a turn whose reader has gone, and one whose reader never reads', async () => {
    await open()
    const { id } = await create()
    const gone = request({
      socketPath: agh.context.paths.socket,
      path: `/api/sessions/${id}/prompt`,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    })
    gone.on('error', () => undefined)
    gone.end(JSON.stringify({ message: 'stream 20000\nsay end' }))
    gone.once('response', (response) => response.pause())
    const idle = request({ socketPath: agh.context.paths.socket, path: `/api/sessions/${id}/stream` }, (response) =>
      response.pause(),
    ).end()
    await waitFor(
      'the end of the turn',
      async () => (await get(id)).health.state === 'idle' && (await get(id)).last_sequence > 20_000,
    )
    gone.destroy()
    idle.destroy()
    const { events } = await call<{ events: SessionEvent[] }>(`/api/sessions/${id}/events?after=20000&limit=100`)
    expect(events.at(-1)?.type).toBe('done')
  })

  it('S4.70 S4.72 ends its sessions with itself, as shutdown', async () => {
    await open()
    const { id } = await create()
    await stopDaemon(agh.context.paths)
    await startDaemon(agh.context.paths, agh.context.env)
    expect(await get(id)).toMatchObject({ state: 'stopped', stop_reason: 'shutdown', failure: null })
  })
})

describe('a daemon that is killed', () => {
  it('S4.93 S4.94 S4.97 S4.98 S4.99 S4.100 S4.101 S4.103 S4.104 with the host of its agent leaves nothing running and nothing half', async () => {
    const { pid } = await open({ agent: 'stay,resume' })
    const { id } = await create()
    await collect(prompt(id, 'fork\nsay before'))
    const reading = collect(prompt(id, 'say during\ntool-open t7\nsleep 60000')).catch(() => [])
    // In the log, not only in the session's activity, which is known a moment before the commit.
    await waitFor('the tool', async () => (await eventsOf(id)).some(({ type }) => type === 'tool_call'))
    const before = await eventsOf(id)
    const { spawn_id } = (await get(id)).process!
    process.kill(pid, 'SIGKILL')
    await killHost(agh.context.paths, id)
    await reading
    await waitFor('its end', async () => (await daemonStatus(agh.context.paths)) === null)
    expect(running(spawn_id)).toBeGreaterThan(1)
    await startDaemon(agh.context.paths, agh.context.env)
    // The daemon answers before that; what is about the session waits.
    expect(await get(id)).toMatchObject({
      state: 'stopped',
      stop_reason: 'agent_crashed',
      stop_detail: 'daemon crashed while session active',
      failure: { kind: 'process_exit' },
    })
    expect(running(spawn_id)).toBe(0)
    const after = await eventsOf(id)
    expect(after.slice(0, before.length)).toEqual(before)
    expect(
      after.slice(before.length).map(({ type, content }) => [type, 'status' in content ? content.status : null]),
    ).toEqual([
      ['tool_result', 'failed'],
      ['error', null],
      ['session_stopped', null],
    ])
    const repair = async (query: string) =>
      (await call<{ repair: RepairReport }>(`/api/sessions/${id}/repair${query}`, 'POST')).repair
    expect(await repair('?dry_run=true')).toMatchObject({ actions: [], persisted: false })
    expect(await repair('')).toMatchObject({ actions: [], persisted: false })
    expect(await eventsOf(id)).toEqual(after)
    const { session } = await call<{ session: SessionView }>(`/api/sessions/${id}/resume`, 'POST')
    expect(session).toMatchObject({ id, state: 'active', started_with: 'resume' })
  })

  it('S4.109 loses no event that a reader has seen, and doubles none, wherever in a stream it is killed', async () => {
    await open({ agent: 'resume' })
    const { id } = await create()
    for (let round = 0; round < 4; round++) {
      const seen: SessionEvent[] = []
      const { pid } = (await daemonStatus(agh.context.paths))!
      const reading = (async () => {
        for await (const event of prompt(id, 'stream 20000')) {
          if (seen.push(event) === 1 + round * 1_500) process.kill(pid, 'SIGKILL')
        }
      })().catch(() => undefined)
      await reading
      await waitFor('its end', async () => (await daemonStatus(agh.context.paths)) === null)
      await startDaemon(agh.context.paths, agh.context.env)
      await waitFor('the end of the turn', async () => (await get(id)).health.state === 'idle')
      const stored = await allEvents(id)
      expectTurnsWhole(stored)
      expect(seen.map(({ sequence }) => stored[sequence - 1])).toEqual(seen)
      expect(ofType(stored, 'agent_message')).toHaveLength((round + 1) * 20_000)
    }
  })

  it.each([
    ['agh-starting', 'error', 'start did not complete'],
    ['agh-before-launch', 'error', 'start did not complete'],
    ['agh-after-launch', 'error', 'start did not complete'],
    ['agh-stopping', 'agent_crashed', 'stop did not complete'],
    // Its end is in the log already, and the list says the same as the log.
    ['agh-before-final-meta', 'user_canceled', null],
    ['agh-stopped', 'user_canceled', null],
  ])('S4.94 S4.95 S4.96 at the point %s becomes %s', async (point, stop_reason, stop_detail) => {
    await open({ env: { AO_FAILPOINT: point } })
    const sessionId = await create()
      .then(async ({ id }) => {
        await call(`/api/sessions/${id}/stop`, 'POST', {}).catch(() => undefined)
        return id
      })
      .catch(() => undefined)
    await waitFor('its end', async () => (await daemonStatus(agh.context.paths)) === null)
    await startDaemon(agh.context.paths, { ...agh.context.env, AO_FAILPOINT: '' })
    const { sessions } = await call<{ sessions: SessionView[] }>('/api/sessions')
    expect(sessions).toHaveLength(1)
    if (sessionId) expect(sessions[0]!.id).toBe(sessionId)
    expect(sessions[0]).toMatchObject({ state: 'stopped', stop_reason, stop_detail, process: null })
    const events = await eventsOf(sessions[0]!.id)
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1))
    expect(events.filter(({ type }) => type === 'session_stopped')).toHaveLength(1)
  })
})

describe('a daemon that is killed right after a start', () => {
  it('leaves an agent that the next one continues', async () => {
    await open({ env: { AO_FAILPOINT: 'agh-active' } })
    await create().catch(() => undefined)
    await waitFor('its end', async () => (await daemonStatus(agh.context.paths)) === null)
    await startDaemon(agh.context.paths, { ...agh.context.env, AO_FAILPOINT: '' })
    const { sessions } = await call<{ sessions: SessionView[] }>('/api/sessions')
    expect(sessions).toMatchObject([{ state: 'active', stop_reason: null, health: { state: 'idle' } }])
    expect(text(await collect(prompt(sessions[0]!.id, 'say hello')))).toBe('hello')
  })
})

describe('a daemon that is killed while an agent changes its conversations', () => {
  const begin = async (point: string) => {
    prepare({ agent: 'resume,fork,delete', env: { AO_FAILPOINT: point } })
    agh.context.env.FAKE_ACP_STORE = join(agh.home, 'conversations')
    await startDaemon(agh.context.paths, agh.context.env)
    return create()
  }
  const startAgain = async () => {
    await waitFor('its end', async () => (await daemonStatus(agh.context.paths)) === null)
    await startDaemon(agh.context.paths, { ...agh.context.env, AO_FAILPOINT: '' })
  }
  const resumed = async (id: string) =>
    (await call<{ session: SessionView }>(`/api/sessions/${id}/resume`, 'POST', {})).session

  it('leaves a fork that knows what it was to copy, and copies it when it is resumed', async () => {
    const { id } = await begin('agh-forked')
    await expect(call(`/api/sessions/${id}/fork`, 'POST', {})).rejects.toThrow()
    await startAgain()
    const { sessions } = await call<{ sessions: SessionView[] }>('/api/sessions')
    expect(sessions).toMatchObject([
      { id, state: 'active' },
      { state: 'stopped', acp_session_id: null, forked_from: { session_id: id } },
    ])
    expect(await resumed(sessions[1]!.id)).toMatchObject({ state: 'active', started_with: 'fork' })
  })

  it('leaves a deletion that may have happened, and a resume that finds out', async () => {
    const { id } = await begin('agh-conversation-deleted')
    await call(`/api/sessions/${id}/stop`, 'POST', {})
    await expect(call(`/api/sessions/${id}/conversation/delete`, 'POST', {})).rejects.toThrow()
    await startAgain()
    expect(await get(id)).toMatchObject({ state: 'stopped', conversation: 'deleting' })
    expect(await resumed(id)).toMatchObject({ state: 'active', started_with: 'new_with_recap' })
  })
})

describe('a daemon that is killed with work in its queue', () => {
  it('S4.117 has it done by the next one, once', async () => {
    await open({ env: { AO_FAILPOINT: 'agh-task-queued' } })
    const { task } = await call<{ task: Task }>('/api/tasks', 'POST', {
      title: 'Tidy up',
      prompt: 'say tidy',
      workspace_path: agh.workspace,
    })
    await expect(call(`/api/tasks/${task.id}/runs`, 'POST')).rejects.toThrow()
    await waitFor('its end', async () => (await daemonStatus(agh.context.paths)) === null)
    await startDaemon(agh.context.paths, { ...agh.context.env, AO_FAILPOINT: '' })
    const runs = async () => (await call<{ task: Task }>(`/api/tasks/${task.id}`)).task.runs
    await waitFor('the end of the run', async () => (await runs())[0]?.ended_at !== null)
    expect(await runs()).toMatchObject([{ state: 'completed' }])
    const { sessions } = await call<{ sessions: SessionView[] }>('/api/sessions')
    expect(sessions).toMatchObject([{ type: 'coordinator' }])
    expect(text(await eventsOf(sessions[0]!.id))).toBe('tidy')
  })
})

describe('the command', () => {
  const built = join(dirname(AO), 'agh.js')
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [built, ...args], { env: agh.context.env, encoding: 'utf8', cwd: agh.workspace })

  it('S4.14 S4.24 S4.37 S4.47 S4.72 S4.76 S4.78 as it is built does what the documentation shows, and starts its daemon', () => {
    buildAo()
    prepare()
    const made = run(
      'session',
      'new',
      '--agent',
      'general',
      '--cwd',
      agh.workspace,
      '--name',
      'code-review',
      '-o',
      'json',
    )
    const { id } = JSON.parse(made.stdout).session
    expect(run('session', 'prompt', id, 'say hello').stdout).toBe('hello\n')
    expect(run('session', 'health', id).stdout).toContain('idle  healthy')
    expect(JSON.parse(run('session', 'inspect', id).stdout).session.health).toMatchObject({ eligible_for_wake: true })
    expect(run('session', 'prompt', id, 'exit 9').status).toBe(1)
    expect(run('session', 'wait', id, '--timeout', '20s').status).toBe(1)
    const { failure } = JSON.parse(run('session', 'status', id, '-o', 'json').stdout).session
    expect(failure).toMatchObject({ kind: 'process_exit' })
    const listed = JSON.parse(run('session', 'list', '--all', '-o', 'json').stdout)
    expect(listed[0].failure).toEqual(failure)
    expect(run('session', 'list').stdout).toBe('')
    expect(run('session', 'resume', id).status).toBe(0)
    expect(run('session', 'stop', id, '--detail', 'budget_exceeded').stdout).toContain('budget_exceeded')
    const lines = run('session', 'events', id, '-o', 'jsonl').stdout.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).sequence)).toEqual(lines.map((_, index) => index + 1))
    const missing = run('session', 'status', 'sess-none')
    expect([missing.status, missing.stderr]).toEqual([
      4,
      'error: There is no session sess-none\nhint: List the sessions with: agh session list --all\n',
    ])
  }, 120_000)
})

/** Processes that carry the marker. */
function running(spawnId: string): number {
  return readProcessTable().filter((row) => row.environment.value('AO_SPAWN_ID') === spawnId).length
}
