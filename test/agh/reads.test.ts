// Reading a session changes nothing on the disk, whatever state it was left in.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { DRIVER_ROUTES } from '../../src/agh/daemon/routes/driver-routes.ts'
import { describedRoutes } from '../../src/agh/daemon/routes/routes.ts'
import { openListeners } from '../../src/agh/daemon/serve.ts'
import { streamEvents } from '../../src/agh/daemon/stream-events.ts'
import { readEvents, repairTranscript, resume, stopSession } from '../../src/agh/runtime.ts'
import { callDaemon } from '../support/call-agh.ts'
import { type AghHome, createAghHome } from './agh-home.ts'
import { SAMPLE_PARTS } from './sample-meta.ts'

let agh: AghHome
beforeEach(() => {
  agh = createAghHome({ agent: 'resume', config: { http: { port: 0 } } })
})
afterEach(async () => expect(await agh.cleanup()).toEqual([]))

const fileOf = (id: string, name: string) => join(agh.context.paths.sessions, id, name)

async function stoppedSession(): Promise<string> {
  const { id } = await agh.create()
  await agh.prompt(id, 'stream 400')
  await stopSession(agh.context, id, null)
  return id
}

/** As a killed daemon leaves it: `active`, with an open turn. */
async function staleSession(): Promise<string> {
  const id = await stoppedSession()
  const meta = JSON.parse(readFileSync(fileOf(id, 'meta.json'), 'utf8'))
  writeFileSync(fileOf(id, 'meta.json'), JSON.stringify({ ...meta, state: 'active', stop_reason: null }))
  return id
}

async function damagedSession(): Promise<string> {
  const id = await stoppedSession()
  const bytes = readFileSync(fileOf(id, 'events.db'))
  bytes.fill(0xff, 4_096 * 12, 4_096 * 13)
  writeFileSync(fileOf(id, 'events.db'), bytes)
  return id
}

/** Every file under the home by its content. SQLite keeps an index of its own beside a log that is read. */
function snapshot(): Record<string, string> {
  const names = readdirSync(agh.context.paths.home, { recursive: true, withFileTypes: true })
  const files = names.filter((entry) => entry.isFile() && !/-(?:shm|wal)$/.test(entry.name))
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name)
      return [path, createHash('sha256').update(readFileSync(path)).digest('hex')]
    }),
  )
}

const READS = [...describedRoutes(), ...DRIVER_ROUTES].flatMap(({ method, path }) => (method === 'GET' ? path : []))
const DRY_RUNS = ['/api/sessions/:id/repair?dry_run=true', '/api/sessions/:id/wake?dry_run=true']

it.each([
  ['stopped', stoppedSession],
  ['left behind by a killed daemon', staleSession],
  ['damaged', damagedSession],
])('S4.103 no GET and no dry run changes a file of a session that is %s', async (_what, make) => {
  const id = await make()
  const context = agh.restart()
  const listeners = await openListeners(context, SAMPLE_PARTS)
  try {
    const ask = (path: string, method: 'GET' | 'POST') =>
      callDaemon(context.paths.socket, path.replace(':id', id).replace(/:\w+/, 'none'), { method }).catch(
        () => undefined,
      )
    const before = snapshot()
    expect(READS.length).toBeGreaterThan(15)
    for (const path of READS) {
      await ask(path, 'GET')
      expect(snapshot(), path).toEqual(before)
    }
    for (const path of DRY_RUNS) {
      await ask(path, 'POST')
      expect(snapshot(), path).toEqual(before)
    }
  } finally {
    await listeners.close()
  }
})

it('S4.103 a dry run says what the repair then does', async () => {
  const stale = await staleSession()
  const damaged = await damagedSession()
  const context = agh.restart()
  const preview = await repairTranscript(context, stale, { dryRun: true })
  expect(preview).toMatchObject({ issues: [{ code: 'session_stale' }], actions: [], persisted: false })
  expect(await repairTranscript(context, damaged, { dryRun: true })).toMatchObject({
    issues: [{ code: 'event_log_damaged' }],
    persisted: false,
  })
  expect(await repairTranscript(context, stale, { dryRun: false })).toMatchObject({ actions: [], persisted: true })
  const done = await repairTranscript(context, damaged, { dryRun: false })
  expect(done.issues[0]).toMatchObject({ code: 'event_log_damaged' })
  expect(done.persisted).toBe(true)
})

it('a stream does not tell its reader to stay away when the session is resumed at that moment', async () => {
  const id = await stoppedSession()
  const after = (await agh.events(id)).at(-1)!.sequence
  await resume(agh.context, id)
  const resumed = agh.context.live.get(id)!
  agh.context.live.delete(id)
  const response = new ServerResponse(new IncomingMessage(new Socket()))
  const served = streamEvents(agh.context, response, { sessionId: id, after: after + 1 })
  // The session is back before its log has been read.
  agh.context.live.set(id, resumed)
  await served
  expect(response.statusCode).toBe(200)
})

it('a session that is just ending is read from its file once its store is closed', async () => {
  const { id } = await agh.create()
  await agh.prompt(id, 'say hello')
  const before = await agh.events(id)
  const ending = agh.context.live.get(id)!
  await ending.store.close()
  expect(agh.context.live.has(id)).toBe(true)
  const rows = await readEvents(agh.context, id, 0, 1_000)
  expect(rows.map(({ sequence }) => sequence)).toEqual(before.map(({ sequence }) => sequence))
})
