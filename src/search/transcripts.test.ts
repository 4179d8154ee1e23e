// What agents themselves keep of a conversation. They write these files, so whatever is in them is data.
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createTempStore, RESERVED, type TempStore } from '../../test/store/temp-store.ts'
import { cpuMs } from '../../test/support/cpu-time.ts'
import { aghPaths } from '../agh/paths.ts'
import { parseQuery } from '../core/search/parse-query.ts'
import type { TranscriptRows } from '../slots/agent.ts'
import type { AoPaths } from '../store/paths.ts'
import { openIndex } from './index-file.ts'
import { searchSessions } from './search-sessions.ts'
import type { Transcripts } from './sync-index.ts'

let temp: TempStore
let db: Database
let file: string
let questions: number
let failing: boolean
let names: string[] | undefined
let rows: TranscriptRows | undefined
let now: number

beforeEach(async () => {
  temp = createTempStore()
  temp.store.ensure()
  db = await openIndex({ dataDir: temp.temp.home, hash: '0123456789ab' } as AoPaths)
  questions = 0
  failing = false
  names = undefined
  rows = undefined
  now = Date.parse('2026-11-18T00:00:00Z')
  const directory = join(temp.temp.home, 'agent')
  mkdirSync(directory)
  file = join(directory, 'one.jsonl')
  await temp.store.reserve('app-1', { project: 'my-service', createdAt: new Date(now) }, RESERVED)
})
afterEach(async () => {
  db.close()
  await temp.temp.cleanup()
})

const lines = (...records: unknown[]) => records.map((one) => `${JSON.stringify(one)}\n`).join('')
const claude = (type: string, content: unknown, more = {}) => ({
  ...{ type, message: { role: type, content }, timestamp: '2026-11-15T01:06:57.162Z', sessionId: 's' },
  ...more,
})
async function found(query: string) {
  const transcripts: Transcripts = {
    async names() {
      questions++
      if (failing) throw new Error('its agent does not answer')
      return names ?? [file]
    },
    of: async () => ({ names: async () => [], spokenIn: ({ message }) => message, ...(rows && { rows }) }),
  }
  const sync = { stores: [temp.store], agh: aghPaths({}, temp.temp.home), now, deadline: Number.POSITIVE_INFINITY }
  return (await searchSessions(db, parseQuery(query, now), { ...sync, transcripts, limit: 20 })).hits
}

it('finds what was said', async () => {
  writeFileSync(file, lines(claude('user', 'feed the quokka')))
  const at = '2026-11-15T01:06:57.162Z'
  expect(await found('quokka')).toMatchObject([{ sessionId: 'app-1', kind: 'conversation', sequence: null, at }])
  expect(await found('quokka in:conversation')).toHaveLength(1)
  expect(await found('quokka in:terminal')).toEqual([])
})

it('finds what is in rows of a database, where it grew too, and forgets nothing while that cannot be read', async () => {
  const records = Array.from({ length: 45 }, (_, n) => claude('user', `numbat${n}`))
  let isLocked = false
  names = ['/db#1']
  rows = {
    async stamp() {
      if (isLocked) throw new Error('it is locked')
      return { inode: 1, bytes: records.length, changed: records.length }
    },
    keys: async (_name, most) => records.slice(0, most).map((_, index) => String(index)),
    read: async (_name, keys) => keys.map((key) => records[Number(key)]!),
  }
  expect([await found('numbat0'), await found('numbat44')]).toMatchObject([[{}], [{}]])
  records.push(claude('assistant', 'wombat'))
  expect(await found('wombat')).toHaveLength(1)
  isLocked = true
  now += 2 * 24 * 60 * 60_000
  expect(await found('wombat')).toEqual([])
  isLocked = false
  expect([await found('wombat'), await found('numbat44')]).toMatchObject([[{}], [{}]])
  records.length = 0
  rows = { ...rows, stamp: async () => null }
  expect(await found('wombat')).toEqual([])
})

it('reads each row of a database once, and asks once which there are, however many', async () => {
  const listed: string[] = []
  const read: string[] = []
  names = ['/db#1']
  rows = {
    stamp: async () => ({ inode: 1, bytes: 500, changed: 1 }),
    async keys(name, most) {
      listed.push(name)
      return Array.from({ length: 500 }, (_, index) => `numbat${index}`).slice(0, most)
    },
    async read(_name, keys) {
      read.push(...keys)
      return keys.map((key) => claude('user', key))
    },
  }
  await found('wombat')
  expect([listed, read.length]).toEqual([['/db#1'], 500])
})

it('finds the file that a tool changed', async () => {
  const input = { file_path: '/work/src/queue.ts', new_string: 'retry' }
  writeFileSync(file, lines(claude('assistant', [{ type: 'tool_use', name: 'Edit', input }])))
  expect(await found('retry file:queue.ts')).toHaveLength(1)
  expect(await found('retry file:other.ts')).toEqual([])
})

it('reads on where it grew, forgets what is gone, and asks seldom where it is', async () => {
  writeFileSync(file, lines(claude('user', 'quokka')))
  expect(await found('quokka')).toHaveLength(1)
  appendFileSync(file, lines(claude('assistant', [{ type: 'text', text: 'wombat' }])))
  expect(await found('wombat')).toHaveLength(1)
  expect(questions).toBe(1)
  now += 10 * 60_000
  expect(await found('quokka')).toHaveLength(1)
  expect(questions).toBe(2)
  rmSync(file)
  expect([await found('quokka'), await found('wombat')]).toEqual([[], []])
})

it('finds what an archived session said', async () => {
  writeFileSync(file, lines(claude('user', 'quokka')))
  await temp.store.archive('app-1')
  expect(await found('quokka')).toHaveLength(1)
})

it('asks again for an archived session when nobody could say where its files are', async () => {
  writeFileSync(file, lines(claude('user', 'quokka')))
  await temp.store.archive('app-1')
  failing = true
  expect(await found('quokka')).toEqual([])
  failing = false
  expect(await found('quokka')).toHaveLength(1)
  await found('quokka')
  expect(questions).toBe(2)
})

it.each([
  ['a link to another file', () => symlinkSync(secret(), file)],
  ['a pipe', () => execFileSync('mkfifo', [file])],
  ['a directory', () => mkdirSync(file)],
  ['a link to itself', () => symlinkSync(file, file)],
])('reads nothing of %s', async (_what, make) => {
  make()
  expect(await found('quokka')).toEqual([])
})

function secret(): string {
  const path = join(temp.temp.home, 'secret.jsonl')
  writeFileSync(path, lines(claude('user', 'quokka')))
  return path
}

it('reads no more of a gigabyte than of any other file', async () => {
  writeFileSync(file, lines(claude('user', 'quokka')))
  truncateSync(file, 1024 ** 3)
  appendFileSync(file, lines(claude('user', 'wombat')))
  const startedAt = cpuMs()
  expect(await found('quokka')).toHaveLength(1)
  expect(await found('wombat')).toEqual([])
  expect(cpuMs() - startedAt).toBeLessThan(10_000)
})

it('survives lines that are damaged, deep or meant for a terminal, and shows nothing of them that acts', async () => {
  const deep = `{"type":"user","message":${'{"content":'.repeat(1_000)}"quokka"${'}'.repeat(1_001)}\n`
  const evil = '\u001b]0;title\u0007 needle \u202e\u0000'
  const text = `${'['.repeat(200_000)}\n{"type":"user","message":{"con\n${deep}${lines(null, 7, [])}`
  writeFileSync(file, text + lines({ ...claude('user', evil), timestamp: 'never' }))
  expect(await found('quokka')).toEqual([])
  const [hit, ...others] = await found('needle')
  expect(others).toEqual([])
  expect(hit).toMatchObject({ at: null })
  expect(hit!.excerpt).not.toMatch(/[\p{Cc}\p{Cf}]/u)
})
