// biome-ignore-all lint/suspicious/noControlCharactersInRegex: they are the subject
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_TERMINAL_SIZE, MIN_TERMINAL_SIZE } from '../../contract/terminal-frames.ts'
import {
  END_MARK,
  formatEvent,
  formatHeader,
  formatSize,
  GAP_MARK,
  parseEvent,
  parseHeader,
  parseSize,
} from './cast.ts'
import { createPlayFilter, waitBetween } from './playable.ts'
import { redactOutput, splitUnfinished } from './redact-output.ts'
import { REDRAW_FROM_HERE } from './redraw.ts'

describe('a line of a recording', () => {
  it('is read as it was written, whatever was drawn', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(0x10ffff)), fc.nat(1e9), (points, later) => {
        const startedAt = 1_700_000_000_123
        const event = {
          at: startedAt + later,
          kind: 'o' as const,
          data: String.fromCodePoint(...points).toWellFormed(),
        }
        expect(parseEvent(formatEvent(event, startedAt).trimEnd(), startedAt)).toEqual(event)
      }),
    )
  })

  it('is nothing when it is anything else: no line throws, and no size is believed that would take all memory', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (line) => {
        const header = parseHeader(line)
        expect(header === null || header.cols <= 1000).toBe(true)
        parseEvent(line, 0)
      }),
    )
    const header = { cols: 80, rows: 24, startedAt: 5, launch: 'x' }
    expect(parseHeader(formatHeader(header))).toEqual(header)
    for (const cols of [0, -1, 1e9, 1.5, '80', null])
      expect(parseHeader(formatHeader({ ...header, cols } as never))).toBeNull()
    expect(parseSize(formatSize({ cols: 100, rows: 30 }))).toEqual({ cols: 100, rows: 30 })
    for (const size of ['99999x2', '0x0', '10', 'ax3', '10x10x10']) {
      expect(parseSize(size)).toBeNull()
      expect(parseEvent(`[1, "r", "${size}"]`, 0)).toBeNull()
    }
  })

  it('is an asciicast that players read, with marks that people see', () => {
    const header = JSON.parse(formatHeader({ cols: 80, rows: 24, startedAt: 61_999, launch: 'x' }))
    expect(header).toMatchObject({ version: 2, width: 80, height: 24, timestamp: 61, env: { TERM: 'xterm-256color' } })
    expect(formatEvent({ at: 2_500, kind: 'm', data: `${END_MARK}0` }, 1_000)).toBe('[1.5, "m", "ended: 0"]\n')
    expect(GAP_MARK).toBe('not recorded ')
  })

  it.each([
    ['[1, "o", "x"]', { at: 1_000, kind: 'o', data: 'x' }],
    ['[1, "r", "100x30"]', { at: 1_000, kind: 'r', data: '100x30' }],
    ['[1, "m", "ended: 0"]', { at: 1_000, kind: 'm', data: 'ended: 0' }],
    ['[0, "o", ""]', { at: 0, kind: 'o', data: '' }],
    ['[1, "i", "typed"]', null],
    ['[1, "", "x"]', null],
    ['["1", "o", "x"]', null],
    ['[-1, "o", "x"]', null],
    ['[1, "o", 5]', null],
    ['["1", "o", 5]', null],
    ['{"0": 1, "1": "o", "2": "x"}', null],
    ['[1, "o", "x', null],
  ])('that says %s is %j', (line, event) => expect(parseEvent(line, 0)).toEqual(event))

  it('has a size between the smallest and the largest terminal, both included', () => {
    const size = (cols: number, rows: number) => parseSize(formatSize({ cols, rows }))
    const { cols, rows } = MAX_TERMINAL_SIZE
    expect(size(cols, rows)).toEqual(MAX_TERMINAL_SIZE)
    expect(size(MIN_TERMINAL_SIZE.cols, MIN_TERMINAL_SIZE.rows)).toEqual(MIN_TERMINAL_SIZE)
    for (const wrong of [
      size(cols + 1, rows),
      size(cols, rows + 1),
      size(MIN_TERMINAL_SIZE.cols - 1, rows),
      size(cols, MIN_TERMINAL_SIZE.rows - 1),
    ])
      expect(wrong).toBeNull()
  })

  it.each([
    ['without the version', { version: 1 }],
    ['without its start', { ao: { launch: 'x' } }],
    ['without its launch', { ao: { startedAt: 5 } }],
    ['without what is ours', { ao: null }],
  ])('is no header %s', (_what, change) => {
    const header = JSON.parse(formatHeader({ cols: 80, rows: 24, startedAt: 5, launch: 'x' }))
    expect(parseHeader(JSON.stringify({ ...header, ...change }))).toBeNull()
  })

  it('has a moment that is a date, or is left out', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e18 }), fc.double({ min: 0, max: 8.64e15 }), (seconds, startedAt) => {
        const event = parseEvent(`[${seconds}, "o", "x"]`, startedAt)
        if (event) expect(() => new Date(event.at).toISOString()).not.toThrow()
      }),
    )
    expect(parseEvent('[1e14, "o", "x"]', 1.7e12)).toBeNull()
  })
})

it('a picture of the screen replaces what is visible, in the colours of a new terminal', () => {
  for (const sequence of ['\u001b[?1049l', '\u001b[!p', '\u001b[0m', '\u001b[H', '\u001b[2J'])
    expect(REDRAW_FROM_HERE).toContain(sequence)
})

describe('secrets in what is drawn', () => {
  it('are looked for in text of eight characters and titles of sixteen, and nowhere in what draws', () => {
    const red = '\u001b[31m'
    expect(redactOutput(`${red}12345678${red}`, ['12345678'])).not.toContain('12345678')
    expect(redactOutput(`${red}1234567${red}`, ['1234567'])).toContain('1234567')
    expect(redactOutput('\u001b]0;1234567890\u0007', ['1234567890'])).toBe('\u001b]0;1234567890\u0007')
    expect(redactOutput('\u001b]0;12345678901\u0007', ['12345678901'])).not.toContain('12345678901')
    const drawing = '\u001b[38;2;255;255;255m'
    expect(redactOutput(`${drawing}x`, ['38;2;255;255;255'])).toBe(`${drawing}x`)
  })

  it('are removed, and the sequences around them are kept', () => {
    const drawn = '\u001b[5;3Htoken: \u001b[32mghp_0123456789abcdef\u001b[0m\u001b[6;1Hkey=hunter2hunter2 next'
    const clean = redactOutput(drawn, ['hunter2hunter2'])
    expect(clean).not.toMatch(/ghp_|hunter2/)
    for (const sequence of ['\u001b[5;3H', '\u001b[32m', '\u001b[0m\u001b[6;1H']) expect(clean).toContain(sequence)
    expect(redactOutput('\u001b]0;export A_TOKEN=abcdefghijk\u0007', [])).not.toContain('abcdefghijk')
  })

  it('are not missed because a write ended in the middle of a word', () => {
    expect(splitUnfinished('done\r\nkey ghp_01234')).toEqual(['done\r\nkey ', 'ghp_01234'])
    expect(splitUnfinished('x'.repeat(300))).toEqual(['x'.repeat(300), ''])
  })
})

describe('what is played', () => {
  const HOSTILE = [
    ['the clipboard', '\u001b]52;c;ZXZpbA==\u0007'],
    ['a title', '\u001b]0;title\u001b\\'],
    ['a device string', '\u001bP+q544e\u001b\\'],
    ['a question for the cursor', '\u001b[6n'],
    ['a question for the terminal', '\u001b[>0c'],
    ['the size of the window', '\u001b[8;1;1t'],
    ['an 8-bit string', '\u009d52;c;ZXZpbA==\u009c'],
    ['a full reset', '\u001bc'],
    ['a question for its version', '\u001b[>q'],
    ['a question for its keyboard', '\u001b[?u'],
    ['a question for its parameters', '\u001b[1x'],
    ['a question for a mode', '\u001b[?2004$p'],
    ['a question for a checksum', '\u001b[1;1;1;1;9;9*y'],
    ['a question for its tabs', '\u001b[2$w'],
    ['a question for its colours', '\u001b[#R'],
    ['an 8-bit question for itself', '\u009a'],
    ['printing', '\u001b[5i'],
    ['a lock of the keyboard', '\u001b[2h'],
    ['another keyboard protocol', '\u001b[>1u'],
  ] as const

  it.each(HOSTILE)('leaves out %s, also when it arrives in pieces', (_what, sequence) => {
    for (let cut = 0; cut <= sequence.length; cut++) {
      const filter = createPlayFilter()
      const played = filter(`a${sequence.slice(0, cut)}`) + filter(`${sequence.slice(cut)}b`) + filter('')
      expect(played).toBe('ab')
    }
  })

  it('leaves an escape only where it draws, whatever stands around it', () => {
    expect(createPlayFilter()('a\u001b[6\u0000nb')).toBe('a6\u0000nb')
    expect(createPlayFilter()('a\u001b\u001b]0;x\u0007[6nb')).toBe('ab')
    const PIECES = [
      '\u001b',
      '[',
      '6',
      'n',
      'm',
      ']0;',
      '\u0007',
      '\\',
      '>',
      'q',
      'x',
      '\u0000',
      '\u009b',
      'c',
      '?',
      ' ',
    ]
    const DRAWN = /\u001b(?:\[[\d;]*m|\[\?[\d;]*[hl]|\[\d* q|[6>])/g
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 30 }), (pieces) => {
        const filter = createPlayFilter()
        const played = pieces.map(filter).join('')
        expect(played.replace(DRAWN, '').replaceAll(/\u009b[\d;]*m|\u009b\d* q/g, '')).not.toMatch(/[\u001b\u009b]/)
      }),
    )
  })

  it('keeps text, colours and cursor moves', () => {
    const drawn =
      'a\u001b[1;31mb\u001b[38:2::1:2:3m\u001b[2J\u001b[3;4Hc\u001b[?25l\r\nd\tü\u001b(0q\u001b(B\u001b7\u001b[2;9r\u001b8\u001b[?1049h\u001b[2 q'
    expect(createPlayFilter()(drawn)).toBe(drawn)
  })

  it('waits as long as it took, at most the limit, and never for a clock that was set back', () => {
    expect(waitBetween(0, 1000, { speed: 2, idleLimitMs: 5000 })).toBe(500)
    expect(waitBetween(0, 60_000, { speed: 1, idleLimitMs: 2000 })).toBe(2000)
    expect(waitBetween(1000, 0, { speed: 1, idleLimitMs: 2000 })).toBe(0)
  })
})
