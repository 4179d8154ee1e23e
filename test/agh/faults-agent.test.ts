// Agents and clients that do not behave, and stops that must come to an end all the same.

import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { daemonStatus } from '../../src/agh/daemon/daemon-status.ts'
import { startDaemon } from '../../src/agh/daemon/start-daemon.ts'
import { stopDaemon } from '../../src/agh/daemon/stop-daemon.ts'
import { promptSession, stopSession } from '../../src/agh/runtime.ts'
import { openDatabase, openReadOnly } from '../../src/agh/store/database.ts'
import { historyFile } from '../../src/agh/store/meta-file.ts'
import type { SessionView } from '../../src/contract/agh/answers.ts'
import type { SessionEvent } from '../../src/contract/agh/events.ts'
import { callDaemon, followDaemon } from '../support/call-agh.ts'
import { waitFor } from '../support/wait-for.ts'
import { type AghHome, type AghHomeOptions, createAghHome } from './agh-home.ts'
import { expectWhole, processesOf } from './check-history.ts'

let agh: AghHome
function open(options: AghHomeOptions = {}) {
  agh = createAghHome(options)
}
async function openDaemon(options: AghHomeOptions = {}): Promise<string> {
  open(options)
  writeFileSync(agh.context.paths.config, '[http]\nport = 0\n')
  await startDaemon(agh.context.paths, agh.context.env)
  const body = { workspace_path: agh.workspace }
  return (await call<{ session: SessionView }>('/api/sessions', body)).session.id
}
const call = <T>(path: string, body?: object) =>
  callDaemon<T>(agh.context.paths.socket, path, body === undefined ? {} : { method: 'POST', body })
const memoryMb = async () => (await daemonStatus(agh.context.paths))!.memory_bytes / 2 ** 20

afterEach(async () => {
  await stopDaemon(agh.context.paths)
  expect(await agh.cleanup()).toEqual([])
})

describe('an agent', () => {
  it('S4.67 S4.86 that is killed in a turn ends the turn and the session, and nothing of what it said is lost', async () => {
    open({ agent: 'resume' })
    const { id } = await agh.create()
    const { ended } = await promptSession(agh.context, id, 'stream 500\ntool-open t1\nfork\nsleep 60000')
    const live = agh.context.live.get(id)!
    await waitFor('its stream', () => live.store.lastSequence() > 500)
    process.kill(live.process!.identity!.pid, 'SIGKILL')
    await ended
    const session = await agh.stopped(id)
    expect(session).toMatchObject({
      state: 'stopped',
      stop_reason: 'agent_crashed',
      failure: { kind: 'process_exit', crash_bundle_path: expect.any(String) },
    })
    const events = await agh.events(id)
    expectWhole(events)
    expect(events.filter(({ type }) => type === 'agent_message')).toHaveLength(500)
    expect(processesOf(id)).toBe(0)
  })

  it('S4.87 whose line never ends is cut off at 32 MiB, and the memory that it cost stays bounded', async () => {
    const id = await openDaemon()
    const before = await memoryMb()
    const events: SessionEvent[] = []
    const body = { message: `say before\nflood ${100 * 2 ** 20}` }
    const path = `/api/sessions/${id}/prompt`
    for await (const event of followDaemon(agh.context.paths.socket, path, { method: 'POST', body })) events.push(event)
    await waitFor('the end', async () => (await get(id)).state === 'stopped')
    expect(await get(id)).toMatchObject({ stop_reason: 'error', failure: { kind: 'transport_failure' } })
    expect((await get(id)).failure?.summary).toContain('a line of more than')
    expect(events.map(({ type }) => type)).toEqual(['user_message', 'agent_message', 'error'])
    // Twice the limit for the line and its copy, and what the collector has not come to yet.
    expect((await memoryMb()) - before).toBeLessThan(150)
    expect(processesOf(id)).toBe(0)
  })
})

describe('a client', () => {
  it('that never reads costs neither the agent its time nor the daemon its memory', async () => {
    const id = await openDaemon()
    const before = await memoryMb()
    const options = { socketPath: agh.context.paths.socket, path: `/api/sessions/${id}/stream` }
    const idle = Array.from({ length: 5 }, () => request(options, (response) => response.pause()).end())
    for (let turn = 0; turn < 2; turn++) {
      const body = { message: 'stream 20000' }
      const events = followDaemon(agh.context.paths.socket, `/api/sessions/${id}/prompt`, { method: 'POST', body })
      for await (const _ of events);
    }
    expect((await get(id)).last_sequence).toBeGreaterThan(40_000)
    // All that the five did not read is 40 MB.
    expect((await memoryMb()) - before).toBeLessThan(100)
    for (const client of idle) client.destroy()
  })
})

describe('a stop', () => {
  it('S4.58 ends in time with an agent that obeys nothing, a hook that hangs, and a stranger who reads the history', async () => {
    open({
      agent: 'stay',
      config: {
        session: { timeouts: { driver_stop: '300ms', lifecycle: '700ms' } },
        hooks: [{ event: 'session.stopped', command: 'sleep 600', timeout: '10m' }],
      },
    })
    const { id } = await agh.create()
    await promptSession(agh.context, id, 'ignore-cancel\nfork\nstream 100\nsleep 600000')
    await waitFor('its stream', () => agh.context.live.get(id)!.store.lastSequence() > 100)
    const stranger = await openReadOnly(historyFile(agh.context.paths, id))
    stranger.exec('BEGIN')
    stranger.prepare('SELECT count(*) FROM events').get()
    const began = performance.now()
    const session = await stopSession(agh.context, id, null)
    const took = performance.now() - began
    stranger.close()
    // Cancel 1 s at most, driver_stop 0.3 s, the end of the turn and the hook 0.7 s each, signals 0.5 s; the rest is patience.
    expect(took).toBeLessThan(15_000)
    expect(session).toMatchObject({ state: 'stopped', stop_reason: 'user_canceled' })
    expect((await agh.events(id)).at(-1)?.type).toBe('session_stopped')
    expect(processesOf(id)).toBe(0)
    const history = await openReadOnly(historyFile(agh.context.paths, id))
    expect(history.prepare('SELECT outcome, detail FROM hook_runs').all()).toEqual([
      { outcome: 'failed', detail: expect.stringMatching(/^it did not end within \d+ ms$/) },
    ])
    history.close()
  })

  it('S4.89 S4.65 with a reason that has no kind of its own is an unknown_failure with its evidence', async () => {
    const id = await openDaemon()
    const stranger = await openDatabase(historyFile(agh.context.paths, id))
    stranger.exec(
      "CREATE TRIGGER refused BEFORE INSERT ON events WHEN NEW.type = 'agent_message' BEGIN SELECT RAISE(FAIL, 'not here'); END",
    )
    stranger.close()
    const body = { message: 'say hello\nsleep 60000' }
    const prompt = followDaemon(agh.context.paths.socket, `/api/sessions/${id}/prompt`, { method: 'POST', body })
    for await (const _ of prompt);
    await waitFor('the end', async () => (await get(id)).state === 'stopped')
    const { failure, stop_reason } = await get(id)
    expect(stop_reason).toBe('error')
    expect(failure).toMatchObject({
      kind: 'unknown_failure',
      summary: 'the history cannot be written: not here',
      crash_bundle_path: expect.stringMatching(/unknown_failure\.json$/),
    })
    const { failures } = await call<{ failures: object[] }>('/api/observe/health')
    expect(failures).toMatchObject([{ session_id: id, failure }])
  })
})

async function get(id: string): Promise<SessionView> {
  return (await call<{ session: SessionView }>(`/api/sessions/${id}`)).session
}
