import { describe, expect, it } from 'vitest'
import type { SessionCard } from '../../../../../src/contract/dashboard/cards.ts'
import { parseViews, withoutView, withView } from './saved-views.ts'
import { nextSort, readSort, sortCards, writeSort } from './sort-cards.ts'

const card = (id: string, costUsd: number | null, column = 'working') =>
  ({ id, column, spent: costUsd === null ? null : { tokens: 1, costUsd } }) as unknown as SessionCard
const ids = (cards: SessionCard[]) => cards.map(({ id }) => id).join(' ')

describe('the order of the table', () => {
  const cards = [card('a', 1), card('b', null), card('c', 3, 'needs_you'), card('d', 1)]

  it('is by cost either way, with the unknown last and equal ones as they were', () => {
    expect(ids(sortCards(cards, { key: 'cost', isDescending: true }))).toBe('c a d b')
    expect(ids(sortCards(cards, { key: 'cost', isDescending: false }))).toBe('a d c b')
    expect(ids(sortCards(cards, readSort('')))).toBe('c a b d')
  })

  it('is in the address, beside the rest, and a second click turns it around', () => {
    const first = nextSort(readSort('?q=x'), 'cost')
    expect(writeSort('?q=x', first)).toBe('?q=x&sort=cost-down')
    expect(nextSort(readSort('?sort=cost-down'), 'cost')).toEqual({ key: 'cost', isDescending: false })
    expect(writeSort('?sort=cost', readSort(''))).toBe('')
    expect(readSort('?sort=constructor-down')).toEqual(readSort(''))
  })
})

describe('saved views', () => {
  it('are replaced by name, kept in order, bounded, and can be removed', () => {
    let views = withView([], { name: 'Mine', search: '?q=a' })
    views = withView(views, { name: 'Costly', search: '?view=table&sort=cost-down' })
    views = withView(views, { name: 'Mine', search: '?q=b' })
    expect(views).toEqual([
      { name: 'Mine', search: '?q=b' },
      { name: 'Costly', search: '?view=table&sort=cost-down' },
    ])
    expect(withoutView(views, 'Mine').map(({ name }) => name)).toEqual(['Costly'])
    for (let n = 0; n < 50; n += 1) views = withView(views, { name: `v${n}`, search: '' })
    expect(views).toHaveLength(30)
  })

  it('that are not ours are not read, and none leads elsewhere', () => {
    for (const text of [null, '{', '{}', '[1,{"name":1}]']) expect(parseViews(text)).toEqual([])
    expect(parseViews('[{"name":"a","search":"//evil.example"},{"name":"b","search":"?q=1"}]')).toEqual([
      { name: 'b', search: '?q=1' },
    ])
  })
})
