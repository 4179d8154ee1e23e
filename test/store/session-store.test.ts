import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SessionRecord } from '../../src/contract/record.ts'
import { factsOfStatus } from '../../src/core/status/derive-status.ts'
import { silentLog } from '../../src/lib/log.ts'
import { deleteMetadata, readMetadataRaw } from '../../src/store/session/metadata-files.ts'
import { createSessionStore, type SessionStore } from '../../src/store/session/session-store.ts'
import { createTempStore, PAIRS, RESERVED, STORED, type TempStore } from './temp-store.ts'

let context: TempStore
let store: SessionStore

beforeEach(() => {
  context = createTempStore()
  store = context.store
})
afterEach(async () => {
  expect(await context.temp.cleanup()).toEqual([])
})

const reserve = (id = 'svc-1') => store.reserve(id, { others: PAIRS }, RESERVED)
const file = (id = 'svc-1') => store.paths.sessionFile(id)

describe('the directories', () => {
  it('S1.6 S1.7 S1.15 are made on first use, for their owner alone, with .origin', () => {
    store.ensure()
    expect(readFileSync(store.paths.origin, 'utf8').trim()).toBe(context.configPath)
    for (const directory of [store.paths.dir, store.paths.sessions, store.paths.archive, store.paths.history]) {
      expect(statSync(directory).mode & 0o777).toBe(0o700)
    }
    context.again().ensure()
  })

  it('S1.16 refuse another configuration, name both, and change no data', async () => {
    await reserve()
    const before = snapshot(store.paths.dir)
    const other = createSessionStore({
      projectId: 'my-service',
      paths: store.paths,
      configPath: '/elsewhere/agent-orchestrator.yaml',
      clock: context.clock,
      log: silentLog,
    })
    const refused = { code: 'ORIGIN_MISMATCH' }
    expect(() => other.ensure()).toThrow(/my-service.*agent-orchestrator\.yaml.*\/elsewhere\/agent-orchestrator\.yaml/)
    expect(() => other.list()).toThrow(expect.objectContaining(refused))
    await expect(other.update('svc-1', factsOfStatus('killed'))).rejects.toMatchObject(refused)
    await expect(other.reserve('svc-2', { others: PAIRS }, RESERVED)).rejects.toMatchObject(refused)
    expect(snapshot(store.paths.dir)).toEqual(before)
  })

  it('are not made by reading', () => {
    expect(store.list()).toEqual([])
    expect(store.read('svc-1')).toBeNull()
    expect(store.nextNumber('svc')).toBe(1)
    expect(existsSync(store.paths.dir)).toBe(false)
  })

  it('S1.1 hold only text that cat can show', async () => {
    await reserve()
    await store.update('svc-1', { summary: 'ä\n\u0001' })
    for (const [, text] of Object.entries(snapshot(store.paths.dir))) {
      expect([...text].every((character) => character >= ' ' || character === '\n')).toBe(true)
    }
  })
})

describe('reserve', () => {
  it('S1.24 makes the file complete from its first moment, with its history', async () => {
    expect(await reserve()).toBe(true)
    expect(readFileSync(file(), 'utf8')).toBe(
      'project=my-service\nbranch=feat/ISSUE-42\ncreatedAt=2024-01-15T10:30:00.000Z\nstatus=spawning\nstatusSince=2024-01-15T10:30:00.000Z\n',
    )
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    expect(store.readHistory('svc-1').events).toMatchObject([{ seq: 1, sessionId: 'svc-1', type: 'session.reserved' }])
    expect(readdirSync(store.paths.sessions).sort()).toEqual(['.damaged', '.locks', 'archive', 'svc-1'])
  })

  it('gives an id to one of many', async () => {
    const results = await Promise.all(
      Array.from({ length: 20 }, () => context.again().reserve('svc-1', { others: PAIRS }, RESERVED)),
    )
    expect(results.filter(Boolean)).toHaveLength(1)
    expect(store.readHistory('svc-1').events).toHaveLength(1)
  })

  it('never gives out an id again, archived or removed', async () => {
    await reserve()
    await store.archive('svc-1')
    expect(await reserve()).toBe(false)
    await reserve('svc-2')
    await store.remove('svc-2')
    expect(await reserve('svc-2')).toBe(false)
    expect(store.list()).toEqual([])
  })

  it('does not give out an id whose files are there, as after an interrupted import', async () => {
    store.ensure()
    mkdirSync(store.paths.stateDir('svc-1'), { recursive: true })
    expect(await reserve('svc-1')).toBe(false)
    expect(await reserve('svc-2')).toBe(true)
  })

  it('lets a project have an orchestrator again after its last one was removed', async () => {
    await reserve('svc-orchestrator')
    await store.remove('svc-orchestrator')
    expect(await reserve('svc-orchestrator')).toBe(true)
    expect(store.readHistory('svc-orchestrator').events.map((event) => event.seq)).toEqual([1, 2])
  })

  it('counts on from the highest number ever used', async () => {
    await reserve('svc-2')
    expect(store.nextNumber('svc')).toBe(3)
    await store.archive('svc-2')
    expect(store.nextNumber('svc')).toBe(3)
    await reserve('svc-9')
    await store.remove('svc-9')
    await reserve('svc-x')
    await reserve('svc_a-40')
    expect(store.nextNumber('svc')).toBe(10)
    expect(store.nextNumber('other')).toBe(1)
  })

  it.each(['../x', 'a/b', '.hidden', '', 'a b'])('refuses the name %j', async (name) => {
    await expect(store.reserve(name, { others: PAIRS }, RESERVED)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
    expect(store.read(name)).toBeNull()
  })
})

describe('list and read', () => {
  it('know active sessions only', async () => {
    await reserve('svc-1')
    await reserve('svc-2')
    await store.archive('svc-2')
    writeFileSync(join(store.paths.sessions, 'not.an.id'), 'x=1\n')
    writeFileSync(join(store.paths.sessions, '.svc-3.tmp'), 'x=1\n')
    mkdirSync(join(store.paths.sessions, 'directory'))
    symlinkSync(file('svc-1'), join(store.paths.sessions, 'link'))
    expect(store.list()).toEqual(['svc-1'])
  })

  it('S1.5 S3.30 honour a file that a person or a script wrote', async () => {
    store.ensure()
    writeFileSync(file('svc-7'), '# recovered\nstatus = working\nproject=my-service\n')
    utimesSync(file('svc-7'), new Date(), new Date('2024-02-02T02:02:02.000Z'))
    expect(store.list()).toEqual(['svc-7'])
    expect(store.read('svc-7')).toEqual({
      id: 'svc-7',
      pairs: { status: 'working', project: 'my-service' },
      record: { status: 'working', project: 'my-service' },
      problems: [],
      modifiedAt: new Date('2024-02-02T02:02:02.000Z'),
    })
  })

  it('S1.4 find the same sessions after a backup was put back', async () => {
    await reserve('svc-1')
    await store.update('svc-1', factsOfStatus('working'))
    await reserve('svc-2')
    await store.archive('svc-2')
    const before = snapshot(store.paths.dir)
    cpSync(store.paths.dir, join(context.temp.home, 'backup'), { recursive: true })
    rmSync(store.paths.dir, { recursive: true })
    cpSync(join(context.temp.home, 'backup'), store.paths.dir, { recursive: true })
    const after = context.again()
    expect(snapshot(store.paths.dir)).toEqual(before)
    expect(after.list()).toEqual(['svc-1'])
    expect((await after.update('svc-1', { summary: 'goes on' })).status).toBe('working')
  })
})

describe('update', () => {
  it('S1.25 grep yields the current status', async () => {
    await reserve()
    await store.update('svc-1', {
      summary: 'evil\nstatus=merged',
      launched: 'yes',
      pr: 'https://example.com/o/r/pull/1',
    })
    const grep = spawnSync('grep', ['^status=', file()], { encoding: 'utf8' })
    expect(grep.stdout).toBe('status=pr_open\n')
  })

  it('S0.7 keeps keys it does not know; null deletes one', async () => {
    await reserve()
    await store.update('svc-1', { others: { custom: 'x' }, summary: 'a' })
    expect((await store.update('svc-1', { summary: null })).metadata).toEqual({ ...STORED, custom: 'x' })
    expect(store.read('svc-1')?.pairs).toEqual({ ...STORED, custom: 'x' })
  })

  it('S1.37 never changes createdAt', async () => {
    await reserve()
    await store.update('svc-1', { createdAt: new Date('2030-01-01'), ...factsOfStatus('working') })
    await store.update('svc-1', { createdAt: null })
    expect(store.read('svc-1')?.pairs.createdAt).toBe(PAIRS.createdAt)
  })

  it('S1.43 keeps a pinned summary across state changes', async () => {
    await reserve()
    await store.update('svc-1', { pinnedSummary: 'Mine' })
    await store.update('svc-1', { ...factsOfStatus('working'), summary: 'Other' })
    await store.archive('svc-1', factsOfStatus('killed'))
    expect((await store.unarchive('svc-1')).metadata.pinnedSummary).toBe('Mine')
  })

  it('decides under the lock when given a function', async () => {
    await reserve()
    await store.update('svc-1', { usageTokens: 0 })
    const increment = ({ usageTokens = 0 }: SessionRecord) => ({ usageTokens: usageTokens + 1 })
    await Promise.all(Array.from({ length: 40 }, () => context.again().update('svc-1', increment)))
    expect(store.read('svc-1')?.pairs.usageTokens).toBe('40')
  })

  it('records its events, and writes no file when nothing changed', async () => {
    await reserve()
    const inode = statSync(file()).ino
    await store.update('svc-1', factsOfStatus('spawning'), [{ type: 'operation.started', operation: 'spawn' }])
    expect(statSync(file()).ino).toBe(inode)
    expect(store.readHistory('svc-1').events.map((event) => event.type)).toEqual([
      'session.reserved',
      'operation.started',
    ])
  })

  it('of a missing session is SESSION_NOT_FOUND and creates nothing', async () => {
    await expect(store.update('svc-1', factsOfStatus('working'))).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
    expect(store.list()).toEqual([])
    expect(readdirSync(store.paths.history)).toEqual([])
  })
})

describe('a damaged file', () => {
  it.each([
    ['half of it', 'project=my-service\nstatus=work', 0],
    ['a broken line', 'project=my-service\n\u0000\u0000\u0000\nstatus=working\n', 1],
    ['nothing at all', '', 1],
  ])('with %s is still listed and read', async (_name, text, problems) => {
    await reserve()
    writeFileSync(file(), text)
    expect(store.list()).toEqual(['svc-1'])
    expect(store.read('svc-1')?.problems).toHaveLength(problems)
  })

  it('is quarantined before the readable part is written back, and the history says so', async () => {
    await reserve()
    const damaged = 'project=my-service\nstatus=working\nbran\n'
    writeFileSync(file(), damaged)
    const { metadata } = await store.update('svc-1', { summary: 'new' })
    expect(metadata).toEqual({ project: 'my-service', status: 'working', summary: 'new' })
    expect(store.read('svc-1')?.problems).toEqual([])
    const [copy] = readdirSync(store.paths.damaged)
    expect(copy).toBe('svc-1_2024-01-15T10-30-00-000Z')
    expect(readFileSync(join(store.paths.damaged, copy!), 'utf8')).toBe(damaged)
    expect(store.readHistory('svc-1').events.at(-1)).toMatchObject({
      type: 'metadata.damaged',
      setAside: join(store.paths.damaged, copy!),
      why: 'line 3 is not a KEY=VALUE pair',
    })
  })

  it('is quarantined by archiving too', async () => {
    await reserve()
    writeFileSync(file(), 'garbage\n')
    await store.archive('svc-1')
    expect(readdirSync(store.paths.damaged)).toHaveLength(1)
  })
})

describe('a record that cannot be read', () => {
  const kinds: Array<[kind: string, put: (path: string) => unknown, why: RegExp]> = [
    ['a named pipe', (path) => execFileSync('mkfifo', [path]), /named pipe/],
    ['a directory', (path) => mkdirSync(path), /is a directory/],
    ['a link', (path) => symlinkSync('/etc/hostname', path), /symbolic link/],
    ['a link that leads nowhere', (path) => symlinkSync('/nowhere', path), /symbolic link/],
    ['far too large', (path) => execFileSync('truncate', ['--size', '64M', path]), /is larger than/],
  ]

  it.each(kinds)('is named with the reason and never written over: %s', async (_kind, put, why) => {
    await reserve()
    await reserve('svc-2')
    rmSync(file())
    put(file())
    expect(store.list()).toEqual(['svc-1', 'svc-2'])
    expect(store.read('svc-1')).toMatchObject({ pairs: {}, isUnreadable: true, problems: [expect.stringMatching(why)] })
    expect(store.read('svc-2')?.problems).toEqual([])
    const before = lstatSync(file())
    for (const change of [() => store.update('svc-1', factsOfStatus('done')), () => store.archive('svc-1')]) {
      await expect(change()).rejects.toMatchObject({ code: 'METADATA_DAMAGED', message: expect.stringMatching(why) })
    }
    expect(lstatSync(file()).ino).toBe(before.ino)
    expect(await reserve()).toBe(false)
  })

  it('is not made of a directory that never was a session', async () => {
    await reserve()
    mkdirSync(join(store.paths.sessions, 'notes'))
    expect(store.list()).toEqual(['svc-1'])
    expect(store.read('archive')).toBeNull()
    expect(store.read('notes')).toBeNull()
  })
})

describe('withOperation', () => {
  it('lets one command at a time work on a session and names the other', async () => {
    let finish: () => void = () => undefined
    const first = store.withOperation('svc-1', () => new Promise<void>((resolve) => (finish = resolve)))
    const second = context.again().withOperation('svc-1', async () => 'in', { timeoutMs: 50 })
    await expect(second).rejects.toMatchObject({
      code: 'SESSION_BUSY',
      message: `Process ${process.pid} works on session svc-1`,
    })
    await expect(store.withOperation('svc-2', async () => 'in')).resolves.toBe('in')
    finish()
    await first
    await expect(store.withOperation('svc-1', async () => 'in')).resolves.toBe('in')
  })

  it('passes on what happens inside, another lock that timed out included', async () => {
    const failed = Object.assign(new Error('x'), { code: 'LOCK_TIMEOUT' })
    await expect(
      store.withOperation('svc-1', async () => {
        throw failed
      }),
    ).rejects.toBe(failed)
  })
})

describe('the functions of the library', () => {
  it('S2.44 readMetadataRaw returns the pairs, or null', async () => {
    await reserve()
    expect(readMetadataRaw(store.paths.sessions, 'svc-1')).toEqual(STORED)
    expect(readMetadataRaw(store.paths.sessions, 'svc-2')).toBeNull()
    expect(readMetadataRaw(store.paths.sessions, '../.origin')).toBeNull()
  })

  it('S2.27 deleteMetadata without archiving leaves no trace but the history', async () => {
    await reserve()
    await deleteMetadata(store.paths.sessions, 'svc-1', false)
    await deleteMetadata(store.paths.sessions, 'svc-1', false)
    expect(store.list()).toEqual([])
    expect(store.listArchived()).toEqual([])
    expect(store.readHistory('svc-1').events).toHaveLength(1)
  })

  it('deleteMetadata with archiving moves it', async () => {
    await reserve()
    await deleteMetadata(store.paths.sessions, 'svc-1', true, context.clock)
    expect(store.readArchived('svc-1')?.file).toBe('svc-1_2024-01-15T10-30-00-000Z')
  })
})

function snapshot(directory: string): Record<string, string> {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Object.fromEntries(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return [path, readFileSync(path, 'utf8')]
    }),
  )
}
