// Everything on the board comes from somebody: what a terminal would obey is spelled out in each cell, on the screen and in lines.
import { expect, it } from 'vitest'
import { askingCard, sampleCard } from '../../../../test/support/sample-card.ts'
import type { SessionCard } from '../../../contract/dashboard/cards.ts'
import { BOARD_LISTS, type BoardData, type BoardList, boardRows } from '../../../core/board/board-rows.ts'
import { firstState, type Mode } from '../../../core/board/board-state.ts'
import { createStyle } from '../../print/style.ts'
import { lineOf } from './linear-board.ts'
import { renderBoard } from './render-board.ts'

const NOW = new Date('2026-03-04T12:00:00.000Z')
/** Turned around; cleared screen; clipboard; title of the window; a line of its own. */
const HOSTILE = 'x\u202ey\u001b[2J\u001b]52;c;ZQ==\u0007\u009b1A\r\nz'
const OBEYED = /[\p{Cc}\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]/u

const pull = {
  url: 'https://forge.example/p/7',
  number: 7,
  title: 'A switch',
  state: 'open',
  ci: 'passing',
  review: 'pending',
  hasConflicts: null,
  headSha: 'a'.repeat(40),
} as const
const need = (matter: string): SessionCard['need'] => ({
  kind: 'question',
  matter,
  cause: null,
  since: NOW.toISOString(),
  deadline: null,
  acts: ['answer'],
  requestId: null,
})
const train = {
  projectId: 'app',
  pull: 7,
  title: 'A switch',
  state: 'testing',
  session: 'app-1',
  at: NOW.toISOString(),
}

type Details = { change?: string; screen?: string }
type Cell = readonly [
  name: string,
  list: BoardList,
  card: Partial<SessionCard>,
  data?: Partial<BoardData>,
  own?: Details,
]

const CELLS: Cell[] = [
  ['the title of a session', 'sessions', { title: HOSTILE }],
  ['its branch', 'sessions', { branch: HOSTILE }],
  ['its agent', 'sessions', { agent: HOSTILE }],
  ['its model', 'sessions', { model: HOSTILE }],
  ['its last words', 'sessions', { lastMessage: HOSTILE }],
  ['why it has its status', 'sessions', { evidence: [HOSTILE] }],
  ['why it is paused', 'sessions', { paused: { since: NOW.toISOString(), why: HOSTILE, resumes: HOSTILE } }],
  ['a folder of pins', 'sessions', {}, { pins: [{ session: 'app-1', folder: HOSTILE }] }],
  ['a question', 'queue', { need: need(HOSTILE), column: 'needs_you' }],
  ['the title beside a question', 'queue', { need: need('Which?'), column: 'needs_you', title: HOSTILE }],
  ['the title of a pull request', 'pulls', { pr: { ...pull, title: HOSTILE } }],
  ['its address', 'pulls', { pr: { ...pull, url: HOSTILE, number: null } }],
  ['a title in the train', 'train', {}, { train: [{ ...train, title: HOSTILE }] }],
  ['why something left the train', 'train', {}, { train: [{ ...train, state: `left: ${HOSTILE}` }] }],
  ['its change', 'sessions', {}, {}, { change: HOSTILE }],
  ['its screen', 'sessions', {}, {}, { screen: HOSTILE }],
  ['whose session is aboard', 'train', {}, { train: [{ ...train, session: HOSTILE }] }],
]

function draw([, list, changes, more = {}, own = {}]: Cell, mode: Mode): { lines: string[]; linear: string[] } {
  const card = { ...sampleCard({ id: 'app-1' }), ...changes }
  const data: BoardData = { cards: [card], train: [train], now: NOW.getTime(), ...more }
  const rows = boardRows(list, data)
  const size = { width: 120, height: 40 }
  const { lines } = renderBoard(
    { ...firstState(), list, mode },
    {
      cards: new Map([[card.id, card]]),
      rows,
      counts: Object.fromEntries(BOARD_LISTS.map((one) => [one, 1])) as Record<BoardList, number>,
      source: '',
      notices: [],
      actions: [],
      details: { sessionId: card.id, change: '1 file', screen: '', ...own },
      now: NOW,
      style: createStyle(false),
      ...size,
    },
  )
  return { lines, linear: rows.map((row) => lineOf(row, NOW)) }
}

it.each(CELLS.map((cell) => ({ name: cell[0], cell })))(
  '$name that a terminal would obey is spelled out',
  ({ cell }) => {
    const { lines, linear } = draw(cell, { kind: 'list' })
    expect([...lines, ...linear].filter((line) => OBEYED.test(line))).toEqual([])
    expect(lines.join('\n')).toContain('⟨U+202E⟩')
    const opened = draw(cell, { kind: 'peek', sessionId: 'app-1', text: HOSTILE, top: 0 })
    expect(opened.lines.filter((line) => OBEYED.test(line))).toEqual([])
  },
)

it('a request is read whole, with every answer it offers', () => {
  const card = askingCard('app-1', {
    title: HOSTILE,
    input: { kind: 'command', text: HOSTILE, rest: HOSTILE },
    options: [{ optionId: 'a', name: HOSTILE, decision: null }],
  })
  const { lines } = draw(['', 'queue', card], {
    kind: 'ask',
    sessionId: 'app-1',
    request: card.permissions[0]!,
    top: 0,
    drawn: null,
  })
  expect(lines.filter((line) => OBEYED.test(line))).toEqual([])
  expect(lines.join('\n').match(/⟨U\+202E⟩/g)?.length).toBeGreaterThanOrEqual(3)
})
