import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cpuMs } from '../../../../test/support/cpu-time.ts'
import { askingCard, sampleCard } from '../../../../test/support/sample-card.ts'
import type { SessionCard } from '../../../contract/dashboard/cards.ts'
import { BOARD_LISTS, boardRows, filterRows } from '../../../core/board/board-rows.ts'
import { type BoardState, firstState, type Mode } from '../../../core/board/board-state.ts'
import { displayWidth } from '../../print/plain-text.ts'
import { createStyle } from '../../print/style.ts'
import { type BoardScreen, renderBoard } from './render-board.ts'

const NOW = new Date('2026-03-04T12:00:00.000Z')

function render(cards: SessionCard[], state: Partial<BoardState> = {}, size: Partial<BoardScreen> = {}, hostile = '') {
  const whole = { ...firstState(), ...state }
  const train = [{ projectId: 'app', pull: 7, title: hostile, state: 'testing', session: null, at: NOW.toISOString() }]
  const data = { cards, train, now: NOW.getTime() }
  return renderBoard(whole, {
    cards: new Map(cards.map((card) => [card.id, card])),
    rows: filterRows(boardRows(whole.list, data), whole.filter),
    counts: { queue: 1, sessions: cards.length, pulls: 0, train: 1 },
    source: 'no loop is running: read here',
    notices: [hostile],
    actions: [{ name: `deploy ${hostile}`, key: 'D', run: ['deploy'] }],
    details: { sessionId: cards[0]?.id ?? '', change: hostile, screen: hostile },
    now: NOW,
    style: createStyle(false),
    width: 80,
    height: 24,
    ...size,
  })
}

const ask = (card: SessionCard, top = 0): Mode => ({
  kind: 'ask',
  sessionId: card.id,
  request: card.permissions[0]!,
  top,
  drawn: null,
})

describe('the terminal board', () => {
  it('fits 80 by 24: lists, preview, and the keys', () => {
    const cards = [askingCard('app-1'), sampleCard({ id: 'app-2', lastMessage: 'I added the switch.\nTests pass.' })]
    expect(
      render(cards, { list: 'sessions', chosen: { ...firstState().chosen, sessions: { key: 'app-2', index: 1 } } })
        .lines,
    ).toMatchInlineSnapshot(`
      [
        "ao · 1 needs you · 1 working                       no loop is running: read here",
        " 1 Queue 1 [2 Sessions 2] 3 Pull requests 0  4 Train 1 ",
        "  WHO    STATE          AGE  ABOUT         ",
        "  app-1  ! needs_input   5m  Add a switch  session/app-1",
        "> app-2  working         5m  Add a switch  session/app-1",
        "── app-2 ───────────────────────────────────────────────────────────────────────",
        "  Add a switch · demo · session/app-1",
        "  ",
        "  I added the switch.",
        "  Tests pass.",
        "",
        "",
        "",
        "",
        "",
        "",
        "",
        "",
        "",
        "",
        "",
        "",
        "! ",
        "enter attach · space reply · y/n answer · v diff · m merge · / find · ? keys",
      ]
    `)
  })

  it('counts what is in review apart from what is working', () => {
    const cards = [sampleCard(), sampleCard({ id: 'app-2', column: 'in_review' })]
    expect(render(cards).lines[0]).toMatch(/^ao · nobody needs you · 1 in review · 1 working /)
  })

  it('names keys whole, and how to see all of them, at 80 columns', () => {
    const keys = render([sampleCard()]).lines.at(-1)!
    expect(keys).toContain('? keys')
    expect(keys).not.toContain('…')
    expect(render([sampleCard()], {}, { width: 200 }).lines.at(-1)).toContain('! pause · : actions')
  })

  it('shows every notice that there is room for', () => {
    const shown = (height: number) =>
      render([sampleCard()], {}, { height, notices: ['nobody is notified', 'the train waits'] }).lines.filter((line) =>
        line.startsWith('! '),
      )
    expect(shown(24)).toEqual(['! nobody is notified', '! the train waits'])
    expect(shown(12)).toEqual(['! nobody is notified'])
  })

  it.each([
    [20, 8],
    [40, 12],
    [80, 24],
    [200, 60],
  ])('never writes beyond %i columns or %i lines, whatever is open', (width, height) => {
    const card = askingCard('app-1', { title: `echo ${'long 漢字 '.repeat(200)}` })
    const many = Array.from({ length: 40 }, (_, index) =>
      sampleCard({ id: `app-${index + 2}`, title: '漢字 '.repeat(40) }),
    )
    const modes: Mode[] = [
      { kind: 'list' },
      { kind: 'filter' },
      { kind: 'help' },
      { kind: 'palette', text: '漢字'.repeat(60), index: 0 },
      { kind: 'palette', text: '', index: 9 },
      { kind: 'search', text: '漢字'.repeat(60) },
      { kind: 'pick', title: '漢字'.repeat(60), entries: [{ what: '漢字'.repeat(60), opens: '' }], index: 0 },
      ask(card),
      { kind: 'peek', sessionId: 'app-1', text: 'x\n'.repeat(50), top: 0 },
      { kind: 'confirm', change: { kind: 'kill', sessionId: 'app-1' }, drawn: null },
      { kind: 'page', title: 'diff', text: 'y\n'.repeat(500), top: 9 },
    ]
    for (const mode of modes)
      for (const list of BOARD_LISTS) {
        const { lines } = render([card, ...many], { mode, list, note: 'n'.repeat(300) }, { width, height })
        expect(lines).toHaveLength(height)
        if (width >= 40) expect(lines.filter((line) => displayWidth(line) > width)).toEqual([])
      }
  })

  it('asks about the pull request that was chosen, and shows no checks of another head', () => {
    const shown = { sha: 'abc123', url: 'https://forge/7', name: 'A switch' }
    const pr = { ...{ url: shown.url, number: 7, title: 'A switch', state: 'open', ci: 'passing' }, headSha: shown.sha }
    const confirmed = (other: object) => {
      const card = sampleCard({ pr: { ...pr, review: 'none', hasConflicts: false, ...other } as SessionCard['pr'] })
      const approval = { kind: 'approve', sessionId: card.id, ...shown } as const
      return render([card], { mode: { kind: 'confirm', change: approval, drawn: null } }).lines.join('\n')
    }
    expect(confirmed({})).toContain('https://forge/7 · checks: passing')
    for (const other of [{ headSha: 'def456' }, { url: 'https://forge/8' }]) {
      expect(confirmed(other)).toContain('https://forge/7')
      expect(confirmed(other)).not.toMatch(/checks:|forge\/8/)
    }
  })

  it('shows a request in full, page by page, with a mark where a line goes on', () => {
    const command = Array.from({ length: 60 }, (_, index) => `step ${index} ${'x'.repeat(index)}`).join('\n')
    const card = askingCard('app-1', { input: { kind: 'command', text: command, differs: true }, title: 'ls' })
    const pages: string[] = []
    for (let top = 0; ; ) {
      const { lines, shown } = render([card], { mode: ask(card, top) })
      for (let at = shown.top; at < shown.bottom; at++) pages[at] = lines[3 + at - shown.top]!
      if (shown.bottom === shown.total) break
      top = shown.bottom
    }
    const text = pages.join('\n').replaceAll('\n↪ ', '').replaceAll(/^ {2}/gm, '')
    expect(text).toContain(command)
    expect(text).toContain('The agent calls it something else: ls')
  })

  it('lets no escape sequence, bidirectional mark or other control character of anybody through', () => {
    const nasty = fc
      .array(
        fc.oneof(
          fc.constantFrom(
            '\u001b[2J',
            '\u001b]52;c;ZQ==\u0007',
            '\u009b1A',
            '\u202e',
            '\u2066',
            '\r',
            '\u200b',
            '\t',
            '\n',
            '\u001b[31m',
          ),
          fc.string({ unit: 'binary', maxLength: 4 }),
        ),
        { maxLength: 8 },
      )
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(nasty, fc.constantFrom(...BOARD_LISTS), (hostile, list) => {
        const pr = {
          url: hostile,
          number: null,
          title: hostile,
          state: 'open',
          ci: 'none',
          review: 'none',
          hasConflicts: null,
          headSha: hostile,
        } as const
        const input = { kind: 'command', text: hostile, rest: hostile } as const
        const options = [{ optionId: 'a', name: hostile, decision: null }]
        const asking = askingCard('app-1', {
          title: hostile,
          input,
          options,
          diffs: [{ path: hostile, old_text: hostile, new_text: hostile }],
        })
        const card = {
          ...asking,
          title: hostile,
          branch: hostile,
          lastMessage: hostile,
          evidence: [hostile],
          pr,
        }
        const modes: Mode[] = [
          { kind: 'list' },
          { kind: 'filter' },
          { kind: 'palette', text: '', index: 0 },
          { kind: 'palette', text: hostile, index: 0 },
          { kind: 'search', text: hostile },
          { kind: 'pick', title: hostile, entries: [{ what: hostile, opens: hostile }], index: 0 },
          {
            kind: 'confirm',
            change: { kind: 'rewind', sessionId: 'app-1', turn: 2, about: hostile },
            drawn: null,
          },
          {
            kind: 'confirm',
            change: { kind: 'undo', sessionId: '-', operation: hostile, what: hostile, command: hostile },
            drawn: null,
          },
          ask(card),
          { kind: 'peek', sessionId: 'app-1', text: hostile, top: 0 },
          {
            kind: 'confirm',
            change: { kind: 'merge', sessionId: 'app-1', sha: hostile, url: hostile, name: hostile },
            drawn: null,
          },
          { kind: 'page', title: hostile, text: hostile, top: 0 },
        ]
        for (const mode of modes) {
          const text = render(
            [card],
            { list, mode, filter: mode.kind === 'filter' ? hostile : '', note: hostile },
            undefined,
            hostile,
          ).lines.join('')
          expect(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(text)).toBe(false)
        }
      }),
      { numRuns: 25 },
    )
  })

  it('draws ten thousand sessions with endless titles as quickly as those that fit', () => {
    const title = `日本 ${'e\u0301'.repeat(2_000)}`
    const cards = Array.from({ length: 10_000 }, (_, number) => sampleCard({ id: `app-${number}`, title }))
    const startedAt = cpuMs()
    expect(render(cards, { list: 'sessions' }).lines).toHaveLength(24)
    expect(cpuMs() - startedAt).toBeLessThan(3_000)
  })
})
