// kill -9 at every named point of the store: what is left must be intact, and the next command must simply continue.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { factsOfStatus } from '../../src/core/status/derive-status.ts'
import type { SessionStore } from '../../src/store/session/session-store.ts'
import { testProgram } from '../support/test-program.ts'
import { createTempStore, PAIRS, RESERVED, type TempStore } from './temp-store.ts'

let context: TempStore
let store: SessionStore

beforeEach(() => {
  context = createTempStore()
  store = context.store
})
afterEach(async () => {
  expect(await context.temp.cleanup()).toEqual([])
})

function crash(operation: string, failpoint: string): void {
  const run = spawnSync(
    process.execPath,
    [testProgram('store-action'), store.paths.dir, context.configPath, operation],
    {
      env: { ...context.temp.env, AO_FAILPOINT: failpoint },
      encoding: 'utf8',
    },
  )
  expect(`${run.signal} ${run.stderr}`).toBe('SIGKILL ')
}

const visible = () => [...store.list(), ...store.listArchived().map((archived) => `archived ${archived.id}`)]
const status = () => store.read('svc-1')?.pairs.status

describe('a crash', () => {
  it('while reserving burns the id and shows no half session', async () => {
    crash('reserve', 'store.reserve-recorded')
    expect(visible()).toEqual([])
    expect(store.nextNumber('svc')).toBe(2)
    expect(await store.reserve('svc-1', { others: PAIRS }, RESERVED)).toBe(false)
    expect(await store.reserve('svc-2', { others: PAIRS }, RESERVED)).toBe(true)
  })

  it('after the intent was recorded leaves the old file whole, and the event there', async () => {
    await store.reserve('svc-1', { others: PAIRS }, RESERVED)
    crash('update', 'store.history-appended')
    expect(status()).toBe('spawning')
    expect(store.readHistory('svc-1').events.map((event) => event.type)).toEqual([
      'session.reserved',
      'runtime.stopped',
      'status.changed',
    ])
    const { from, to } = store.readHistory('svc-1').events.at(-1) as unknown as { from: string; to: 'working' }
    expect((await store.update('svc-1', factsOfStatus(to))).status).toBe(to)
    // Done again it is the same change: the history tells it once.
    const changes = store.readHistory('svc-1').events.filter(({ type }) => type === 'status.changed')
    expect(changes).toMatchObject([{ from, to }])
    await store.update('svc-1', factsOfStatus('killed'))
    expect(store.readHistory('svc-1').events.at(-1)).toMatchObject({ type: 'status.changed', from: to, to: 'killed' })
  })

  it('before the move leaves the session active as it was, with what it was doing, after it only archived', async () => {
    await store.reserve('svc-1', { others: PAIRS }, RESERVED)
    crash('archive', 'store.archive-written')
    expect(store.list()).toEqual(['svc-1'])
    expect(status()).toBe('spawning')
    crash('archive', 'store.archive-moved')
    expect(store.list()).toEqual([])
    expect(store.readArchived('svc-1')?.pairs.status).toBe('killed')
  })

  it('while unarchiving keeps the archive and can be done again', async () => {
    await store.reserve('svc-1', { others: PAIRS }, RESERVED)
    await store.archive('svc-1')
    crash('unarchive', 'store.unarchive-recorded')
    expect(visible()).toEqual(['archived svc-1'])
    expect((await store.unarchive('svc-1', factsOfStatus('working'))).status).toBe('working')
  })

  it('leaves no lock that blocks and no temporary file behind the next command', async () => {
    await store.reserve('svc-1', { others: PAIRS }, RESERVED)
    crash('archive', 'store.archive-written')
    expect(readdirSync(store.paths.locks)).toEqual(['svc-1'])
    await store.update('svc-1', factsOfStatus('working'))
    expect(readdirSync(store.paths.locks)).toEqual([])
    expect(readdirSync(store.paths.sessions).sort()).toEqual(['.damaged', '.locks', 'archive', 'svc-1'])
  })
})
