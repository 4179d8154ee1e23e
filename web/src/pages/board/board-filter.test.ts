import { describe, expect, it } from 'vitest'
import type { SessionCard } from '../../../../src/contract/dashboard/cards.ts'
import { isFiltering, matches, NO_FILTER, readFilter, writeFilter } from './board-filter.ts'

const card = {
  id: 'shop-3',
  title: 'Search ignores Umlauts',
  projectId: 'shop',
  agent: 'codex',
  branch: 'feat/umlaut',
  issue: { id: '12', url: null, title: null },
  pr: { number: 214 },
  status: 'changes_requested',
  lastMessage: 'Done with the index.',
  model: null,
} as SessionCard

describe('the filter in the address', () => {
  it('is read and written without touching the rest', () => {
    const filter = { ...NO_FILTER, project: 'shop', text: 'a b' }
    const search = writeFilter('?tab=x&agent=old', filter)
    expect(search).toBe('?tab=x&project=shop&q=a+b')
    expect(readFilter(search)).toEqual(filter)
    expect(writeFilter('?project=shop&pinned=x', NO_FILTER)).toBe('')
  })

  it('filters nothing when it is blank', () => {
    expect(isFiltering({ ...NO_FILTER, text: '  ' })).toBe(false)
  })
})

describe('matches', () => {
  it.each([
    [{ project: 'shop' }, true],
    [{ project: 'billing' }, false],
    [{ agent: 'codex' }, true],
    [{ agent: 'aider' }, false],
    [{ text: 'umlauts SEARCH' }, true],
    [{ text: '#214' }, true],
    [{ text: 'changes requested' }, true],
    [{ text: 'index shop-3' }, true],
    [{ text: 'umlauts nowhere' }, false],
    [{ project: 'shop', text: 'nowhere' }, false],
    [{ pinned: '*' }, true],
    [{ pinned: 'release' }, true],
    [{ pinned: 'other' }, false],
    [{ pinned: 'release', text: 'nowhere' }, false],
  ])('%j: %s', (part, expected) => {
    const pins = [
      { session: 'shop-2', folder: 'other' },
      { session: 'shop-3', folder: 'release' },
    ]
    expect(matches(card, { ...NO_FILTER, ...part }, pins)).toBe(expected)
  })
})
