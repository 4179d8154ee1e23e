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
import type { AoPaths } from '../store/paths.ts'
import { openIndex } from './index-file.ts'
import { searchSessions } from './search-sessions.ts'

let temp: TempStore
let db: Database
let file: string
let questions: number
let failing: boolean
let now: number

beforeEach(async () => {
  temp = createTempStore()
  temp.store.ensure()
  db = await openIndex({ dataDir: temp.temp.home, hash: '0123456789ab' } as AoPaths)
  questions = 0
  failing = false
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
const codex = (payload: unknown, type = 'response_item') => ({ timestamp: '2026-11-15T01:06:57.162Z', type, payload })

async function found(query: string) {
  const transcripts = async () => {
    questions++
    if (failing) throw new Error('its agent does not answer')
    return [file]
  }
  const sync = { stores: [temp.store], agh: aghPaths({}, temp.temp.home), now, deadline: Number.POSITIVE_INFINITY }
  return (await searchSessions(db, parseQuery(query, now), { ...sync, transcripts, limit: 20 })).hits
}

it.each([
  ['a prompt', claude('user', 'feed the quokka')],
  ['an answer', claude('assistant', [{ type: 'text', text: 'the quokka is fed' }])],
  ['a command', claude('assistant', [{ type: 'tool_use', name: 'Bash', input: { command: 'ls quokka' } }])],
  ['a result', claude('user', [{ type: 'tool_result', content: 'quokka: not found' }])],
  ['a message of Codex', codex({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'quokka' }] })],
  ['a call of Codex', codex({ type: 'function_call', name: 'shell', arguments: '{"command":["quokka"]}' })],
  ['its output', codex({ type: 'function_call_output', output: 'quokka' })],
])('finds %s', async (_what, record) => {
  writeFileSync(file, lines(record))
  const at = '2026-11-15T01:06:57.162Z'
  expect(await found('quokka')).toMatchObject([{ sessionId: 'app-1', kind: 'conversation', sequence: null, at }])
  expect(await found('quokka in:conversation')).toHaveLength(1)
  expect(await found('quokka in:terminal')).toEqual([])
})

it.each([
  ['instructions', codex({ type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'quokka' }] })],
  ['its settings', { type: 'permission-mode', permissionMode: 'quokka' }],
  ['an event that repeats a message', codex({ type: 'agent_message', message: 'quokka' }, 'event_msg')],
  ['what it adds itself', claude('user', 'quokka', { isMeta: true })],
  ['a picture', claude('user', [{ type: 'image', source: { type: 'base64', data: 'quokka' } }])],
])('leaves out %s', async (_what, record) => {
  writeFileSync(file, lines(record, claude('user', 'wombat')))
  expect(await found('quokka')).toEqual([])
  expect(await found('wombat')).toHaveLength(1)
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
