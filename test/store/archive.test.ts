import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { factsOfStatus } from '../../src/core/status/derive-status.ts'
import type { SessionStore } from '../../src/store/session/session-store.ts'
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

const reserve = (id: string) => store.reserve(id, { others: PAIRS }, RESERVED)

describe('archive', () => {
  it('S1.46 S1.47 S1.48 moves the last known state to archive/{id}_{timestamp}', async () => {
    await reserve('svc-1')
    const file = await store.archive('svc-1', factsOfStatus('merged'), [{ type: 'workspace.removed', path: '/w' }])
    expect(file).toBe('svc-1_2024-01-15T10-30-00-000Z')
    expect(store.read('svc-1')).toBeNull()
    expect(store.list()).toEqual([])
    expect(readFileSync(join(store.paths.archive, file), 'utf8')).toContain('\nstatus=merged\n')
    expect(store.readHistory('svc-1').events.slice(1)).toMatchObject([
      { seq: 2, type: 'workspace.removed' },
      { seq: 3, type: 'status.changed', from: 'spawning', to: 'merged' },
      { seq: 4, type: 'session.archived', file },
    ])
  })

  it('keeps every archive, even when the clock stands still', async () => {
    await reserve('svc-1')
    await store.archive('svc-1', { others: { round: '1' } })
    await store.unarchive('svc-1')
    await store.archive('svc-1', { others: { round: '2' } })
    expect(store.listArchived().map((archived) => archived.file)).toEqual([
      'svc-1_2024-01-15T10-30-00-001Z',
      'svc-1_2024-01-15T10-30-00-000Z',
    ])
    expect(store.readArchived('svc-1')?.pairs.round).toBe('2')
  })

  it('of a missing session is SESSION_NOT_FOUND', async () => {
    await expect(store.archive('svc-1')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })
})

describe('readAllArchived', () => {
  it('has the newest state of each, reads a file once, and forgets what was removed', () => {
    store.ensure()
    const file = (name: string) => join(store.paths.archive, name)
    const write = (name: string, who: string) => writeFileSync(file(name), `who=${who}\n`)
    write('app-1_2024-01-15T10-30-00-000Z', 'old')
    write('app-1_2025-01-15T10-30-00-000Z', 'new')
    write('app-2_2026-01-15T10-30-00-000Z', 'other')
    const who = () => store.readAllArchived().map(({ id, pairs }) => `${id} ${pairs.who}`)
    expect(who()).toEqual(['app-2 other', 'app-1 new'])
    const [first] = store.readAllArchived()
    expect(store.readAllArchived()[0]).toBe(first)
    write('app-1_2026-02-15T10-30-00-000Z', 'newest')
    rmSync(file('app-2_2026-01-15T10-30-00-000Z'))
    expect(who()).toEqual(['app-1 newest'])
  })
})

describe('readArchived', () => {
  it('takes the newest, and only of that very id', async () => {
    store.ensure()
    const write = (name: string, who: string) => writeFileSync(join(store.paths.archive, name), `who=${who}\n`)
    write('app_2024-01-15T10-30-00-000Z', 'old app')
    write('app_2025-01-15T10-30-00-000Z', 'app')
    write('app_v2_2026-01-15T10-30-00-000Z', 'app_v2')
    write('app_v2_2024-01-15T10-30-00-000Z_2023-01-01T00-00-00-000Z', 'an id that looks like an archive')
    write('app', 'no archive')
    write('app_2026-99-99T99-99-99-999Z', 'no time')
    write('.app_2027-01-15T10-30-00-000Z', 'hidden')
    expect(store.readArchived('app')?.pairs.who).toBe('app')
    expect(store.readArchived('app_v2')?.pairs.who).toBe('app_v2')
    expect(store.readArchived('app_v')).toBeNull()
    expect(store.readArchived('ap')).toBeNull()
    expect(store.listArchived().map((archived) => archived.id)).toEqual([
      'app_v2',
      'app',
      'app',
      'app_v2_2024-01-15T10-30-00-000Z',
    ])
    expect(store.readArchived('app')).toMatchObject({
      file: 'app_2025-01-15T10-30-00-000Z',
      archivedAt: new Date('2025-01-15T10:30:00.000Z'),
      problems: [],
    })
  })
})

describe('unarchive', () => {
  it('S1.49 S1.50 makes the session active again and leaves the archive as it is', async () => {
    await reserve('svc-1')
    const file = await store.archive('svc-1', factsOfStatus('killed'))
    const before = readFileSync(join(store.paths.archive, file), 'utf8')
    const { metadata: pairs } = await store.unarchive(
      'svc-1',
      { ...factsOfStatus('spawning'), restoredAt: new Date('2024-02-01') },
      [{ type: 'operation.started', operation: 'restore' }],
    )
    expect(pairs).toMatchObject({ status: 'spawning', restoredAt: '2024-02-01T00:00:00.000Z', branch: PAIRS.branch })
    expect(store.read('svc-1')?.pairs).toEqual(pairs)
    expect(readFileSync(join(store.paths.archive, file), 'utf8')).toBe(before)
    expect(readdirSync(store.paths.archive)).toEqual([file])
    expect(store.readHistory('svc-1').events.slice(-2)).toMatchObject([
      { seq: 4, type: 'operation.started' },
      { seq: 5, type: 'status.changed', from: 'killed', to: 'spawning' },
    ])
  })

  it('refuses while the session is active, and when there is no archive', async () => {
    await reserve('svc-1')
    await store.archive('svc-1')
    await store.unarchive('svc-1')
    await expect(store.unarchive('svc-1')).rejects.toMatchObject({ code: 'SESSION_NOT_RESTORABLE' })
    await expect(store.unarchive('svc-2')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })
})
