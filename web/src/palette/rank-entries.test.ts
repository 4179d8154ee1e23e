import { describe, expect, it } from 'vitest'
import { addHits, type Entry, rankEntries, withPins } from './rank-entries.ts'

const entry = (label: string, more: Partial<Entry> = {}): Entry => ({
  id: label,
  label,
  kind: 'Session',
  icon: 'robot',
  href: '/',
  ...more,
})
const ENTRIES = [
  entry('Archive', { kind: 'Page' }),
  entry('app-1 Fix the login'),
  entry('app-2 Search ignores umlauts', { keywords: 'feat/umlaut codex' }),
  entry('Login page is slow', { kind: 'Pull request' }),
]
const found = (query: string) => rankEntries(ENTRIES, query, 10).map(({ label }) => label)

describe('the palette', () => {
  it.each([
    ['', ENTRIES.map(({ label }) => label)],
    ['login', ['Login page is slow', 'app-1 Fix the login']],
    ['app-2', ['app-2 Search ignores umlauts']],
    ['codex', ['app-2 Search ignores umlauts']],
    ['pull login', ['Login page is slow']],
    ['(a+)+$ .*', []],
    ['nothing', []],
  ])('finds by %j', (query, expected) => {
    expect(found(query)).toEqual(expected)
  })

  it('ends with words inside of sessions that are not listed already', () => {
    const listed = entry('app-1 Fix the login', { href: '/sessions/app-1' })
    const hit = (id: string) => entry(`${id} …`, { kind: 'Conversation', href: `/sessions/${id}?find=login&at=4` })
    expect(addHits([listed], [hit('app-1'), hit('app-2')])).toEqual([listed, hit('app-2')])
  })

  it('begins with what is pinned, also where nobody has read it yet', () => {
    const session = (id: string) => entry(id, { id: `session ${id}`, href: `/sessions/${id}` })
    const pins = [
      { session: 'app-9', folder: 'release' },
      { session: 'app-2', folder: null },
    ]
    const shown = withPins([session('app-1'), session('app-2')], pins)
    expect(shown.map(({ label, kind }) => `${label}: ${kind}`)).toEqual([
      'app-9: Pinned in release',
      'app-2: Pinned',
      'app-1: Session',
    ])
  })

  it('shows no more than it may', () => {
    expect(rankEntries(ENTRIES, '', 2)).toHaveLength(2)
  })
})
