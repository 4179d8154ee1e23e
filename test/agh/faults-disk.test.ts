// A disk that is full: a small one in memory where that can be mounted, and a database that may not grow everywhere.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { daemonProcess } from '../../src/agh/daemon/daemon-file.ts'
import { startDaemon } from '../../src/agh/daemon/start-daemon.ts'
import { stopDaemon } from '../../src/agh/daemon/stop-daemon.ts'
import type { AghPaths } from '../../src/agh/paths.ts'
import { openDatabase } from '../../src/agh/store/database.ts'
import { createEventStore } from '../../src/agh/store/event-store.ts'
import type { SessionView } from '../../src/contract/agh/answers.ts'
import type { EventDraft, EventRow, SessionEvent } from '../../src/contract/agh/events.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { callDaemon, followDaemon } from '../support/call-agh.ts'
import { waitFor } from '../support/wait-for.ts'
import { AGENT, type AghHome, createAghHome } from './agh-home.ts'
import { expectTurnsWhole, expectWhole, processesOf } from './check-history.ts'

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
  const agentMessage = (text: string) => ({ turn_id: 't', type: 'agent_message' as const, content: { text } })
  const ended: EventDraft = {
    turn_id: 't',
    type: 'done',
    content: { stop_reason: 'end_turn', usage: null, canceled_by: null },
  }
  while (failures.length === 0) {
    for (let index = 0; index < 100; index++) store.append(agentMessage('x'.repeat(200)))
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
  await onSmallDisk(skip, async ({ paths, env, disk }) => {
    await startDaemon(paths, env)
    await fillUp(paths.socket, disk)
  })
})

/** The start itself fails, or what it does next. */
const FREE_KB = [0, 4]

it.for(FREE_KB)(
  'N12 a daemon that starts with %i KB left ends no agent of the one before, and continues all of them with room',
  { timeout: 120_000 },
  async (free, { skip }) => {
    await onSmallDisk(skip, async ({ paths, env, disk }) => {
      const daemon = await startDaemon(paths, env)
      const { socket } = paths
      const create = async () =>
        (
          await callDaemon<{ session: SessionView }>(socket, '/api/sessions', {
            method: 'POST',
            body: { workspace_path: agh.workspace },
          })
        ).session.id
      const [working, idle] = [await create(), await create()]
      const body = { message: 'say begun\nsleep 1500\nstream 2000\nsay end' }
      for await (const event of followDaemon(socket, `/api/sessions/${working}/prompt`, { method: 'POST', body })) {
        if (event.type === 'agent_message') break
      }
      process.kill(daemon.pid, 'SIGKILL')
      await waitFor('its end', () => daemonProcess(paths) === 'dead')
      spawnSync('sh', ['-c', `cat /dev/zero > filler; truncate -s -${free}K filler`], { cwd: disk })
      const started = await startDaemon(paths, env).catch((error: unknown) => error)
      const list = async () =>
        (await callDaemon<{ sessions: SessionView[] }>(socket, '/api/sessions')).sessions.map(({ state }) => state)
      if (!(started instanceof Error)) expect(await list()).toEqual(['active', 'active'])
      spawnSync('mount', ['-o', `remount,size=${LARGE}`, disk])
      if (started instanceof Error) await startDaemon(paths, env)
      const get = async (id: string) =>
        (await callDaemon<{ session: SessionView }>(socket, `/api/sessions/${id}`)).session.health.state
      await waitFor('the end of the turn', async () => (await get(working)) === 'idle', 60_000)
      await waitFor('the other one', async () => (await get(idle)) === 'idle', 60_000)
      const events = await readAll(socket, working)
      expectTurnsWhole(events)
      expect(events.at(-1)).toMatchObject({ type: 'done', content: { stop_reason: 'end_turn', canceled_by: null } })
      expect(await list()).toEqual(['active', 'active'])
    })
  },
)

interface SmallDisk {
  paths: AghPaths
  env: NodeJS.ProcessEnv
  disk: string
}

async function onSmallDisk(skip: (why: string) => void, work: (small: SmallDisk) => Promise<void>): Promise<void> {
  const disk = join(agh.home, 'small')
  mkdirSync(disk)
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SMALL}`, 'tmpfs', disk], { encoding: 'utf8' })
  if (mounted.status !== 0) return skip(`a small disk cannot be mounted here: ${mounted.stderr.trim()}`)
  const env = { ...agh.context.env, AGH_HOME: disk }
  const paths = { ...agh.context.paths, ...pathsIn(disk) }
  try {
    mkdirSync(join(disk, 'agents', 'general'), { recursive: true })
    const command = JSON.stringify([process.execPath, AGENT])
    writeFileSync(join(disk, 'agents', 'general', 'AGENT.md'), `---\ncommand: ${command}\n---\n`)
    writeFileSync(join(disk, 'config.toml'), '[http]\nport = 0\n[session.timeouts]\ndriver_stop = "500ms"\n')
    await work({ paths, env, disk })
  } finally {
    await stopDaemon(paths)
    spawnSync('umount', ['-l', disk])
  }
}

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

async function fillUp(socket: string, disk: string): Promise<void> {
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
  spawnSync('sh', ['-c', 'cat /dev/zero > filler'], { cwd: disk })
  // A prompt that cannot be kept is refused, not lost.
  await expect(call('/api/sessions', { workspace_path: agh.workspace })).rejects.toMatchObject({
    code: expect.any(String),
  })

  spawnSync('mount', ['-o', `remount,size=${LARGE}`, disk])
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
  const half = readdirSync(join(disk, 'sessions', id)).filter((name) => name.endsWith('.tmp'))
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
