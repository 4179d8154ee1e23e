import { randomBytes, randomUUID } from 'node:crypto'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTempStore, RESERVED, type TempStore } from '../../test/store/temp-store.ts'
import { cpuMs } from '../../test/support/cpu-time.ts'
import { createRepo, git } from '../../test/support/git-repo.ts'
import { aghPaths } from '../agh/paths.ts'
import { openDatabase } from '../agh/store/database.ts'
import type { RecordChange } from '../contract/record.ts'
import { parseQuery } from '../core/search/parse-query.ts'
import type { AoPaths } from '../store/paths.ts'
import { openIndex, searchDirectory, withIndex } from './index-file.ts'
import { searchSessions } from './search-sessions.ts'

let temp: TempStore
let db: Database
let paths: AoPaths
let now = Date.parse('2026-11-18T00:00:00Z')

beforeEach(async () => {
  temp = createTempStore()
  temp.store.ensure()
  paths = { dataDir: temp.temp.home, hash: '0123456789ab' } as AoPaths
  db = await openIndex(paths)
})
afterEach(async () => {
  db.close()
  await temp.temp.cleanup()
})

const agh = () => aghPaths({}, temp.temp.home)
async function found(query: string, limit = 20) {
  const sync = { stores: [temp.store], agh: agh(), now, deadline: Number.POSITIVE_INFINITY }
  return (await searchSessions(db, parseQuery(query, now), { ...sync, limit })).hits
}
const ids = async (query: string) => (await found(query)).map(({ sessionId }) => sessionId)

async function session(id: string, prompt: string, more: RecordChange = {}): Promise<string> {
  await temp.store.reserve(id, { project: 'my-service', createdAt: new Date(now), ...more }, RESERVED)
  const state = temp.store.paths.stateDir(id)
  mkdirSync(state, { recursive: true })
  writeFileSync(join(state, 'prompt.md'), prompt)
  return state
}

async function conversation(id: string, ...texts: string[]): Promise<Database> {
  mkdirSync(join(agh().sessions, id), { recursive: true })
  const events = await openDatabase(join(agh().sessions, id, 'events.db'))
  for (const text of texts) say(events, text)
  return events
}
function say(events: Database, text: string): void {
  const content = JSON.stringify({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })
  const add = "INSERT INTO events (turn_id, type, timestamp, content) VALUES (?, 'agent_message', ?, ?)"
  events.prepare(add).run(`turn-${text}`, new Date(now).toISOString(), content)
}

describe('a search over all sessions', () => {
  it('finds prompts, messages, terminals and conversations, of archived sessions too, with the message to go to', async () => {
    const state = await session('app-1', 'Fix the flaky login')
    await temp.store.appendEvents('app-1', [
      { type: 'message.queued', messageId: 'm', text: 'use the vault', source: 'cli' },
    ])
    mkdirSync(join(state, 'terminal'))
    const header = '{"version":2,"width":80,"height":24,"ao":{"startedAt":1,"launch":"1"}}\n'
    writeFileSync(
      join(state, 'terminal', '000001.cast'),
      `${header}[0, "o", "compiled \\u001b[1mwithout\\u001b[0m errors"]\n`,
    )
    const runtimeHandle = { id: 'x', runtimeName: 'acp', data: { session: 'sess-1', home: agh().home } }
    await session('app-2', 'Write the docs', { runtimeHandle })
    const events = await conversation('sess-1', 'The token expires too early', 'Done')
    await session('app-3', 'Remove the old cache')
    await temp.store.archive('app-3')

    expect(await found('flaky')).toMatchObject([{ sessionId: 'app-1', kind: 'prompt', excerpt: 'Fix the flaky login' }])
    expect(await found('vault')).toMatchObject([{ sessionId: 'app-1', kind: 'message' }])
    expect(await found('compiled without')).toMatchObject([{ kind: 'terminal', excerpt: 'compiled without errors' }])
    expect(await found('token expires')).toMatchObject([{ sessionId: 'app-2', kind: 'conversation', sequence: 1 }])
    expect(await ids('old cache')).toEqual(['app-3'])
    expect(await ids('old cache project:other')).toEqual([])
    expect(await ids('old token')).toEqual([])

    say(events, 'The token is renewed now')
    events.close()
    appendFileSync(join(state, 'terminal', '000001.cast'), '[1, "o", "and tested"]\n')
    expect(await found('token renewed')).toMatchObject([{ sequence: 3 }])
    expect(await found('token')).toHaveLength(2)
    expect(await ids('compiled tested')).toEqual(['app-1'])
  })

  it('holds no text, belongs to its user alone, and forgets what is removed', async () => {
    const state = await session('app-1', 'password hunter22secret')
    await session('app-2', 'nothing')
    await temp.store.archive('app-1')
    expect(await ids('hunter22secret')).toEqual(['app-1'])
    const directory = searchDirectory(paths)
    expect(statSync(directory).mode & 0o777).toBe(0o700)
    for (const name of readdirSync(directory)) expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600)
    rmSync(join(state, 'prompt.md'))
    expect(await ids('hunter22secret')).toEqual([])
    now += 2 * 86_400_000
    await found('anything')
    db.exec("INSERT INTO terms (terms) VALUES ('optimize'); PRAGMA wal_checkpoint(TRUNCATE); VACUUM")
    expect(readFileSync(join(directory, 'index.db')).includes('hunter22secret')).toBe(false)
  })

  it('survives binary, huge and damaged files, and a damaged index', async () => {
    const state = await session('app-1', `${'x'.repeat(200_000)} needle`)
    mkdirSync(join(state, 'terminal'))
    writeFileSync(join(state, 'terminal', '000001.cast'), Buffer.alloc(300_000, 0xff))
    writeFileSync(temp.store.paths.historyFile('app-1'), `${'{"type":"message.queued","text":"'.repeat(50_000)}\n`)
    expect(await ids('needle')).toEqual(['app-1'])
    for (const query of ['"', '*', 'a AND', '(', 'NEAR/2', '-x', 'text:y', '\0needle', '𝔘𝔫𝔦 ⅷ ﬁ']) await found(query)
    db.close()
    writeFileSync(join(searchDirectory(paths), 'index.db'), 'not a database at all, however long it is'.repeat(200))
    rmSync(join(searchDirectory(paths), 'index.db-wal'), { force: true })
    db = await openIndex(paths)
    expect(await ids('needle')).toEqual(['app-1'])
  })

  it('makes an index anew whose damage shows only while it is used', async () => {
    for (let number = 1; number <= 30; number++) await session(`app-${number}`, `needle${number} ${randomUUID()}`)
    await found('needle30')
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    db.close()
    const file = join(searchDirectory(paths), 'index.db')
    const bytes = readFileSync(file)
    writeFileSync(file, Buffer.concat([bytes.subarray(0, 4_096), randomBytes(bytes.length - 4_096)]))
    const sync = { stores: [temp.store], agh: agh(), now, deadline: Number.POSITIVE_INFINITY, limit: 20 }
    const search = (index: Database) => searchSessions(index, parseQuery('needle30', now), sync)
    expect((await withIndex(paths, {}, search)).hits).toMatchObject([{ sessionId: 'app-30' }])
    db = await openIndex(paths)
  })

  it('one session whose files nobody can read hides no other', async () => {
    const state = await session('app-1', 'x')
    rmSync(join(state, 'prompt.md'))
    symlinkSync('prompt.md', join(state, 'prompt.md'))
    mkdirSync(join(state, 'terminal'))
    symlinkSync('000001.cast', join(state, 'terminal', '000001.cast'))
    await session('app-2', 'needle')
    expect(await ids('needle')).toEqual(['app-2'])
  })

  it('finds what it has when the disk is full or somebody else writes, and says that this is not all', async () => {
    await session('app-1', 'needle')
    await found('needle')
    await session('app-2', 'needle')
    db.exec(`PRAGMA max_page_count = ${db.pragma('page_count', { simple: true })}`)
    writeFileSync(join(temp.store.paths.stateDir('app-2'), 'prompt.md'), `needle ${'filler '.repeat(20_000)}`)
    for (let word = 0; word < 3; word++)
      await session(`app-${3 + word}`, Array.from({ length: 3_000 }, () => randomUUID()).join(' '))
    const sync = { stores: [temp.store], agh: agh(), now, deadline: Number.POSITIVE_INFINITY, limit: 20 }
    const { hits, isWhole } = await searchSessions(db, parseQuery('needle', now), sync)
    expect([hits.some(({ sessionId }) => sessionId === 'app-1'), isWhole]).toEqual([true, false])
  })

  it('reads of a long conversation what may hold the words, and not all of it each time', async () => {
    const runtimeHandle = { id: 'x', runtimeName: 'acp', data: { session: 'sess-1', home: agh().home } }
    await session('app-1', 'Talk', { runtimeHandle })
    const events = await conversation('sess-1')
    events.transaction(() => {
      for (let number = 0; number < 150; number++) {
        say(events, `needle ${number} ${'y'.repeat(200_000)}`)
        const add = "INSERT INTO events (turn_id, type, timestamp, content) VALUES (?, 'done', ?, '{}')"
        events.prepare(add).run(`turn-${number}`, new Date(now).toISOString())
      }
    })()
    events.close()
    await found('needle')
    const startedAt = cpuMs()
    expect(await found('needle before:2020-01-01')).toEqual([])
    expect(cpuMs() - startedAt).toBeLessThan(3_000)
  })

  describe('in branches', () => {
    let repo: string
    const inRepo = (...args: string[]) => git(repo, temp.temp.env, ...args)
    const inWork = async (
      query: string,
      diffMs = 60_000,
      { env = temp.temp.env, ms = Number.POSITIVE_INFINITY } = {},
    ) => {
      const work = new Map([['my-service', { path: repo, defaultBranch: 'main' }]])
      const sync = { stores: [temp.store], agh: agh(), now, deadline: performance.now() + ms }
      return searchSessions(db, parseQuery(query, now), { ...sync, work, env, diffMs, limit: 20 })
    }
    const hits = async (query: string) => (await inWork(query)).hits
    function change(branch: string, files: Record<string, string>): void {
      inRepo('checkout', '-q', '-B', branch, 'main')
      for (const [name, text] of Object.entries(files)) writeFileSync(join(repo, name), text)
      inRepo('add', '--all')
      inRepo('commit', '-qm', `work on ${branch}`)
    }
    beforeEach(() => {
      repo = createRepo(join(temp.temp.home, 'repo'), temp.temp.env, { 'a.ts': 'const before = 1\n' })
    })

    it('finds what was changed in which file, of archived and merged work too, while git has it', async () => {
      await session('app-1', 'Do it', { branch: 'feat/one' })
      change('feat/one', { 'a.ts': 'const retryBudget = 3\n', 'new file.ts': 'quokka\n' })
      expect(await hits('retrybudget')).toMatchObject([{ sessionId: 'app-1', kind: 'diff', sequence: null }])
      expect(await hits('before file:a.ts')).toHaveLength(1)
      expect(await hits('quokka file:a.ts')).toEqual([])
      expect(await hits('quokka file:"new file.ts"')).toHaveLength(1)
      inRepo('checkout', '-q', 'main')
      inRepo('merge', '-q', '--no-ff', '-m', 'merge', 'feat/one')
      await temp.store.archive('app-1')
      expect(await hits('quokka')).toHaveLength(1)
      db.close()
      db = await openIndex(paths, { anew: true })
      expect(await hits('quokka')).toHaveLength(1)
      change('feat/one', { 'a.ts': 'const other = 4\n' })
      inRepo('checkout', '-q', 'main')
      await session('app-2', 'Again', { branch: 'feat/two' })
      change('feat/two', { 'a.ts': 'wallaby\n' })
      expect(await hits('wallaby')).toHaveLength(1)
      change('feat/two', { 'a.ts': 'numbat\n' })
      expect([await hits('wallaby'), await hits('numbat')]).toMatchObject([[], [{ sessionId: 'app-2' }]])
    })

    it('obeys nothing that a branch or a record says', async () => {
      const marker = join(temp.temp.home, 'ran')
      inRepo('config', 'diff.evil.textconv', `touch ${marker}`)
      inRepo('config', 'diff.external', `touch ${marker}`)
      for (const [n, branch] of ['../../etc/passwd', '--output=x', 'a b', 'gone', '\u0000'].entries())
        await session(`app-${n + 2}`, 'x', { branch })
      await session('app-1', 'Do it', { branch: 'evil' })
      const lines = ['diff --git a/x b/x', '+++ b/forged.ts', '@@ -1 +1 @@', '\u001b]0;title\u0007 needle \u202e']
      change('evil', { '.gitattributes': '* diff=evil\n', 'a.ts': `${lines.join('\n')}\n`, 'b\n+++ b.ts': 'x\n' })
      const [hit, ...others] = await hits('needle')
      expect(others).toEqual([])
      expect(hit!.excerpt).not.toMatch(/[\p{Cc}\p{Cf}]/u)
      expect(await hits('needle file:forged.ts')).toEqual([])
      expect(existsSync(marker)).toBe(false)
    })

    it.each(['\r', '\u2028', '\u2029'])(
      'takes no text of a branch for the heading of another diff (%j)',
      async (end) => {
        await session('app-1', 'x', { branch: 'honest' })
        change('honest', { 'a.ts': 'platypus of the first\n' })
        const tip = inRepo('rev-parse', 'honest').trim()
        await session('app-2', 'x', { branch: 'evil' })
        change('evil', { 'a.ts': `x${end}${tip}${end}diff --git a/f b/f${end}platypus of the second\n` })
        const attributed = (await hits('platypus')).map(({ sessionId, excerpt }) => [
          sessionId,
          /first|second/.exec(excerpt)?.[0],
        ])
        expect(attributed.sort()).toEqual([
          ['app-1', 'first'],
          ['app-2', 'second'],
        ])
      },
    )

    it('reads of many branches what there is time for, the newest first, and the others later', async () => {
      for (let n = 1; n <= 3; n++) {
        await session(`app-${n}`, 'x', { branch: `b${n}` })
        change(`b${n}`, { 'a.ts': `platypus${n}\n` })
      }
      expect(await inWork('platypus', -1)).toEqual({ hits: [], isWhole: false })
      expect((await hits('platypus')).map(({ sessionId }) => sessionId).sort()).toEqual(['app-1', 'app-2', 'app-3'])
    })

    it('waits no longer for git than there is time, and reads a branch that takes too long after the others', async () => {
      for (let n = 1; n <= 2; n++) {
        await session(`app-${n}`, 'x', { branch: `b${n}` })
        change(`b${n}`, { 'a.ts': `platypus${n}\n` })
      }
      const bin = join(temp.temp.home, 'slow-bin')
      mkdirSync(bin)
      const slowGit = (pattern: string) => {
        const script = `#!/bin/sh\ncase "$*" in ${pattern}) sleep 60 ;; esac\nPATH=\${PATH#*:} exec git "$@"\n`
        writeFileSync(join(bin, 'git'), script, { mode: 0o755 })
      }
      slowGit(`*" diff "*${inRepo('rev-parse', 'b2').trim()}*`)
      const env = { ...temp.temp.env, PATH: `${bin}:${temp.temp.env.PATH}` }
      const startedAt = performance.now()
      expect(await inWork('platypus', 1_000, { env })).toEqual({ hits: [], isWhole: false })
      expect(performance.now() - startedAt).toBeLessThan(8_000)
      await expect
        .poll(() => inWork('platypus', 1_000, { env }), { timeout: 30_000 })
        .toMatchObject({ hits: [{ sessionId: 'app-1' }], isWhole: false })
      expect(await inWork('platypus')).toMatchObject({ hits: [{}, {}], isWhole: true })
      slowGit('*" diff "* | *" diff-tree "*')
      const shownAt = performance.now()
      expect(await inWork('platypus2', 1_000, { env, ms: 60_000 })).toEqual({ hits: [], isWhole: false })
      expect(performance.now() - shownAt).toBeLessThan(8_000)
    })

    it('shows the others when git has the commits of one no longer', async () => {
      for (const n of [1, 2]) {
        await session(`app-${n}`, 'x', { branch: `b${n}` })
        change(`b${n}`, { 'a.ts': 'platypus\n' })
      }
      expect(await hits('platypus')).toHaveLength(2)
      const gone = 'f'.repeat(40)
      db.prepare("UPDATE sources SET name = ? WHERE kind = 'diff' AND session = 1").run(`${gone}..${gone}`)
      expect(await hits('platypus')).toHaveLength(1)
    })

    it('shows the rest when the repository is gone', async () => {
      await session('app-1', 'platypus', { branch: 'b1' })
      change('b1', { 'a.ts': 'platypus\n' })
      expect(await hits('platypus')).toHaveLength(2)
      rmSync(repo, { recursive: true })
      expect(await hits('platypus')).toMatchObject([{ kind: 'prompt' }])
    })
  })

  it('forgets the title of a session that is gone', async () => {
    const state = await session('app-1', 'x', { summary: 'hunter22secret' })
    await found('x')
    rmSync(temp.store.paths.sessionFile('app-1'))
    rmSync(state, { recursive: true })
    rmSync(temp.store.paths.historyFile('app-1'), { force: true })
    now += 2 * 86_400_000
    await found('x')
    expect(db.prepare('SELECT count(*) FROM sessions').pluck().get()).toBe(0)
  })
})
