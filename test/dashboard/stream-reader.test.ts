// A page that is cut off at any moment, or reads slowly, or meets a new server: it ends with what the server has, and has
// every event of the history exactly once.
import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Board, SessionCard } from '../../src/contract/dashboard/cards.ts'
import { parseCursor } from '../../src/contract/dashboard/stream.ts'
import { toCard } from '../../src/core/status/board-card.ts'
import { createChangeRing } from '../../src/dashboard/board/change-ring.ts'
import type { BoardKeeper } from '../../src/dashboard/board/live-board.ts'
import { createReader, type Frame, type Reader } from '../../src/dashboard/board/stream-reader.ts'
import { type ProjectPaths, projectPaths } from '../../src/store/paths.ts'
import { sampleSession } from '../support/sample-session.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'
import { applyFrame, emptyPage, type PageState, sortedCards } from './event-source.ts'

let temp: TempHome
let runs = 0
beforeEach(() => {
  temp = createTempHome()
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

const RING = 6

type Step =
  | { do: 'change'; session: number; title: string }
  | { do: 'remove'; session: number }
  | { do: 'stale' }
  | { do: 'history'; count: number }
  /** The page receives this many of the available frames, then is cut off while some are left. */
  | { do: 'read'; frames: number }
  | { do: 'reconnect' }
  | { do: 'restart' }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('change' as const), session: fc.nat(3), title: fc.string() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), session: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'stale' as const }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('history' as const), count: fc.integer({ min: 1, max: 300 }) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('read' as const), frames: fc.nat(4) }) },
  { weight: 2, arbitrary: fc.constant({ do: 'reconnect' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'restart' as const }) },
)

it('continues exactly where it was, whatever happens between', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const world = createWorld(projectPaths(`${temp.home}/run-${runs++}`))
      for (const one of steps) world.take(one)
      world.take({ do: 'read', frames: Number.POSITIVE_INFINITY })
      expect(sortedCards(world.page.board)).toEqual(sortedCards(world.board.read()))
      expect(world.page.history.map(({ seq }) => seq)).toEqual(world.written())
      expect(world.page.board?.version).toBe(world.board.read().version)
    }),
    { numRuns: 150 },
  )
})

it('gives a reader that was away for too long the whole board, and says that its lists are old', () => {
  const world = createWorld(projectPaths(`${temp.home}/run-${runs++}`))
  world.take({ do: 'read', frames: 9 })
  for (let count = 0; count <= RING * 2; count++) world.take({ do: 'change', session: 1, title: `${count}` })
  const frames = world.reader().next()
  expect(frames.at(-1)?.event).toBe('board')
  expect(new Set(frames.slice(0, -1).map((frame) => frame.event))).toEqual(new Set(['stale']))
})

it('gives a slow reader what it missed as one change', () => {
  const world = createWorld(projectPaths(`${temp.home}/run-${runs++}`))
  world.take({ do: 'read', frames: 9 })
  for (const title of ['a', 'b', 'c']) world.take({ do: 'change', session: 1, title })
  world.take({ do: 'remove', session: 2 })
  const frames = world.reader().next()
  expect(frames).toHaveLength(1)
  expect(frames[0]).toMatchObject({ event: 'change', data: { sessions: [{ id: 'app-1', title: 'c' }] } })
})

it('takes what is not a cursor of ours for a beginning', () => {
  const world = createWorld(projectPaths(`${temp.home}/run-${runs++}`))
  for (const lastEventId of ['', 'x', '1', 'abc.1.2', 'abc.-1.2.3', '../..', `${'a'.repeat(33)}.1.1.1`]) {
    const frames = createReader({ board: world.board, sessionId: null, lastEventId }).next()
    expect(frames.map(({ event }) => event)).toEqual(['board'])
  }
})

function createWorld(paths: ProjectPaths) {
  mkdirSync(dirname(paths.historyFile('app-1')), { recursive: true })
  let server = createServer(paths, 1)
  let reader: Reader = createReader({ board: server.board, sessionId: 'app-1', lastEventId: null })
  let lastId: string | null = null
  let seq = 0
  const page: PageState = emptyPage()
  const connect = () => {
    reader = createReader({ board: server.board, sessionId: 'app-1', lastEventId: lastId })
  }
  const read = (count: number) => {
    const frames: Frame[] = []
    // A long history comes in pages, one at a time.
    for (let next = reader.next(); next.length > 0 && frames.length <= count; next = reader.next()) frames.push(...next)
    for (const frame of frames.slice(0, count)) {
      expectForward(frame, lastId)
      applyFrame(page, frame)
      lastId = frame.id
    }
    // Cut off in the middle: the rest was in flight and is lost.
    if (frames.length > count) connect()
  }
  return {
    page,
    get board() {
      return server.board
    },
    reader: () => reader,
    written: () => Array.from({ length: seq }, (_, index) => index + 1),
    take(one: Step) {
      if (one.do === 'change') server.change(card(one.session, one.title))
      if (one.do === 'remove') server.remove(`app-${one.session}`)
      if (one.do === 'stale') server.board.publishStale({ what: 'pulls' })
      if (one.do === 'read') read(one.frames)
      if (one.do === 'reconnect') connect()
      if (one.do === 'restart') {
        server = createServer(paths, Number(server.board.read().version) + 1, server.board.read().sessions)
        connect()
      }
      if (one.do !== 'history') return
      for (let count = 0; count < one.count; count++) {
        seq += 1
        const event = { seq, at: 'now', sessionId: 'app-1', type: 'message.seen', messageId: `${seq}` }
        appendFileSync(paths.historyFile('app-1'), `${JSON.stringify(event)}\n`)
      }
    },
  }
}

/** Within one life of the server a page never goes back. */
function expectForward(frame: Frame, lastId: string | null): void {
  const [before, now] = [parseCursor(lastId ?? ''), parseCursor(frame.id)!]
  if (before === null) return
  expect(now.history).toBeGreaterThanOrEqual(before.history)
  if (before.epoch === now.epoch) expect(now.change).toBeGreaterThanOrEqual(before.change)
  if (frame.event === 'change' && before.epoch === now.epoch) expect(now.change).toBeGreaterThan(before.change)
}

function createServer(paths: ProjectPaths, version: number, sessions: SessionCard[] = []) {
  const cards = new Map(sessions.map((one) => [one.id, one]))
  const ring = createChangeRing(RING)
  const board = {
    epoch: `life${version}`,
    ring,
    read: (): Board => ({
      sessions: [...cards.values()],
      ended: { total: 0, spent: { tokens: 0, costUsd: null }, next: null },
      projects: [],
      notices: [],
      pins: [],
      loopRunning: true,
      version: `${version}`,
    }),
    card: () => null,
    context: () => ({ config: { projects: { app: {} } }, paths: { project: () => paths } }),
    publishStale: (stale: { what: 'pulls' }) => ring.add({ stale }),
  } as unknown as BoardKeeper
  return {
    board,
    change(one: SessionCard) {
      cards.set(one.id, one)
      ring.add({ change: { sessions: [one], removed: [] } })
    },
    remove(id: string) {
      if (cards.delete(id)) ring.add({ change: { sessions: [], removed: [id] } })
    },
  }
}

function card(session: number, title: string): SessionCard {
  return toCard({
    session: sampleSession({ id: `app-${session}`, metadata: { issueTitle: title } }),
    since: '2026-03-04T11:00:00.000Z',
    evidence: [],
    escalated: false,
    endedByCommand: false,
    permissions: [],
    canMerge: false,
    view: null,
    now: new Date(0),
  })
}
