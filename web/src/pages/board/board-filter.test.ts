import { describe, expect, it } from 'vitest'
import type { SessionCard } from '../../../../src/contract/dashboard/cards.ts'
import { isFiltering, matches, readFilter, writeFilter } from './board-filter.ts'

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
    const filter = { project: 'shop', agent: '', text: 'a b' }
    const search = writeFilter('?tab=x&agent=old', filter)
    expect(search).toBe('?tab=x&project=shop&q=a+b')
    expect(readFilter(search)).toEqual(filter)
    expect(writeFilter('?project=shop', { project: '', agent: '', text: '' })).toBe('')
  })

  it('filters nothing when it is blank', () => {
    expect(isFiltering({ project: '', agent: '', text: '  ' })).toBe(false)
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
  ])('%j: %s', (part, expected) => {
    expect(matches(card, { project: '', agent: '', text: '', ...part })).toBe(expected)
  })
})
