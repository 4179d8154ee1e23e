import { describe, expect, it } from 'vitest'
import { askingCard, sampleCard } from '../../../test/support/sample-card.ts'
import type { Board } from '../../contract/dashboard/cards.ts'
import { boardRows, changeBoard, countsLine, filterRows } from './board-rows.ts'

const NOW = Date.parse('2026-03-04T12:00:00.000Z')
const PULL = {
  url: 'https://forge/7',
  number: 7,
  title: 'A switch',
  state: 'open' as const,
  ci: 'failing' as const,
  review: 'changes_requested' as const,
  hasConflicts: true,
  headSha: 'abc',
}
const data = {
  cards: [
    sampleCard({
      id: 'app-2',
      pr: PULL,
      otherPulls: [{ ...PULL, url: 'https://forge/6', number: 6, state: 'merged' }],
    }),
    askingCard('app-1'),
  ],
  train: [
    { projectId: 'app', pull: 7, title: 'A switch', state: 'testing', session: 'app-2', at: '2026-03-04T11:00:00Z' },
  ],
  now: NOW,
}

describe('the lists of the terminal board', () => {
  it.each([
    ['queue', ['app-1 permission rm -rf build']],
    ['sessions', ['app-1 ! needs_input Add a switch', 'app-2 working Add a switch']],
    ['pulls', ['#7 conflicts, CI failing, changes requested A switch', '#6 merged A switch']],
    ['train', ['#7 testing A switch']],
  ] as const)('%s', (list, expected) => {
    const rows = boardRows(list, data)
    expect(rows.map(({ who, state, about }) => `${who} ${state} ${about}`)).toEqual(expected)
    expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length)
  })

  it('names a dialog by its question, not by what is above it on the screen', () => {
    const input = { kind: 'screen' as const, text: 'Welcome back\nIt reads the repository' }
    const asking = askingCard('app-1', { title: 'May I run make?', input })
    const card = { ...asking, need: { ...asking.need!, matter: `${input.text}\nMay I run make?` } }
    const [row] = boardRows('queue', { ...data, cards: [card] })
    expect(row!.about).toBe('May I run make?')
  })

  it.each([
    ['', 2],
    ['app2', 1],
    ['app-2 work', 1],
    ['swtch', 2],
    ['xyz', 0],
    ['work xyz', 0],
  ])('the filter "%s" finds %i of them', (filter, count) => {
    expect(filterRows(boardRows('sessions', data), filter)).toHaveLength(count)
  })

  it('shows the closest row first', () => {
    const cards = [
      sampleCard({ id: 'app-1', title: 'fix the long login' }),
      sampleCard({ id: 'app-2', title: 'flog it' }),
    ]
    const found = filterRows(boardRows('sessions', { ...data, cards }), 'flog')
    expect(found[0]?.sessionId).toBe('app-2')
  })
})

it('sessions of one time keep their order, in whichever order they came', () => {
  const cards = ['app-3', 'app-1', 'app-2'].map((id) => sampleCard({ id }))
  for (const order of [cards, cards.toReversed()])
    expect(boardRows('sessions', { ...data, cards: order }).map(({ key }) => key)).toEqual(['app-1', 'app-2', 'app-3'])
})

it('a change of the stream replaces cards, removes those that are gone and keeps the rest', () => {
  const board: Board = {
    sessions: data.cards,
    ended: { total: 3, spent: { tokens: 0, costUsd: null }, next: null },
    projects: [],
    notices: [],
    pins: [],
    loopRunning: true,
    version: '1',
  }
  const renamed = sampleCard({ id: 'app-2', title: 'Another' })
  const next = changeBoard(board, {
    sessions: [renamed, sampleCard({ id: 'app-3' })],
    removed: ['app-1'],
    loopRunning: false,
  })
  expect(next.sessions.map(({ id, title }) => [id, title])).toEqual([
    ['app-2', 'Another'],
    ['app-3', 'Add a switch'],
  ])
  expect(next).toMatchObject({ loopRunning: false, ended: { total: 3 }, version: '1' })
})

it.each([
  [0, 0, ''],
  [1, 0, '1 needs you'],
  [2, 1, '2 need you · 1 ready'],
  [0, 3, '3 ready'],
])('counts %i needs and %i ready in a line', (needs, ready, line) => {
  expect(countsLine({ needs, ready })).toBe(line)
})

it.each([
  [{ hasConflicts: false, ci: 'passing', review: 'approved' }, 'CI passing, approved'],
  [{ hasConflicts: false, ci: 'pending', review: 'pending' }, 'CI running, review pending'],
  [{ hasConflicts: false, ci: 'unknown', review: 'unknown' }, 'CI unknown'],
  [{ hasConflicts: false, ci: 'none', review: 'none' }, 'open'],
  [{ hasConflicts: true, ci: 'none', review: 'none' }, 'conflicts'],
  [{ state: 'closed' }, 'closed'],
] as const)('a pull request with %j is %s', (facts, state) => {
  const cards = [sampleCard({ id: 'app-1', pr: { ...PULL, ...facts } })]
  expect(boardRows('pulls', { ...data, cards })).toMatchObject([{ state, who: '#7', more: 'app-1' }])
})

it('names a pull request without a number by its address, and shows open ones first', () => {
  const [open, merged] = [
    { ...PULL, number: null, url: 'https://forge/x', title: null },
    { ...PULL, state: 'merged' as const },
  ]
  const cards = [sampleCard({ id: 'app-1', pr: merged, otherPulls: [open] })]
  const rows = boardRows('pulls', { ...data, cards })
  expect(rows.map(({ who, about, tone }) => [who, about, tone])).toEqual([
    ['https://forge/x', cards[0]!.title, cards[0]!.column],
    ['#7', 'A switch', 'done'],
  ])
})

it.each([
  ['green', 'ready_to_merge'],
  ['red', 'needs_you'],
  ['left: it conflicts', 'needs_you'],
  ['testing', 'working'],
])('a car of the train that is %s is %s', (state, tone) => {
  const train = [{ ...data.train[0]!, state, session: null }]
  expect(boardRows('train', { ...data, train })).toMatchObject([{ tone, more: '', sessionId: null }])
})
