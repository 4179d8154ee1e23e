import { describe, expect, it } from 'vitest'
import { type Entry, type Held, keepAllSteady, keepSteady, LONGEST_SHADE_MS, nextEnd, SHADE_MS } from './steady-list.ts'

const keep = (before: Entry<string>[], items: string[], held: Held, now = 0) =>
  keepSteady(before, { items, keyOf: (item) => item, held, now })
const show = (entries: readonly Entry<string>[]) =>
  entries.map(({ key, goneAt }) => (goneAt === null ? key : `(${key})`)).join(' ')

describe('a list that nobody holds', () => {
  it('is as the items are', () => {
    expect(show(keep(keep([], ['a', 'b'], null), ['c', 'b'], null))).toBe('c b')
  })

  it('keeps the shades of what left it while it was held, in their places, for two seconds', () => {
    const held = keep(keep([], ['a', 'b', 'c'], 'pointer'), ['b', 'c'], 'pointer', 1_000)
    expect(show(keep(held, ['b', 'c'], null, 1_000 + SHADE_MS - 1))).toBe('(a) b c')
    expect(show(keep(held, ['b', 'c'], null, 1_000 + SHADE_MS))).toBe('b c')
  })
})

describe('a list that is held', () => {
  it('keeps its order, puts what is new at its end, and leaves shades of what has gone', () => {
    const before = keep([], ['a', 'b', 'c'], null)
    expect(show(keep(before, ['new', 'c', 'b'], 'pointer', 5))).toBe('(a) b c new')
  })

  it('keeps a shade for ten seconds while a pointer is over it, and for two seconds for the keyboard', () => {
    const gone = keep(keep([], ['a', 'b'], null), ['b'], 'focus', 0)
    expect(show(keep(gone, ['b'], 'pointer', LONGEST_SHADE_MS - 1))).toBe('(a) b')
    expect(show(keep(gone, ['b'], 'pointer', LONGEST_SHADE_MS))).toBe('b')
    expect(show(keep(gone, ['b'], 'focus', SHADE_MS))).toBe('b')
  })

  it('brings back to life what returns', () => {
    const gone = keep(keep([], ['a', 'b'], null), ['b'], 'pointer', 0)
    expect(show(keep(gone, ['b', 'a'], 'pointer', 10))).toBe('a b')
  })
})

describe('lists between which items move', () => {
  type Columns = Record<string, { items: string[]; held?: Held }>
  const keepAll = (before: ReadonlyMap<string, readonly Entry<string>[]>, columns: Columns, now = 0) =>
    keepAllSteady(
      before,
      Object.entries(columns).map(([id, { items, held = null }]) => ({ id, items, held })),
      { keyOf: (item) => item, now },
    )
  const start = keepAll(new Map(), { review: { items: ['a', 'b'] }, working: { items: ['c'] } })
  const moved = (held: Held, now: number, before = start) =>
    keepAll(before, { review: { items: ['b'], held }, working: { items: ['a', 'c'] } }, now)
  const showAll = (lists: ReadonlyMap<string, readonly Entry<string>[]>) =>
    [...lists].map(([id, entries]) => `${id}: ${show(entries)}`)

  it('move an item at once when nobody holds the list that it leaves', () => {
    expect(showAll(moved(null, 0))).toEqual(['review: b', 'working: a c'])
  })

  it.each(['pointer', 'focus'] as const)(
    'never have it twice: held by the %s it stays where it was, then moves',
    (held) => {
      const shaded = moved(held, 0)
      expect(showAll(shaded)).toEqual(['review: (a) b', 'working: c'])
      expect(showAll(moved(held, LONGEST_SHADE_MS, shaded))).toEqual(['review: b', 'working: a c'])
      expect(showAll(moved(null, SHADE_MS, shaded))).toEqual(['review: b', 'working: a c'])
    },
  )

  it('never have it twice whatever moves and whoever holds them, and lose none', () => {
    let lists = start
    let seed = 7
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
      return Math.floor(seed / 65_536) % below
    }
    for (let now = 0; now < 300_000; now += 700) {
      const columns: Columns = { review: { items: [] }, working: { items: [] }, done: { items: [] } }
      for (const item of ['a', 'b', 'c', 'd']) Object.values(columns)[random(3)]!.items.push(item)
      for (const column of Object.values(columns)) column.held = ([null, 'pointer', 'focus'] as const)[random(3)]!
      lists = keepAll(lists, columns, now)
      const keys = [...lists.values()].flat().map(({ key }) => key)
      expect([...keys].sort()).toEqual(['a', 'b', 'c', 'd'])
    }
  })

  it('are the same arrays while nothing changes', () => {
    const again = keepAll(start, { review: { items: ['a', 'b'] }, working: { items: ['c'] } })
    expect(again.get('review')).toBe(start.get('review'))
  })
})

it('knows when the next shade may go', () => {
  const gone = keep(keep([], ['a', 'b'], null), ['b'], 'pointer', 10)
  expect(nextEnd(gone, 'focus')).toBe(10 + SHADE_MS)
  expect(nextEnd(gone, 'pointer')).toBe(10 + LONGEST_SHADE_MS)
  expect(nextEnd(keep([], ['a'], null), null)).toBe(null)
})
