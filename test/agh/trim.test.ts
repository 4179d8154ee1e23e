// Freeing the disk of the event log of a session that has ended.
import { spawn } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readUsage, resume, stopSession, trimSession } from '../../src/agh/runtime.ts'
import { readDatabase } from '../../src/agh/store/database.ts'
import { openHistory } from '../../src/agh/store/open-history.ts'
import { trimLog } from '../../src/agh/store/trim-log.ts'
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
