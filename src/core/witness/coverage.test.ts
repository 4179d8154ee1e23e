// Lines that ran: 41 changed lines of which 3 never did, as every usual tool writes it, and what hostile reports can do.
import { describe, expect, it } from 'vitest'
import { cpuMs } from '../../../test/support/cpu-time.ts'
import { fileFinder, judgeLines } from './lines-that-ran.ts'
import { type Coverage, MOST_STEPS, readCoverage } from './read-coverage.ts'

const DEAD = [7, 8, 30]
const LINES = Array.from({ length: 41 }, (_, index) => index + 1)
const TEXT = LINES.map((line) => `call(${line})`).join('\n')
const added = LINES.map((line) => ({ path: 'src/a.js', line }))
const find = fileFinder(['src/a.js', 'src/b.js', 'b.js', 'pkg/src/c.py'], '/tmp/work')
const files = { find: (name: string) => find(name), textOf: () => TEXT, left: { steps: 1e9 } }
const hits = (line: number) => (DEAD.includes(line) ? 0 : line)

const offset = (line: number) =>
  TEXT.split('\n')
    .slice(0, line - 1)
    .join('\n').length + Number(line > 1)
const ranges = DEAD.map((line) => ({
  startOffset: offset(line),
  endOffset: offset(line) + `call(${line})`.length,
  count: 0,
}))
const REPORTS: Record<string, string> = {
  lcov: `TN:\nSF:src/a.js\nFN:1,(anonymous)\n${LINES.map((line) => `DA:${line},${hits(line)}`).join('\n')}\nend_of_record\n`,
  Istanbul: JSON.stringify({
    '/tmp/work/src/a.js': {
      path: '/tmp/work/src/a.js',
      statementMap: Object.fromEntries(LINES.map((line) => [line, { start: { line, column: 0 }, end: { line } }])),
      s: Object.fromEntries(LINES.map((line) => [line, hits(line)])),
    },
  }),
  V8: JSON.stringify({
    result: [
      { url: 'node:internal', functions: [] },
      {
        url: 'file:///tmp/work/src/a.js',
        functions: [
          { isBlockCoverage: true, ranges: [...ranges, { startOffset: 0, endOffset: TEXT.length, count: 1 }] },
        ],
      },
    ],
  }),
  Cobertura: `<?xml version="1.0"?><!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd"><coverage><packages><package><classes><class name="a" filename="src/a.js"><methods/><lines>${LINES.map((line) => `<line number="${line}" hits="${hits(line)}"/>`).join('')}</lines></class></classes></package></packages></coverage>`,
  Go: `mode: set\n${LINES.map((line) => `example.com/app/src/a.js:${line}.1,${line}.9 1 ${Math.min(1, hits(line))}`).join('\n')}\n`,
}

const judge = (text: string) => {
  const coverage: Coverage = new Map()
  expect(readCoverage(text, files, coverage)).toBe(true)
  return judgeLines({ added, coverage, kinds: new Set(['.js']), problem: null })
}

describe('lines that ran', () => {
  it.each(Object.entries(REPORTS))('are read from %s', (_, text) => {
    expect(judge(text)).toEqual({
      verdict: 'uncovered',
      text: '3 of 41 changed lines never ran',
      marks: [
        { path: 'src/a.js', line: 7, to: 8, text: 'it never ran' },
        { path: 'src/a.js', line: 30, text: 'it never ran' },
      ],
    })
  })
  it('count once, however many reports have them, and any hit is one', () => {
    const coverage: Coverage = new Map()
    for (const text of [REPORTS.lcov!, `SF:src/a.js\n${DEAD.map((line) => `DA:${line},1`).join('\n')}\nend_of_record`])
      readCoverage(text, files, coverage)
    const facts = { added, coverage, kinds: new Set(['.js']), problem: null }
    expect(judgeLines(facts)).toMatchObject({ verdict: 'covered', text: 'all of 41 changed lines ran' })
    const more = [
      ...added,
      { path: 'src/new.js', line: 1 },
      { path: 'test/a.test.js', line: 1 },
      { path: 'a.md', line: 1 },
    ]
    expect(judgeLines({ ...facts, added: more })).toMatchObject({
      verdict: 'uncovered',
      text: 'all of 41 changed lines ran; 1 changed file is not in the report',
    })
    expect(judgeLines({ ...facts, added: [{ path: 'a.md', line: 1 }] }).verdict).toBe('none')
  })
  it('belong to the file that is meant', () => {
    const names = [
      '/tmp/work/src/b.js',
      'src/b.js',
      './b.js',
      'example.com/x/src/b.js',
      '/elsewhere/b.js',
      'c.py',
      'none.js',
      '',
    ]
    expect(names.map(find)).toEqual(['src/b.js', 'src/b.js', 'b.js', 'src/b.js', 'b.js', 'pkg/src/c.py', null, null])
  })
})

describe('a hostile report of coverage', () => {
  it('with entities or without an end is not believed', () => {
    const entities = '<!DOCTYPE c [<!ENTITY a "x">]><coverage><class filename="&a;"/></coverage>'
    for (const text of [
      entities,
      '<coverage><class filename="src/a.js">',
      '{"result": [',
      `<coverage>${'<a>'.repeat(100)}`,
    ])
      expect(() => readCoverage(text, files, new Map()), text.slice(0, 40)).toThrow()
    expect(readCoverage('covered: everything', files, new Map())).toBe(false)
  })
  it('adds no line that cannot be, and costs no more than its length', () => {
    const coverage: Coverage = new Map()
    const startedAt = cpuMs()
    const rows = ['DA:-1,1', 'DA:1e9,1', 'DA:x,1', 'DA:0,0', 'DA:2,NaN', 'DA:3'].join('\n')
    readCoverage(`SF:src/a.js\n${rows}\nend_of_record\nSF:../../etc/passwd\nDA:1,1\n`, files, coverage)
    readCoverage(`mode: set\n${'src/a.js:1.1,9999999.1 1 0\n'.repeat(50)}`, files, new Map())
    readCoverage(`mode: set\n${`${'a'.repeat(999)}:1.1,`.repeat(1_000)}`, files, new Map())
    const wild = [
      null,
      { url: 'src/a.js' },
      { url: 'file:///%zz', functions: [] },
      {
        url: 'src/a.js',
        functions: [
          {
            ranges: [
              null,
              { startOffset: -5, endOffset: 1e12, count: 0 },
              { startOffset: 0, endOffset: 1e15, count: 'x' },
            ],
          },
        ],
      },
    ]
    readCoverage(JSON.stringify({ result: wild }), files, new Map())
    readCoverage(JSON.stringify({ a: { statementMap: { 0: null }, s: {} }, __proto__: 1 }), files, new Map())
    expect([...coverage.get('src/a.js')!]).toEqual([
      [2, 0],
      [3, 0],
    ])
    expect([...coverage.keys()]).toEqual(['src/a.js'])
    const blank = { find: () => 'src/a.js', textOf: () => `${' '.repeat(1_000_000)}x`, left: { steps: 1e9 } }
    readCoverage('{"result":[{"url":"a","functions":[]}]}', blank, new Map())
    readCoverage(`${'<!DOCTYPE'.repeat(200_000)}<coverage></coverage>`, files, new Map())
    const tree = Array.from({ length: 20_000 }, (_, index) => `src/${index}/index.js`)
    const findIn = { find: fileFinder(tree, '/tmp/work'), textOf: () => null, left: { steps: 1e9 } }
    readCoverage(Array.from({ length: 20_000 }, (_, index) => `SF:x${index}/index.js`).join('\n'), findIn, new Map())
    readCoverage(`SF:${'a/'.repeat(1_000_000)}`, findIn, new Map())
    expect(cpuMs() - startedAt).toBeLessThan(2_000)
  })

  it.each([
    ['blocks of ten thousand lines', `mode: set\n${'src/a.js:1.1,10000.1 1 1\n'.repeat(1_000)}`],
    ['one script a thousand times', `{"result":[${'{"url":"src/a.js","functions":[]},'.repeat(10_000)}0]}`],
    [
      'ranges over all of the text',
      `{"result":[{"url":"src/a.js","functions":[{"ranges":[${'{"startOffset":0,"endOffset":1e6,"count":1},'.repeat(20_000)}0]}]}]}`,
    ],
    ['values without end', `{"result":[${'{},'.repeat(200_000)}0]}`],
    ['keys without end', `{${Array.from({ length: 200_000 }, (_, at) => `"k${at}":1`).join(',')}}`],
    ['lists in each other', `{"result":${'['.repeat(200_000)}${']'.repeat(200_000)}}`],
    ['names that are directories only', `SF:a\n${`SF:${'/'.repeat(4_000)}\n`.repeat(1_000)}`],
  ])('gives up on %s', (_what, report) => {
    const startedAt = cpuMs()
    const long = { find, textOf: () => 'x = 1\n'.repeat(30_000), left: { steps: MOST_STEPS / 30 } }
    expect(() => readCoverage(report, long, new Map())).toThrow('it takes too long to read')
    expect(cpuMs() - startedAt).toBeLessThan(2_000)
  })
})
