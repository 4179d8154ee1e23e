import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { excerptOf, type Unit } from './find-in-unit.ts'
import { foldText } from './fold-text.ts'
import { asQuery, markedPaths, matchExpression, parseQuery } from './parse-query.ts'
import { castStart, unitOfCast, unitOfHistory, unitOfRecord, unitsOfDiff, unitsOfEvents } from './read-units.ts'

const ANY_TEXT = fc.array(fc.integer({ min: 0, max: 0x10_ff_ff })).map((codes) => String.fromCodePoint(...codes))
const NOW = Date.parse('2026-11-18T00:00:00Z')
const parse = (text: string) => parseQuery(text, NOW)
const unit = (text: string, more: Partial<Unit> = {}): Unit => ({ text, at: NOW, sequence: null, files: [], ...more })
const excerpt = (text: string, query: string, more: Partial<Unit> = {}) => excerptOf(unit(text, more), parse(query))

describe('a query', () => {
  it('is words, exact texts and filters', () => {
    expect(parse('Token expires "over night" agent:codex project:app status:merged file:src/a.ts after:3d')).toEqual({
      ...{ terms: ['token', 'expires', 'over', 'night', 'src', 'a', 'ts'], phrases: ['over night'], file: 'src/a.ts' },
      ...{
        project: 'app',
        agent: 'codex',
        status: 'merged',
        kind: null,
        before: null,
        after: NOW - 3 * 86_400_000,
        problem: null,
      },
    })
    vi.stubEnv('TZ', 'UTC')
    expect(parse('x before:2026-11-01').before).toBe(Date.parse('2026-11-01'))
    vi.stubEnv('TZ', 'America/New_York')
    expect(parse('x before:2026-11-01').before, 'midnight there').toBe(Date.parse('2026-11-01T04:00Z'))
    vi.unstubAllEnvs()
    expect(parse('x before:soon').problem).toContain('not soon')
    expect(parse('x in:Diff')).toMatchObject({ kind: 'diff', problem: null })
    expect(parse('x in:attic').problem).toContain('not attic')
    expect(parse('project:app').problem).toContain('no word')
  })

  it('is never syntax of the index, whatever is typed', () => {
    const plain = /^"[\p{L}\p{N}]+"\*?( "[\p{L}\p{N}]+"\*?)*$/u
    fc.assert(
      fc.property(ANY_TEXT, (text) => {
        const query = parse(text)
        if (query.problem === null) expect(matchExpression(query)).toMatch(plain)
      }),
    )
    expect(matchExpression(parse('NEAR(a b) OR col:x* ^"'))).toBe('"near"* "a" "b" "or" "col"* "x"')
    const ofFile = '"retry"* "queue"* "ts" "aofilequeue"* "aofilets"'
    expect(matchExpression(parse('retry file:queue.ts'))).toBe(ofFile)
    expect(markedPaths(['src/Queue.ts', 'b/queue.ts'])).toBe('aofilesrc aofilequeue aofilets aofileb')
  })
})

describe('what is found', () => {
  it('has all words in one text, each at the beginning of a word, without case and accents', () => {
    expect(excerpt('Das Größenlimit der Zürcher API', 'zurch limit')).toBeNull()
    expect(excerpt('Das Größenlimit der Zürcher API', 'zurch größ')).toBe('Das Größenlimit der Zürcher API')
    expect(excerpt('two exact words', '"exact words"')).not.toBeNull()
    expect(excerpt('words exact', '"exact words"')).toBeNull()
  })

  it('is limited by file and time', () => {
    expect(excerpt('changed it', 'changed file:src/a.ts', { files: ['/repo/src/a.ts'] })).not.toBeNull()
    expect(excerpt('changed src/a.ts', 'changed file:src/a.ts')).toBeNull()
    expect(excerpt('old', 'old after:1d', { at: NOW - 2 * 86_400_000 })).toBeNull()
    expect(excerpt('old', 'old before:1d', { at: NOW - 2 * 86_400_000 })).not.toBeNull()
  })

  it('begins at the first moment of a time, and ends before the last one', () => {
    const day = Date.parse('2026-11-01T00:00')
    expect(excerpt('old', 'old after:2026-11-01', { at: day })).toBe('old')
    expect(excerpt('old', 'old after:2026-11-01', { at: day - 1 })).toBeNull()
    expect(excerpt('old', 'old before:2026-11-01', { at: day })).toBeNull()
    expect(excerpt('old', 'old before:2026-11-01', { at: day - 1 })).toBe('old')
    expect(excerpt('old', 'old after:2026-11-01', { at: null })).toBeNull()
    expect(excerpt('old', 'old before:2026-11-01', { at: null })).toBe('old')
  })

  it('is shown as one line that controls nothing', () => {
    const shown = excerpt(`${'before '.repeat(50)}\n\u001b]0;title\u0007 needle \u202e evil`, 'needle')!
    expect(shown).toMatch(/^… .*needle/)
    expect(shown).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  })

  it('keeps every character in its place', () => {
    fc.assert(fc.property(ANY_TEXT, (text) => foldText(text).length === text.length))
  })
})

describe('what is searched', () => {
  it('is what people said in a history, and nothing of a damaged line', () => {
    expect(unitOfHistory('{"type":"message.queued","text":"hello","at":"2026-11-18T00:00:00Z"}')).toEqual(unit('hello'))
    for (const line of [
      '',
      '{',
      'null',
      '[1]',
      '{"type":"message.queued","text":7}',
      '{"type":"reaction","key":"x"}',
    ]) {
      expect(unitOfHistory(line)).toBeNull()
    }
  })

  it('is what a terminal showed, without its sequences', () => {
    const lines = ['[0, "o", "\\u001b[31mred\\u001b[0m\\u001b[5;5Hthere"]', '[1, "r", "80x24"]', 'half a li']
    expect(unitOfCast(lines, NOW)).toMatchObject({ text: 'red there', at: NOW })
    expect(unitOfCast(['garbage', '[0, "m", "mark"]'], NOW)).toBeNull()
    expect(unitOfCast([String.raw`[0, "o", "\u000f* \u0007thin\u0000king"]`], NOW)?.text).toBe('* thinking')
  })

  it.each([
    [{ type: 'message.edited', text: 'better' }, 'better'],
    [{ type: 'session.renamed', title: 'Carts' }, 'Carts'],
    [{ type: 'permission.answered', title: 'run make' }, 'run make'],
    [{ type: 'operation.failed', error: 'disk full' }, 'disk full'],
  ])('is what happened to a session: %j', (event, text) => {
    expect(unitOfHistory(JSON.stringify(event))).toEqual(unit(text, { at: null }))
  })

  it('is the texts in a record of an agent, and the files that it names', () => {
    const record = (spoken: unknown, timestamp: unknown = '2026-11-18T00:00:00Z') => unitOfRecord({ timestamp }, spoken)
    const spoken = { content: [{ type: 'text', text: 'found it' }, { input: { file_path: '/a.ts', path: '/a.ts' } }] }
    expect(record(spoken)).toEqual(unit('found it', { files: ['/a.ts'] }))
    expect(record({ content: 'typed' }, 7)).toEqual(unit('typed', { at: null }))
    expect(record({ content: { filePath: '/b' } }, null)).toEqual(unit('', { at: null, files: ['/b'] }))
    const deep = (levels: number): object => (levels === 0 ? { text: 'deep' } : { content: deep(levels - 1) })
    expect(record(deep(11))?.text).toBe('deep')
    for (const silent of ['typed', null, 7, [], { content: '  ', id: 'x' }, deep(12)]) expect(record(silent)).toBeNull()
  })

  it('is the changed lines of each file of a diff, a long one in several parts', () => {
    const diff = [
      'diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@ same\n-old\n+new\n rest\n',
      'diff --git a/gone b/gone\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-bye\n',
      'diff --git a/p.png b/p.png\nBinary files differ\n',
      'diff --git a/long b/long\n--- /dev/null\n+++ b/long\n@@ -0,0 +1 @@\n',
    ].join('')
    const found = unitsOfDiff(`${diff}+${'x'.repeat(16 * 1024)}y\n`)
    expect(found.map(({ text, files }) => [text.slice(0, 8), text.length, ...files])).toEqual([
      ['old\nnew', 7, 'a.ts'],
      ['bye', 3, 'gone'],
      ['', 0, 'p.png'],
      ['xxxxxxxx', 16 * 1024, 'long'],
      ['y', 1, 'long'],
    ])
    expect(unitsOfDiff('no diff')).toEqual([])
  })

  it('begins where the part of a recording says', () => {
    expect(castStart('garbage')).toBe(0)
  })

  it('is whole messages of a conversation, with the files of tools', () => {
    const base = { session_id: '', turn_id: 't', timestamp: '2026-11-18T00:00:00Z' }
    const says = (sequence: number, text: string) =>
      ({ ...base, sequence, type: 'agent_message', content: { content: { type: 'text', text } } }) as const
    const diff = { type: 'diff', path: '/repo/a.ts', oldText: 'one', newText: 'two' }
    const tool = { sessionUpdate: 'tool_call', toolCallId: '1', title: 'Edit', content: [diff] }
    const units = unitsOfEvents([
      says(4, 'hel'),
      says(5, 'lo'),
      { ...base, sequence: 6, type: 'tool_call', content: tool },
    ])
    expect(units).toMatchObject([
      { text: 'hello', sequence: 4 },
      { text: expect.stringContaining('two'), sequence: 6, files: ['/repo/a.ts'] },
    ])
  })
})

it.each([
  ['error in: parse', '"error in: parse"'],
  ['built in:house tools', '"built in:house tools"'],
  ['token in:diff', 'token in:diff'],
  ['token agent:codex', 'token agent:codex'],
  ['say "two words"', 'say "two words"'],
  ['in:diff', 'in:diff'],
])('takes the argument %s for %s', (argument, query) => {
  expect(asQuery(argument)).toBe(query)
})
