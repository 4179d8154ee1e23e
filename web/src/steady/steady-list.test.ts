import { describe, expect, it } from 'vitest'
import { type Entry, type Held, keepSteady, nextEnd, SHADE_MS } from './steady-list.ts'

const keep = (before: Entry<string>[], items: string[], held: Held, now = 0) =>
  keepSteady(before, { items, keyOf: (item) => item, held, now })
const show = (entries: Entry<string>[]) =>
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

  it('keeps a shade as long as a pointer is over it, and for two seconds for the keyboard', () => {
    const gone = keep(keep([], ['a', 'b'], null), ['b'], 'focus', 0)
    expect(show(keep(gone, ['b'], 'pointer', 60_000))).toBe('(a) b')
    expect(show(keep(gone, ['b'], 'focus', SHADE_MS))).toBe('b')
  })

  it('brings back to life what returns', () => {
    const gone = keep(keep([], ['a', 'b'], null), ['b'], 'pointer', 0)
    expect(show(keep(gone, ['b', 'a'], 'pointer', 10))).toBe('a b')
  })
})

it('knows when the next shade may go', () => {
  const gone = keep(keep([], ['a', 'b'], null), ['b'], 'pointer', 10)
  expect(nextEnd(gone)).toBe(10 + SHADE_MS)
  expect(nextEnd(keep([], ['a'], null))).toBe(null)
})
