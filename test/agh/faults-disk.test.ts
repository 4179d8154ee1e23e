// A disk that is full: a small one in memory where that can be mounted, and a database that may not grow everywhere.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startDaemon } from '../../src/agh/daemon/start-daemon.ts'
import { stopDaemon } from '../../src/agh/daemon/stop-daemon.ts'
import { openDatabase } from '../../src/agh/store/database.ts'
import { createEventStore } from '../../src/agh/store/event-store.ts'
import type { SessionView } from '../../src/contract/agh/answers.ts'
import type { EventDraft, EventRow, SessionEvent } from '../../src/contract/agh/events.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { callDaemon, followDaemon } from '../support/call-agh.ts'
import { waitFor } from '../support/wait-for.ts'
import { AGENT, type AghHome, createAghHome } from './agh-home.ts'
import { expectWhole, processesOf } from './check-history.ts'

let agh: AghHome
beforeEach(() => {
  agh = createAghHome({ agent: 'resume' })
})
afterEach(async () => {
  expect(await agh.cleanup()).toEqual([])
})

it('an event log that may not grow keeps what it showed, refuses the rest, and continues when there is room', async () => {
  const db = await openDatabase(join(agh.home, 'small.db'))
  const failures: unknown[] = []
  const shown: EventRow[] = []
  const store = createEventStore(db, { clock: systemClock, floor: 0, onFailure: (error) => failures.push(error) })
  store.subscribe((rows) => shown.push(...rows))
  db.pragma('max_page_count = 40')
  const said = (text: string) => ({ turn_id: 't', type: 'agent_message' as const, content: { text } })
  const ended: EventDraft = {
    turn_id: 't',
    type: 'done',
    content: { stop_reason: 'end_turn', usage: null, canceled_by: null },
  }
  while (failures.length === 0) {
    for (let index = 0; index < 100; index++) store.append(said('x'.repeat(200)))
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  expect(failures[0]).toMatchObject({ code: 'SQLITE_FULL' })
  await expect(store.appendDurable(ended)).rejects.toThrow('full')
  expect(store.readAfter(0, 100_000)).toEqual(shown)
  db.pragma('max_page_count = 4000')
  const done = await store.appendDurable(ended)
  const all = store.readAfter(0, 100_000)
  expect(all.map(({ sequence }) => sequence)).toEqual(all.map((_, index) => index + 1))
  expect(all.at(-1)).toEqual(done)
  expect(all.slice(0, shown.length)).toEqual(shown)
  await store.close()
})

const SMALL = '3m'
const LARGE = '64m'

it('a full disk ends the session that writes, with a clear failure; the daemon survives, and continues with room', async ({
  skip,
}) => {
  const place = join(agh.home, 'small')
  mkdirSync(place)
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SMALL}`, 'tmpfs', place], { encoding: 'utf8' })
  if (mounted.status !== 0) return skip(`a small disk cannot be mounted here: ${mounted.stderr.trim()}`)
  const env = { ...agh.context.env, AGH_HOME: place }
  const paths = { ...agh.context.paths, ...pathsIn(place) }
  try {
    mkdirSync(join(place, 'agents', 'general'), { recursive: true })
    const command = JSON.stringify([process.execPath, AGENT])
    writeFileSync(join(place, 'agents', 'general', 'AGENT.md'), `---\ncommand: ${command}\n---\n`)
    writeFileSync(join(place, 'config.toml'), '[http]\nport = 0\n[session.timeouts]\ndriver_stop = "500ms"\n')
    await startDaemon(paths, env)
    await fillUp(paths.socket, place)
  } finally {
    await stopDaemon(paths)
    spawnSync('umount', ['-l', place])
  }
})

function pathsIn(home: string) {
  return {
    home,
    socket: join(home, 'daemon.sock'),
    lock: join(home, 'daemon.lock'),
    daemonFile: join(home, 'daemon.json'),
    sessions: join(home, 'sessions'),
    log: join(home, 'logs', 'agh.log'),
  }
}

async function fillUp(socket: string, place: string): Promise<void> {
  const call = <T>(path: string, body?: object) =>
    callDaemon<T>(socket, path, body === undefined ? {} : { method: 'POST', body })
  const get = async (id: string) => (await call<{ session: SessionView }>(`/api/sessions/${id}`)).session
  const { session } = await call<{ session: SessionView }>('/api/sessions', { workspace_path: agh.workspace })
  const { id } = session
  const seen: SessionEvent[] = []
  const body = { message: 'stream 40000' }
  const prompt = followDaemon(socket, `/api/sessions/${id}/prompt`, { method: 'POST', body })
  for await (const event of prompt) seen.push(event)
  await waitFor('the end', async () => (await get(id)).state === 'stopped')
  expect(seen.length).toBeGreaterThan(1_000)
  expect(processesOf(id)).toBe(0)
  const full = await get(id)
  expect(full).toMatchObject({
    stop_reason: 'error',
    failure: { kind: 'unknown_failure', summary: expect.stringMatching(/cannot be written: .*full/) },
  })
  expect(await call('/api/sessions')).toMatchObject({ sessions: [{ id, state: 'stopped' }] })
  // The host of the agent has left, and with it what it kept.
  spawnSync('sh', ['-c', 'cat /dev/zero > filler'], { cwd: place })
  // A prompt that cannot be kept is refused, not lost.
  await expect(call('/api/sessions', { workspace_path: agh.workspace })).rejects.toMatchObject({
    code: expect.any(String),
  })

  spawnSync('mount', ['-o', `remount,size=${LARGE}`, place])
  await call(`/api/sessions/${id}/repair`, {})
  const stored = await readAll(socket, id)
  expect(seen.map(({ sequence }) => stored[sequence - 1])).toEqual(seen)
  expect(await call(`/api/sessions/${id}/resume`, {})).toMatchObject({ session: { id, state: 'active' } })
  for await (const event of followDaemon(socket, `/api/sessions/${id}/prompt`, {
    method: 'POST',
    body: { message: 'say there is room' },
  })) {
    seen.push(event)
  }
  expect(seen.at(-1)).toMatchObject({ type: 'done' })
  await call(`/api/sessions/${id}/stop`, {})
  expectWhole((await readAll(socket, id)).filter(({ type }) => type !== 'store_salvaged'))
  const half = readdirSync(join(place, 'sessions', id)).filter((name) => name.endsWith('.tmp'))
  expect(half).toEqual([])
}

async function readAll(socket: string, id: string): Promise<SessionEvent[]> {
  const all: SessionEvent[] = []
  for (;;) {
    const after = all.at(-1)?.sequence ?? 0
    const path = `/api/sessions/${id}/events?after=${after}&limit=10000`
    const { events } = await callDaemon<{ events: SessionEvent[] }>(socket, path)
    if (events.length === 0) return all
    all.push(...events)
  }
}
