// A page that loads ended sessions page by page while sessions come, end, are restored and go: in the end it has exactly what
// the server has, each session once.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { SessionCard } from '../../src/contract/dashboard/cards.ts'
import { compareEnded, formatPosition, pageOfEnded, parsePosition } from '../../src/core/board/ended-pages.ts'
import { createChangeRing } from '../../src/dashboard/board/change-ring.ts'
import { applyChange, applyPage, type BoardState, readBoard } from '../../web/src/api/board-store.ts'

const NAMES = Array.from({ length: 12 }, (_, index) => `app-${index}`)
const SPENT = { tokens: 0, costUsd: null }
const RING = 8

type Step =
  | { do: 'set'; id: string; column: 'done' | 'working'; since: number }
  | { do: 'remove'; id: string }
  /** The page gets what the stream has for it. */
  | { do: 'hear' }
  /** It asks for the next page, which the server reads now, or gets the answer to what it asked for. */
  | { do: 'ask' }
  | { do: 'answer' }

const id = fc.constantFrom(...NAMES)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('set' as const),
      id,
      column: fc.constantFrom('done' as const, 'working' as const),
      since: fc.nat(6),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), id }) },
  { weight: 4, arbitrary: fc.constant({ do: 'hear' as const }) },
  { weight: 3, arbitrary: fc.constant({ do: 'ask' as const }) },
  { weight: 3, arbitrary: fc.constant({ do: 'answer' as const }) },
)

const cardOf = (name: string, column: string, since: number, version: number) =>
  ({ id: name, column, statusSince: `2026-01-0${since + 1}`, title: `${version}` }) as unknown as SessionCard

function createWorld(first: SessionCard[]) {
  const truth = new Map(first.map((card) => [card.id, card]))
  const ring = createChangeRing(RING)
  let version = 0
  let heard = 0
  let next: string | null | undefined
  let waiting: { page: ReturnType<typeof read>; of: BoardState['from'] } | null = null
  const ended = () => [...truth.values()].filter(({ column }) => column === 'done')
  const read = (after: string | null | undefined) => {
    const places = ended().map((card) => ({ id: card.id, since: card.statusSince, card }))
    const { items, next: more } = pageOfEnded(places, after ? parsePosition(after) : null, 3)
    const sessions = items.map(({ card }) => card)
    return { sessions, total: places.length, next: more, epoch: 'e', change: ring.last() }
  }
  /** What is at work, with the newest of the ended. */
  const whole = () => {
    const page = read(null)
    const open = [...truth.values()].filter(({ column }) => column !== 'done')
    next = page.next
    const about = { total: page.total, spent: SPENT, next: page.next }
    const rest = { projects: [], notices: [], pins: [], loopRunning: true, version: '1' }
    return readBoard(
      { sessions: [...open, ...page.sessions], ended: about, ...rest },
      { epoch: 'e', change: ring.last() },
    )
  }
  let state = whole()
  const hear = () => {
    const missed = ring.after(heard)
    heard = ring.last()
    if (missed === null) state = whole()
    else if (missed.change !== null) state = applyChange(state, missed.change, heard)
  }
  const answer = () => {
    if (waiting === null) return
    const { page, of } = waiting
    waiting = null
    const merged = applyPage(state, page)
    // Another board has come meanwhile, which says itself where it ends.
    if (merged === null || of !== state.from) return
    state = merged
    next = page.next
  }
  return {
    take(one: Step) {
      version += 1
      if (one.do === 'set') {
        const card = cardOf(one.id, one.column, one.since, version)
        truth.set(one.id, card)
        ring.add({ change: { sessions: [card], removed: [] } })
      }
      if (one.do === 'remove' && truth.delete(one.id)) ring.add({ change: { sessions: [], removed: [one.id] } })
      if (one.do === 'hear') hear()
      if (one.do === 'ask' && next !== null) waiting ??= { page: read(next), of: state.from }
      if (one.do === 'answer') answer()
    },
    finish() {
      answer()
      hear()
      for (let requestedAt = 0; next !== null && requestedAt < 20; requestedAt += 1) {
        waiting = { page: read(next), of: state.from }
        answer()
      }
    },
    shown: () => state,
    truth,
  }
}

it('ends with every session exactly once, as the server has it, whatever happens between two pages', () => {
  const start = fc.array(fc.record({ id, since: fc.nat(6) }), { maxLength: 12 })
  fc.assert(
    fc.property(start, fc.array(step, { maxLength: 40 }), (first, steps) => {
      const world = createWorld(first.map((one) => cardOf(one.id, 'done', one.since, 0)))
      for (const one of steps) world.take(one)
      world.finish()
      const { cards, columns } = world.shown()
      expect([...cards.values()].sort(byId)).toEqual([...world.truth.values()].sort(byId))
      const inColumns = Object.values(columns).flat()
      expect(inColumns.map((card) => card.id).sort()).toEqual([...world.truth.keys()].sort())
    }),
    { numRuns: 300 },
  )
})

it('has a place for each session that survives the address', () => {
  fc.assert(
    fc.property(fc.nat(9), fc.constantFrom(...NAMES), (since, name) => {
      const place = { since: new Date(since).toISOString(), id: name }
      expect(parsePosition(formatPosition(place))).toEqual(place)
      expect(compareEnded(place, parsePosition(formatPosition(place))!)).toBe(0)
    }),
    { numRuns: 50 },
  )
  for (const text of ['', 'x', ' ', 'a b c', '\n \n', `${'9'.repeat(41)} a`]) expect(parsePosition(text)).toBeNull()
})

function byId(a: SessionCard, b: SessionCard): number {
  return a.id < b.id ? -1 : 1
}
