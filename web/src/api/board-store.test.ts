import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Board, SessionCard } from '../../../src/contract/dashboard/cards.ts'
import { BOARD_COLUMNS } from '../../../src/contract/dashboard/columns.ts'
import { applyChange, applyPage, type BoardState, readBoard } from './board-store.ts'

function card(id: string, column: SessionCard['column'], since = 0): SessionCard {
  return { id, column, statusSince: new Date(since).toISOString() } as SessionCard
}

function board(sessions: SessionCard[]): Board {
  const ended = { total: 0, spent: { tokens: 0, costUsd: null }, next: null }
  return { sessions, ended, projects: [], notices: [], pins: [], loopRunning: true, version: '1' }
}

const FROM = { epoch: 'e', change: 0 }

const ids = (state: BoardState) =>
  Object.fromEntries(BOARD_COLUMNS.map((column) => [column, state.columns[column].map(({ id }) => id)]))

describe('readBoard', () => {
  it('puts the newest need first, and equals in a fixed order', () => {
    const state = readBoard(board([card('a', 'working', 1), card('c', 'working', 2), card('b', 'working', 2)]), FROM)
    expect(state.columns.working.map(({ id }) => id)).toEqual(['b', 'c', 'a'])
  })
})

describe('applyChange', () => {
  const before = readBoard(board([card('a', 'working', 1), card('b', 'needs_you', 2), card('c', 'done', 3)]), FROM)

  it('moves a card and leaves untouched columns as they are', () => {
    const after = applyChange(before, { sessions: [card('a', 'needs_you', 9)], removed: [] }, 1)
    expect(ids(after)).toMatchObject({ needs_you: ['a', 'b'], working: [], done: ['c'] })
    expect(after.columns.done).toBe(before.columns.done)
    expect(after.columns.in_review).toBe(before.columns.in_review)
    expect(after.cards.get('b')).toBe(before.cards.get('b'))
  })

  it('removes, and does not mind what it never had', () => {
    expect(ids(applyChange(before, { sessions: [], removed: ['b', 'x'] }, 1)).needs_you).toEqual([])
  })

  it('keeps what a change does not name', () => {
    const notices = [{ id: 'n', level: 'warn' as const, text: 'x' }]
    const after = applyChange(before, { sessions: [], removed: [], notices, loopRunning: false }, 1)
    expect(after).toMatchObject({ notices, loopRunning: false, version: '1', projects: [] })
  })

  it('ends where reading everything anew ends, whatever the changes were', () => {
    const cards = fc.array(
      fc.record({
        id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
        column: fc.constantFrom(...BOARD_COLUMNS),
        since: fc.integer({ min: 0, max: 3 }),
      }),
    )
    const changes = fc.array(fc.record({ sessions: cards, removed: fc.array(fc.constantFrom('a', 'b', 'c')) }))
    fc.assert(
      fc.property(changes, (list) => {
        let state = before
        const truth = new Map(before.cards)
        for (const [index, change] of list.entries()) {
          const sessions = change.sessions.map((one) => card(one.id, one.column, one.since))
          state = applyChange(state, { sessions, removed: change.removed }, index + 1)
          for (const id of change.removed) truth.delete(id)
          for (const one of sessions) truth.set(one.id, one)
        }
        expect(ids(state)).toEqual(ids(readBoard(board([...truth.values()]), FROM)))
      }),
    )
  })
})

describe('applyPage', () => {
  const whole = readBoard(board([card('a', 'working', 1)]), { epoch: 'e', change: 5 })
  const page = (sessions: SessionCard[], change: number, epoch = 'e') => ({
    sessions,
    total: sessions.length,
    next: null,
    epoch,
    change,
  })

  it('adds ended sessions to the board', () => {
    expect(ids(applyPage(whole, page([card('z', 'done', 1), card('y', 'done', 2)], 5))!).done).toEqual(['y', 'z'])
  })

  it('of another server, or from before the whole board came, has to be asked for again', () => {
    expect(applyPage(whole, page([], 5, 'other'))).toBeNull()
    expect(applyPage(whole, page([], 4))).toBeNull()
  })

  it('never undoes what the stream said later: no restored session ends again, no removed one returns', () => {
    const later = applyChange(whole, { sessions: [card('z', 'working', 9)], removed: ['y'] }, 7)
    const after = applyPage(later, page([card('z', 'done', 1), card('y', 'done', 1), card('x', 'done', 1)], 6))!
    expect(ids(after)).toMatchObject({ working: ['z', 'a'], done: ['x'] })
  })
})
