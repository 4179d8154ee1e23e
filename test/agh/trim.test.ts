// Freeing the disk of the event log of a session that has ended.
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readUsage, resume, stopSession, trimSession } from '../../src/agh/runtime.ts'
import { findMessage } from '../../src/agh/session/driver/driver-messages.ts'
import { openDatabase, readDatabase } from '../../src/agh/store/database.ts'
import { readMeta, writeMeta } from '../../src/agh/store/meta-file.ts'
import { openHistory } from '../../src/agh/store/open-history.ts'
import { replaceDamaged } from '../../src/agh/store/salvage.ts'
import { canTrim, trimLog } from '../../src/agh/store/trim-log.ts'
import type { EventRow } from '../../src/contract/agh/events.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { type AghHome, createAghHome } from './agh-home.ts'

let agh: AghHome
beforeEach(() => {
  agh = createAghHome({ agent: 'resume' })
})
afterEach(async () => {
  expect(await agh.cleanup()).toEqual([])
})

const logOf = (id: string) => join(agh.context.paths.sessions, id, 'events.db')
const rowsOf = (file: string) =>
  readDatabase(file, (db) => db.prepare('SELECT * FROM events ORDER BY sequence').all() as EventRow[])

/** Its log: many turns of which only the last ones can stay. */
async function longSession(): Promise<string> {
  const { id } = await agh.create()
  await agh.prompt(id, 'say begin')
  await stopSession(agh.context, id, null)
  const store = await openHistory(logOf(id), { clock: systemClock, floor: 0, onFailure: () => undefined })
  for (let turn = 0; turn < 60; turn++) {
    const turn_id = `turn-${turn}`
    store.append({ turn_id, type: 'user_message', content: { text: `go ${turn}`, source: 'user' } })
    for (let n = 0; n < 10; n++) {
      const content = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'x'.repeat(900) } }
      store.append({ turn_id, type: 'agent_message', content })
    }
    store.append({ turn_id, type: 'done', content: { stop_reason: 'end_turn', usage: null, canceled_by: null } })
    store.recordUsage(turn_id, { totalTokens: turn })
  }
  await store.close()
  return id
}

it('keeps its end from the beginning of a turn on, says what went, and the numbers stay', async () => {
  const id = await longSession()
  const before = await rowsOf(logOf(id))
  const size = statSync(logOf(id)).size
  const report = await trimSession(agh.context, id)
  const [notice, ...kept] = await agh.events(id)
  expect(notice).toMatchObject({
    type: 'store_trimmed',
    sequence: report.dropped_events,
    content: { dropped_events: report.dropped_events, dropped_bytes: report.dropped_bytes },
  })
  expect(await rowsOf(logOf(id))).toEqual([expect.anything(), ...before.slice(report.dropped_events)])
  expect(kept[0]).toMatchObject({ type: 'user_message', sequence: report.dropped_events + 1 })
  expect(report.dropped_bytes).toBeGreaterThan(400_000)
  expect(statSync(logOf(id)).size).toBeLessThan(size / 3)
  expect(await readUsage(agh.context, id)).toHaveLength(61)
  expect(await trimSession(agh.context, id)).toMatchObject({ dropped_events: 0 })
  await resume(agh.context, id)
  const events = await agh.prompt(id, 'say on')
  expect(events[0]!.sequence).toBeGreaterThan(before.length)
})

it('is refused while its session is running, and for a name that is no session', async () => {
  const { id } = await agh.create()
  await agh.prompt(id, 'stream 50')
  const before = await agh.events(id)
  await expect(trimSession(agh.context, id)).rejects.toMatchObject({ code: 'STATE_REFUSED' })
  expect(await agh.events(id)).toEqual(before)
  for (const name of ['../../etc', 'sess-0000000000000000', ''])
    await expect(trimSession(agh.context, name)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
})

it('gives way to a session that is started meanwhile: its log is as it was, and grows', async () => {
  const id = await longSession()
  const before = await rowsOf(logOf(id))
  const [trimmed] = await Promise.allSettled([trimSession(agh.context, id), resume(agh.context, id)])
  const after = await rowsOf(logOf(id))
  if (trimmed.status === 'rejected') {
    expect(trimmed.reason).toMatchObject({ code: 'STATE_REFUSED' })
    expect(after.slice(0, before.length)).toEqual(before)
  } else expect(after[0]).toMatchObject({ type: 'store_trimmed' })
  expect(after.at(-1)!.sequence).toBeGreaterThan(before.at(-1)!.sequence)
})

it('leaves the log whole or trimmed, wherever it is killed, and the next one completes it', async () => {
  for (const point of ['agh-trim', 'agh-salvage']) {
    for (let time = 1; ; time++) {
      const id = await longSession()
      const file = logOf(id)
      const before = await rowsOf(file)
      const wasKilled = await trimInChild(file, `${point}:${time}`)
      const found = await rowsOf(file)
      if (found[0]!.type === 'store_trimmed') expect(found.slice(1)).toEqual(before.slice(found[0]!.sequence))
      else expect(found).toEqual(before)
      await trimLog(file, { clock: systemClock, requireUnchanged: () => undefined })
      const after = await rowsOf(file)
      expect(after[0]).toMatchObject({ type: 'store_trimmed' })
      expect(after.slice(1)).toEqual(before.slice(after[0]!.sequence))
      expect(readdirSync(join(file, '..')).filter((name) => /salvag/.test(name))).toEqual([])
      if (!wasKilled) break
    }
  }
})

it('keeps what stands beside the events as it is, also what cannot be understood', async () => {
  const id = await longSession()
  const db = await openDatabase(logOf(id))
  db.prepare("UPDATE token_usage SET usage = '{half' WHERE turn_id = 'turn-3'").run()
  db.prepare("INSERT INTO hook_runs VALUES (7, 'stop', 'true', 1, 'done', '', 5, 'then')").run()
  db.prepare("INSERT INTO waiting_messages VALUES (3, 'w', 'later', 'then')").run()
  db.close()
  const beside = () =>
    readDatabase(logOf(id), (one) =>
      ['token_usage', 'hook_runs', 'waiting_messages'].map((table) => one.prepare(`SELECT * FROM ${table}`).all()),
    )
  const before = await beside()
  expect(before.map((rows) => rows.length)).toEqual([61, 1, 1])
  expect((await trimSession(agh.context, id)).dropped_events).toBeGreaterThan(1)
  expect(await beside()).toEqual(before)
})

it('replaces nothing when a part of it cannot be read', async () => {
  const id = await longSession()
  const db = await openDatabase(logOf(id))
  db.exec(
    'DROP TABLE hook_runs; CREATE VIEW hook_runs AS SELECT 1 AS rowid, 2 AS b, 3 AS c, 4 AS d, 5 AS e, 6 AS f, 7 AS g, abs(-9223372036854775807 - 1) AS h',
  )
  db.close()
  const before = await rowsOf(logOf(id))
  const options = { clock: systemClock, requireUnchanged: () => undefined }
  await expect(trimLog(logOf(id), options)).rejects.toThrow(/overflow/)
  expect(await rowsOf(logOf(id))).toEqual(before)
  expect(await readUsage(agh.context, id)).toHaveLength(61)
})

it('knows what became of messages whose events went, also after the next trim and a salvage', async () => {
  const id = await longSession()
  const talk = async (messages: string[]) => {
    const store = await openHistory(logOf(id), { clock: systemClock, floor: 0, onFailure: () => undefined })
    for (const message_id of messages) {
      const turn_id = `turn-of-${message_id}`
      store.append({ turn_id, type: 'user_message', content: { text: 'go', source: 'user', message_id } })
      if (message_id.startsWith('got')) store.append({ turn_id, type: 'agent_message', content: { text: 'yes' } })
      store.append({ turn_id, type: 'error', content: { error: 'it ended', failure: null } })
    }
    const withdrawn = { id: 'x', text: 'never mind', message_id: 'withdrawn' }
    store.append({ turn_id: null, type: 'prompt_withdrawn', content: withdrawn })
    for (let n = 0; n < 100; n++)
      store.append({ turn_id: 'turn-y', type: 'agent_message', content: { text: 'x'.repeat(1_000) } })
    await store.close()
  }
  const states = () =>
    Promise.all(['got-1', 'unsure', 'withdrawn', 'other'].map((one) => findMessage(agh.context, id, one)))
  await talk(['got-1', 'unsure'])
  const before = await states()
  expect(before.map(({ state }) => state)).toEqual(['handed_over', 'unknown', 'withdrawn', 'lost'])
  for (const more of [['got-2'], ['got-3']]) {
    await trimSession(agh.context, id)
    expect((await rowsOf(logOf(id))).filter(({ type }) => type === 'user_message')).toEqual([])
    expect(await states()).toEqual(before)
    await talk(more)
  }
  await replaceDamaged(logOf(id), { clock: systemClock, floor: 0, onFailure: () => undefined })
  expect(await states()).toEqual(before)
})

it('is for the program that a session belongs to, if it is of another one', async () => {
  const id = await longSession()
  const driver = { name: 'ao', key: 'app-1', spawn_id: 'spawn-1' }
  writeMeta(agh.context.paths, { ...readMeta(agh.context.paths, id), driver }, { durable: false })
  const before = await rowsOf(logOf(id))
  await expect(trimSession(agh.context, id)).rejects.toMatchObject({
    code: 'STATE_REFUSED',
    hint: expect.stringContaining('ao disk --free limits'),
  })
  expect(await rowsOf(logOf(id))).toEqual(before)
  expect((await trimSession(agh.context, id, { byDriver: true })).dropped_events).toBeGreaterThan(1)
})

it('takes the files of what goes with it, and says and counts that', async () => {
  const id = await longSession()
  const directory = join(logOf(id), '../attachments')
  mkdirSync(directory, { recursive: true })
  const keep = (digit: string) => {
    const sha256 = digit.repeat(64)
    const path = join(directory, `${sha256}.png`)
    writeFileSync(path, 'x'.repeat(5_000))
    utimesSync(path, 1, 1)
    return { name: 'a.png', type: 'image/png', sha256, size: 5_000 }
  }
  const waiting = keep('b')
  keep('a')
  const db = await openDatabase(logOf(id))
  db.prepare('INSERT INTO waiting_attachments VALUES (?, ?)').run('w', JSON.stringify([waiting]))
  const all = db.prepare('SELECT sum(octet_length(content)) FROM events').pluck().get() as number
  db.close()
  const report = await trimSession(agh.context, id)
  expect(report.dropped_files).toBe(1)
  const [notice, ...kept] = await rowsOf(logOf(id))
  const stays = kept.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0)
  expect(report.dropped_bytes).toBe(all - stays + 5_000)
  const { session_id: _, ...content } = report
  expect(JSON.parse(notice!.content)).toEqual(content)
  expect(readdirSync(directory)).toEqual([`${'b'.repeat(64)}.png`])
})

it('reads a long log in pages, with other work between them, and leaves one alone whose last event is all', async () => {
  const id = await longSession()
  const store = await openHistory(logOf(id), { clock: systemClock, floor: 0, onFailure: () => undefined })
  for (let n = 0; n < 12_000; n++) store.append({ turn_id: 't', type: 'agent_message', content: { text: `${n}` } })
  store.append({ turn_id: 't', type: 'agent_message', content: { text: 'x'.repeat(400_000) } })
  await store.close()
  let rounds = 0
  const count = () => {
    rounds++
    round = setImmediate(count)
  }
  let round = setImmediate(count)
  expect(await canTrim(logOf(id))).toBe(true)
  await trimLog(logOf(id), { clock: systemClock, requireUnchanged: () => undefined })
  clearImmediate(round)
  expect(rounds).toBeGreaterThan(5)
  expect(await canTrim(logOf(id))).toBe(false)
})

async function trimInChild(file: string, failpoint: string): Promise<boolean> {
  const from = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href)
  const script = [
    `const { trimLog } = await import(${from('agh/store/trim-log.ts')})`,
    `const { systemClock } = await import(${from('lib/clock.ts')})`,
    `await trimLog(${JSON.stringify(file)}, { clock: systemClock, requireUnchanged() {} })`,
  ].join('\n')
  const env = { ...agh.context.env, AO_FAILPOINT: failpoint }
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { env, stdio: 'inherit' })
  await new Promise((resolve) => child.once('close', resolve))
  if (child.signalCode === null) expect(child.exitCode).toBe(0)
  return child.signalCode === 'SIGKILL'
}
