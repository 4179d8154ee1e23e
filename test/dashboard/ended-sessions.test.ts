// Ended sessions over real HTTP: the board brings the newest of them along, the others come page by page, and what happens to
// any of them reaches the page.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Board, EndedAnswer, SessionCard } from '../../src/contract/dashboard/cards.ts'
import type { IssuesAnswer } from '../../src/contract/dashboard/issues.ts'
import type { SearchAnswer } from '../../src/contract/dashboard/search.ts'
import { FIRST_ENDED } from '../../src/core/board/ended-pages.ts'
import { runFiles } from '../../src/lifecycle/loop/run-state.ts'
import { savedFile } from '../../src/store/saved.ts'
import { waitFor } from '../support/wait-for.ts'
import { type EventReader, readEvents } from './event-source.ts'
import { type ServedProject, serveProject } from './served-project.ts'

const ENDED = FIRST_ENDED + 25
const KILLED = 'app-3'
const DIED = 'app-5'
const WORKS = 'app-1000'
const OLD = 'app-1'

let world: ServedProject
let reader: EventReader

function write(id: string, pairs: Record<string, string>): void {
  const { sessions } = world.context.paths.project('app')
  const lines = Object.entries({ project: 'app', agent: 'demo', branch: `feat/${id}`, ...pairs })
  writeFileSync(join(sessions, `.${id}`), lines.map(([key, value]) => `${key}=${value}\n`).join(''))
  renameSync(join(sessions, `.${id}`), join(sessions, id))
}

/** The n-th of them ended in minute n. */
function writeEnded(n: number, status: string, more: Record<string, string> = {}): void {
  const statusSince = new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString()
  const facts = { status, endedAs: status, statusSince, createdAt: statusSince, lastActivityAt: statusSince }
  write(`app-${n}`, { ...facts, issueTitle: `Task ${n}`, usageTokens: '10', usageCostUsd: '0.5', ...more })
}

function writeHistory(id: string, ...events: Array<Record<string, unknown>>): void {
  const { history } = world.context.paths.project('app')
  mkdirSync(history, { recursive: true })
  const at = '2026-01-01T00:00:00.000Z'
  const lines = events.map((event, index) => `${JSON.stringify({ seq: index + 1, at, ...event })}\n`)
  writeFileSync(join(history, `${id}.jsonl`), lines.join(''))
}

beforeAll(async () => {
  world = await serveProject({ yaml: ['agent: demo', 'scm: local', 'tracker: local'] })
  world.context.store('app').ensure()
  for (let n = 1; n <= ENDED; n++) writeEnded(n, 'merged', n === 2 ? { issue: '1', issueTitle: 'A needle' } : {})
  const started = { type: 'runtime.started', handle: { id: 'x', runtimeName: 'tmux' }, launch: 1, command: [] }
  writeEnded(3, 'killed')
  writeHistory(KILLED, started, { type: 'operation.started', operation: 'kill' })
  writeEnded(5, 'killed')
  writeHistory(DIED, { type: 'operation.started', operation: 'kill' }, started)
  write(WORKS, { status: 'working', launched: 'yes', createdAt: new Date().toISOString() })
  const token = readFileSync(runFiles(world.context.paths).token, 'utf8').trim()
  reader = await readEvents({ port: world.server.port, token, path: '/api/stream', lastEventId: null })
  await waitFor('the board', () => reader.frames.some(({ event }) => event === 'board'))
}, 30_000)
afterAll(async () => {
  reader?.close()
  expect(await world.close()).toEqual([])
})

const board = async () => (await world.api<Board>('GET', '/api/sessions')).body
const page = async (query: string) => (await world.api<EndedAnswer>('GET', `/api/ended${query}`)).body
const ids = (cards: readonly SessionCard[]) => cards.map(({ id }) => id)

async function allPages(query = ''): Promise<string[]> {
  const found: string[] = []
  for (let next: string | null = ''; next !== null; ) {
    const after: string = next === '' ? '' : `&after=${encodeURIComponent(next)}`
    const answer: EndedAnswer = await page(`?limit=20${query}${after}`)
    found.push(...ids(answer.sessions))
    next = answer.next
  }
  return found
}

describe('ended sessions', () => {
  it('are on the board up to a number, the newest of them, with all that are at work or need somebody', async () => {
    const { sessions, ended } = await board()
    const done = sessions.filter(({ column }) => column === 'done')
    expect(ids(done).sort()).toEqual(Array.from({ length: FIRST_ENDED }, (_, n) => `app-${ENDED - n}`).sort())
    expect(ids(sessions)).toEqual(expect.arrayContaining([WORKS, DIED]))
    expect(sessions.find(({ id }) => id === DIED)?.column).toBe('needs_you')
    // All but the one that died on its own.
    expect(ended).toMatchObject({ total: ENDED - 1, spent: { tokens: (ENDED - 1) * 10, costUsd: (ENDED - 1) / 2 } })
  })

  it('come page by page, each once, the newest end first, also those that a command ended', async () => {
    const expected = Array.from({ length: ENDED }, (_, n) => `app-${ENDED - n}`).filter((id) => id !== DIED)
    expect(await allPages()).toEqual(expected)
    const { ended } = await board()
    const rest = await page(`?limit=200&after=${encodeURIComponent(ended.next!)}`)
    expect(ids(rest.sessions)).toEqual(expected.slice(FIRST_ENDED))
    expect(rest.sessions.find(({ id }) => id === KILLED)?.status).toBe('killed')
  })

  it('are found by words, project and agent', async () => {
    expect(await allPages('&q=NEEDLE+feat')).toEqual(['app-2'])
    expect(await allPages('&q=killed')).toEqual([KILLED])
    expect(await allPages('&q=nowhere')).toEqual([])
    expect(await allPages('&project=other')).toEqual([])
    expect((await page('?agent=demo&limit=1')).total).toBe(ENDED - 1)
  })

  it('are found by what was said to them, whatever is typed', async () => {
    const search = async (q: string) =>
      (await world.api<SearchAnswer>('GET', `/api/search?q=${encodeURIComponent(q)}`)).body
    writeHistory(OLD, { type: 'message.queued', messageId: 'm1', text: 'Mind the gap\u001b]0;x\u0007', source: 'cli' })
    const hit = { sessionId: OLD, kind: 'message', sequence: null, excerpt: 'Mind the gap\\u001b]0;x\\u0007' }
    expect(await search('gap mind status:merged')).toMatchObject({ hits: [hit], problem: null, isWhole: true })
    expect(await search('gap status:killed')).toMatchObject({ hits: [] })
    expect(await search('before:never "')).toMatchObject({ hits: [], problem: expect.stringContaining('never') })
  })

  it('are pinned and searched for under a name, and every page sees it', async () => {
    const pin = (id: string, body: object) => world.api('POST', `/api/sessions/${id}/pin`, body)
    expect((await pin('app-2', { pinned: true, folder: 'release' })).status).toBe(200)
    expect((await pin('app-999', { pinned: true })).status).toBe(404)
    for (const folder of ['a b', '../x', '\u001b[31m']) {
      expect((await pin('app-2', { pinned: true, folder })).status).toBe(400)
    }
    expect((await board()).pins).toEqual([{ session: 'app-2', folder: 'release' }])
    await waitFor('the pin in the stream', () =>
      reader.frames.some(({ event, data }) => event === 'change' && data.pins?.[0]?.session === 'app-2'),
    )
    expect((await world.api('POST', '/api/searches/gap', { query: 'mind gap' })).status).toBe(200)
    expect((await world.api('POST', '/api/searches/a%20b', { query: 'x' })).status).toBe(400)
    const { body } = await world.api<SearchAnswer>('GET', '/api/search?q=%40gap')
    expect(body.hits).toMatchObject([{ sessionId: OLD }])
    const other = await world.api<SearchAnswer>('GET', '/api/search?q=%40other')
    expect(other.body).toMatchObject({ hits: [], problem: expect.stringContaining('No search is saved as other') })
    await pin('app-2', { pinned: false })
    const saved = { pins: [], queries: [{ name: 'gap', query: 'mind gap' }], problem: null }
    expect((await world.api('GET', '/api/saved')).body).toEqual(saved)
    writeFileSync(savedFile(world.context.paths), '{')
    await waitFor('a word about the damage', async () => (await board()).notices.some(({ id }) => id === 'saved'))
    expect((await pin('app-2', { pinned: true })).status).toBe(500)
    rmSync(savedFile(world.context.paths))
  })

  it('are known to the issues that they were about', async () => {
    await world.api('POST', '/api/projects/app/issues', { title: 'A thing', description: '' })
    const { issues } = (await world.api<IssuesAnswer>('GET', '/api/projects/app/issues')).body
    expect(issues.find(({ id }) => id === '1')?.sessionIds).toEqual(['app-2'])
  })

  it('refuse a place that is not theirs', async () => {
    for (const after of ['x', '', '1 2 3']) {
      const { status } = await world.api('GET', `/api/ended?after=${encodeURIComponent(after)}`)
      expect(status).toBe(400)
    }
    expect((await page('?limit=0')).sessions).toHaveLength(1)
  })

  it('reach the page when they change, are restored and go, however old they are', async () => {
    const card = (holds: (card: SessionCard) => boolean) =>
      reader.frames.some(({ event, data }) => event === 'change' && data.sessions.some((one) => holds(one)))
    writeEnded(1, 'merged', { pinnedSummary: 'A new name' })
    await waitFor('the new name', () => card(({ id, title }) => id === OLD && title === 'A new name'))
    write(OLD, { status: 'working', launched: 'yes', statusSince: new Date().toISOString() })
    await waitFor('that it works', () => card(({ id, column }) => id === OLD && column !== 'done'))
    expect(ids((await board()).sessions)).toContain(OLD)
    await world.context.store('app').remove(OLD)
    await world.context.store('app').remove('app-4')
    await waitFor('that both are gone', () => {
      const gone = reader.frames.flatMap(({ event, data }) => (event === 'change' ? data.removed : []))
      return [OLD, 'app-4'].every((id) => gone.includes(id))
    })
    expect((await board()).ended.total).toBe(ENDED - 3)
    expect(await allPages()).not.toContain('app-4')
  })
})
