import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/agh/store/database.ts'
import { createEventStore, type EventStoreOptions } from '../../src/agh/store/event-store.ts'
import { isSound, openHistory, salvage } from '../../src/agh/store/open-history.ts'
import type { EventDraft } from '../../src/contract/agh/events.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { waitFor } from '../support/wait-for.ts'

let directory: string
let path: string
const options: EventStoreOptions = {
  clock: systemClock,
  floor: 0,
  onFailure: (error) => {
    throw error
  },
}
const agentMessage = (text: string): EventDraft => ({ turn_id: 't1', type: 'agent_message', content: { text } })

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'agh-store-'))
  path = join(directory, 'events.db')
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

describe('the event store', () => {
  it('S4.109 numbers events without gaps, also when it is opened again', async () => {
    const first = await openHistory(path, options)
    first.append(agentMessage('a'))
    await first.appendDurable(agentMessage('b'))
    await first.close()
    const again = await openHistory(path, options)
    again.append(agentMessage('c'))
    again.flush()
    expect(again.readAfter(0, 10).map(({ sequence, content }) => [sequence, JSON.parse(content).text])).toEqual([
      [1, 'a'],
      [2, 'b'],
      [3, 'c'],
    ])
    await again.close()
  })

  it('shows events to readers only after they are committed, many at once', async () => {
    const store = await openHistory(path, options)
    const batches: number[] = []
    store.subscribe((rows) => batches.push(rows.length))
    for (let index = 0; index < 400; index++) store.append(agentMessage('x'))
    expect(batches).toEqual([])
    expect(store.readAfter(0, 1)).toEqual([])
    await waitFor('the commit', () => batches.length > 0)
    expect(batches).toEqual([400])
    await store.close()
  })

  it('lets no commit become large, and shows readers the same from memory and from the disk', async () => {
    const store = await openHistory(path, options)
    const batches: number[] = []
    store.subscribe((rows) => batches.push(rows.length))
    for (let index = 0; index < 1_234; index++) store.append(agentMessage(String(index)))
    store.flush()
    expect(batches).toEqual([500, 500, 234])
    const all = store.readAfter(0, 2_000)
    expect(all.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 1_234 }, (_, index) => index + 1))
    for (const from of [0, 900, 999, 1_000, 1_001, 1_100, 1_233, 1_234, 5_000]) {
      for (const limit of [1, 100, 500]) expect(store.readAfter(from, limit)).toEqual(all.slice(from, from + limit))
    }
    await store.close()
  })

  it('S4.109 pages forward', async () => {
    const store = await openHistory(path, options)
    for (let index = 0; index < 25; index++) store.append(agentMessage(String(index)))
    store.flush()
    const seen: number[] = []
    for (let page = store.readAfter(0, 10); page.length > 0; page = store.readAfter(seen.at(-1)!, 10)) {
      seen.push(...page.map(({ sequence }) => sequence))
    }
    expect(seen).toEqual(Array.from({ length: 25 }, (_, index) => index + 1))
    expect(store.readLast(2).map(({ sequence }) => sequence)).toEqual([24, 25])
    await store.close()
  })

  it('gives the number of a refused event to the next one', async () => {
    const db = await openDatabase(path)
    const store = createEventStore(db, options)
    db.exec("CREATE TRIGGER full BEFORE INSERT ON events BEGIN SELECT RAISE(FAIL, 'disk full'); END")
    await expect(store.appendDurable(agentMessage('lost'))).rejects.toThrow('disk full')
    db.exec('DROP TRIGGER full')
    expect((await store.appendDurable(agentMessage('kept'))).sequence).toBe(1)
    await store.close()
  })

  it('notifies its owner of a failed commit, and commits the same events later', async () => {
    const failures: unknown[] = []
    const db = await openDatabase(path)
    const store = createEventStore(db, { ...options, onFailure: (error) => failures.push(error) })
    db.exec("CREATE TRIGGER full BEFORE INSERT ON events BEGIN SELECT RAISE(FAIL, 'disk full'); END")
    store.append(agentMessage('a'))
    await waitFor('the failure', () => failures.length === 1)
    db.exec('DROP TRIGGER full')
    store.append(agentMessage('b'))
    store.flush()
    expect(store.readAfter(0, 10)).toHaveLength(2)
    await store.close()
  })

  it('S4.107 keeps the token usage of each turn', async () => {
    const store = await openHistory(path, options)
    store.recordUsage('t1', { used: 1 })
    store.recordUsage('t1', { used: 2 })
    await store.close()
    const db = await openDatabase(path)
    expect(db.prepare('SELECT turn_id, usage FROM token_usage').all()).toEqual([{ turn_id: 't1', usage: '{"used":2}' }])
    db.close()
  })
})

describe('a damaged history', () => {
  it('that is not a database at all is quarantined and reported, and numbers continue above the old ones', async () => {
    writeFileSync(path, 'this was a history once, and now it is only a sentence, long enough to look at')
    const store = await openHistory(path, { ...options, floor: 41 })
    expect(store.readAfter(0, 10)).toMatchObject([{ sequence: 42, type: 'store_salvaged' }])
    const report = JSON.parse(store.readAfter(0, 10)[0]!.content)
    expect(report).toMatchObject({ kept_events: 0, lost_events: 41 })
    expect(readFileSync(report.damaged_file, 'utf8')).toContain('a history once')
    await store.close()
  })

  it('with broken pages keeps what is beside the events: tokens, hooks, waiting messages', async () => {
    const first = await openHistory(path, options)
    const run = { event: 'turn.end', command: 'true', required: false, outcome: 'ok', detail: '', durationMs: 3 }
    first.recordUsage('t1', { input_tokens: 7 })
    first.recordHookRun(run as Parameters<typeof first.recordHookRun>[0])
    for (let index = 0; index < 400; index++) first.append(agentMessage('x'.repeat(200)))
    const attachments = [{ sha256: 'a'.repeat(64), name: 'shot.png', type: 'image/png' as const, size: 8 }]
    await first.keepMessage({ id: 'm1', text: 'later', attachments })
    await first.close()
    breakPage(path, 12)
    const store = await salvage(path, { ...options, floor: 400 })
    expect(store.waitingMessages()).toEqual([{ id: 'm1', text: 'later', attachments }])
    expect(store.attachedHashes()).toEqual(new Set(['a'.repeat(64)]))
    await store.close()
    const db = await openDatabase(path)
    expect(db.prepare('SELECT turn_id, usage FROM token_usage').all()).toEqual([
      { turn_id: 't1', usage: '{"input_tokens":7}' },
    ])
    expect(db.prepare('SELECT event, command, duration_ms FROM hook_runs').all()).toEqual([
      { event: 'turn.end', command: 'true', duration_ms: 3 },
    ])
    db.close()
  })

  it('with broken pages gives back the rows of all the others', async () => {
    const first = await openHistory(path, options)
    for (let index = 0; index < 400; index++) first.append(agentMessage('x'.repeat(200)))
    await first.close()
    expect(await isSound(path)).toBe(true)
    breakPage(path, 8)
    expect(await isSound(path)).toBe(false)
    const store = await salvage(path, { ...options, floor: 400 })
    const rows = store.readAfter(0, 1_000)
    expect(rows.at(-1)).toMatchObject({ sequence: 401, type: 'store_salvaged' })
    const report = JSON.parse(rows.at(-1)!.content)
    expect(report.kept_events).toBeGreaterThan(300)
    expect(report.kept_events + report.lost_events).toBe(400)
    await store.close()
  })

  it('does not take a missing directory for damage', async () => {
    mkdirSync(join(directory, 'x'))
    await expect(openHistory(join(directory, 'no', 'events.db'), options)).rejects.toThrow('directory')
  })
})

function breakPage(file: string, page: number): void {
  const bytes = readFileSync(file)
  const size = bytes.readUInt16BE(16)
  bytes.fill(0xff, size * (page - 1), size * page)
  writeFileSync(file, bytes)
  expect(statSync(file).size).toBe(bytes.length)
}
