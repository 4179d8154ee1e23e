// What tests prove: 30 scripted changes whose tests really run, with and without the change, and everything a report may contain.
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { cpuMs } from '../../../test/support/cpu-time.ts'
import type { TestFile } from './compare-tests.ts'
import { judgeWitness, type TestRun } from './judge-witness.ts'
import { readTestReport } from './test-report.ts'

const SOURCE = `
const add = (a, b) => a + b
const clamp = (n, low, high) => (n < low ? low : n)
const words = (text) => text.split(' ')
const total = (list) => list.reduce((sum, one) => sum + one, 0)
const initials = (name) => words(name).map((word) => word[0]).join('')
`
const TESTS = `
describe('numbers', () => {
  it('adds', () => {
    expect(add(1, 2)).toBe(3)
    expect(add(-1, 1)).toBe(0)
  })
  it('clamps from below', () => {
    expect(clamp(-5, 0, 10)).toBe(0)
  })
  it('sums a list', () => {
    expect(total([1, 2, 3])).toEqual(6)
    expect(total([])).toEqual(0)
  })
})
describe('text', () => {
  it('splits words', () => {
    expect(words('a b')).toEqual(['a', 'b'])
  })
  it('takes initials', () => {
    expect(initials('Ada Lovelace')).toBe('AL')
  })
})
`
const PATH = 'test/lib.test.js'

type Change = [about: string, source: (text: string) => string, tests: (text: string) => string]

const swap = (from: string, to: string) => (text: string) => {
  expect(text).toContain(from)
  return text.replace(from, to)
}
const both =
  (...edits: Array<(text: string) => string>) =>
  (text: string) =>
    edits.reduce((now, edit) => edit(now), text)
const append = (title: string, body: string) => (text: string) => `${text}it('${title}', () => {\n  ${body}\n})\n`
const define = (line: string) => (text: string) => `${text}${line}\n`
const same = (text: string) => text
const fixClamp = swap('n < low ? low : n', 'n < low ? low : n > high ? high : n')
const fixWords = swap("text.split(' ')", "text.split(' ').filter(Boolean)")
const fixTotal = swap('sum + one, 0', 'sum + (one ?? 0), 0')
const double = define('const double = (n) => 2 * n')

const HONEST: Change[] = [
  ['a fix with a new test', fixClamp, append('clamps from above', 'expect(clamp(20, 0, 10)).toBe(10)')],
  ['a fix of splitting', fixWords, append('ignores double spaces', "expect(words('a  b')).toEqual(['a', 'b'])")],
  ['a fix for gaps', fixTotal, append('counts gaps as nothing', 'expect(total([1, undefined])).toBe(1)')],
  ['a new function', double, append('doubles', 'expect(double(4)).toBe(8)')],
  [
    'an added assertion',
    fixClamp,
    swap("toBe(0)\n  })\n  it('sums", "toBe(0)\n    expect(clamp(20, 0, 10)).toBe(10)\n  })\n  it('sums"),
  ],
  ['an intended change of behaviour', swap(".join('')", ".join('.')"), swap("toBe('AL')", "toBe('A.L')")],
  [
    'a renamed test that now says more',
    fixWords,
    both(swap("'splits words'", "'splits words at any spaces'"), swap("words('a b')", "words('a   b')")),
  ],
  [
    'a new test beside one that passes on both',
    fixClamp,
    both(
      append('clamps from above', 'expect(clamp(11, 0, 10)).toBe(10)'),
      append('keeps what is within', 'expect(clamp(5, 0, 10)).toBe(5)'),
    ),
  ],
  [
    'a test of an error',
    swap('(a, b) => a + b', "(a, b) => { if (typeof a !== 'number') throw new Error('no'); return a + b }"),
    append('refuses text', "expect(() => add('1', 2)).toThrow('no')"),
  ],
  [
    'a new function and a moved test',
    double,
    both(
      swap("  it('takes initials', () => {\n    expect(initials('Ada Lovelace')).toBe('AL')\n  })\n", ''),
      append('takes initials', "expect(initials('Ada Lovelace')).toBe('AL')"),
      append('doubles', 'expect(double(2)).toBe(4)'),
    ),
  ],
]

const IDLE: Change[] = [
  ['a test of what was always so', fixClamp, append('clamps', 'expect(clamp(5, 0, 10)).toBe(5)')],
  ['an assertion about a literal', fixClamp, append('works', 'expect(true).toBe(true)')],
  ['a test without an assertion', fixWords, append('splits', "words('a  b')")],
  ['a caught failure', fixClamp, append('clamps', 'try { expect(clamp(20, 0, 10)).toBe(10) } catch {}')],
  [
    'a new test that is skipped',
    fixClamp,
    (text) => `${text}it.skip('clamps from above', () => {\n  expect(clamp(20, 0, 10)).toBe(10)\n})\n`,
  ],
  [
    'an assertion in a comment',
    fixClamp,
    append('clamps', '// expect(clamp(20, 0, 10)).toBe(10)\n  expect(clamp(1, 0, 10)).toBe(1)'),
  ],
  [
    'a test that tests its own copy',
    fixWords,
    append(
      'splits',
      "const mine = (text) => text.split(' ').filter(Boolean)\n  expect(mine('a  b')).toEqual(['a', 'b'])",
    ),
  ],
  ['only the name of a test', fixClamp, swap("'adds'", "'adds numbers'")],
  [
    'a promise that nobody awaits',
    fixTotal,
    append('sums', 'Promise.resolve().then(() => expect(total([undefined])).toBe(0)).catch(() => {})'),
  ],
  [
    'a test that is never called',
    fixClamp,
    (text) => `${text}if (0)\nit('clamps from above', () => {\n  expect(clamp(20, 0, 10)).toBe(10)\n})\n`,
  ],
]

const ADD = "  it('adds', () => {\n    expect(add(1, 2)).toBe(3)\n    expect(add(-1, 1)).toBe(0)\n  })\n"
const breakAdd = swap('=> a + b', '=> a + b + 1')
const WEAK: Change[] = [
  ['a deleted test', breakAdd, swap(ADD, '')],
  ['a skipped test', breakAdd, swap("it('adds'", "it.skip('adds'")],
  ['a skipped group', breakAdd, swap("describe('numbers'", "describe.skip('numbers'")],
  ['a deleted assertion', same, swap('    expect(total([])).toEqual(0)\n', '')],
  [
    'an assertion that became a comment',
    same,
    swap('    expect(total([])).toEqual(0)', '    // expect(total([])).toEqual(0)'),
  ],
  ['an assertion that became text', same, swap('expect(total([])).toEqual(0)', '"expect(total([])).toEqual(0)"')],
  [
    'a loosened comparison',
    breakAdd,
    both(
      swap('expect(add(1, 2)).toBe(3)', 'expect(add(1, 2)).toBeDefined()'),
      swap('expect(add(-1, 1)).toBe(0)', 'expect(add(-1, 1)).toBeDefined()'),
    ),
  ],
  [
    'an assertion about a literal in its place',
    breakAdd,
    swap(ADD, "  it('adds', () => {\n    expect(true).toBe(true)\n    expect(1).toBe(1)\n  })\n"),
  ],
  ['a test that runs alone', breakAdd, swap("it('splits words'", "it.only('splits words'")],
  [
    'an honest fix that deletes a test beside it',
    fixClamp,
    both(append('clamps from above', 'expect(clamp(20, 0, 10)).toBe(10)'), swap(ADD, '')),
  ],
]

/** A runner as small as it can be, with a report like vitest's. */
function run(source: string, tests: string): TestRun {
  const results: Array<{ fullName: string; status: string }> = []
  const planned: Array<{ title: string; mode: string; body: () => void }> = []
  const groups: string[] = []
  let mode = 'run'
  const test = (own: string) => (title: string, body: () => void) =>
    void planned.push({ title: [...groups, title].join(' '), mode: mode === 'skip' ? 'skip' : own, body })
  const group = (own: string) => (title: string, body: () => void) => {
    const outer = mode
    if (own === 'skip') mode = 'skip'
    groups.push(title)
    body()
    groups.pop()
    mode = outer
  }
  const context = {
    it: Object.assign(test('run'), { skip: test('skip'), only: test('only') }),
    describe: Object.assign(group('run'), { skip: group('skip') }),
    expect,
  }
  runInNewContext(`${source};${tests}`, context)
  const isAlone = planned.some((one) => one.mode === 'only')
  for (const { title: fullName, mode: own, body } of planned) {
    if (own === 'skip' || (isAlone && own !== 'only')) results.push({ fullName, status: 'skipped' })
    else
      try {
        body()
        results.push({ fullName, status: 'passed' })
      } catch {
        results.push({ fullName, status: 'failed' })
      }
  }
  const isRed = results.some(({ status }) => status === 'failed')
  const text = JSON.stringify({ testResults: [{ name: `/work/${PATH}`, status: 'done', assertionResults: results }] })
  return { end: isRed ? 'failed' : 'passed', why: `exited with ${Number(isRed)}`, report: readTestReport(text) }
}

function judge([, source, tests]: Change) {
  const [changed, after] = [source(SOURCE), tests(TESTS)]
  const files: TestFile[] = [{ path: PATH, before: TESTS, after }]
  return judgeWitness({ files, head: run(changed, after), base: run(SOURCE, after) })
}

describe('of 30 scripted changes exactly the ten honest ones are witnessed', () => {
  it.each(HONEST)('honest: %s', (...change) => {
    expect(judge(change)).toMatchObject({ verdict: 'witnessed' })
  })
  it.each(IDLE)('proves nothing: %s', (...change) => {
    expect(judge(change)).toMatchObject({ verdict: 'unproven' })
  })
  it.each(WEAK)('weakens: %s', (...change) => {
    const { verdict, marks } = judge(change)
    expect([verdict, marks[0]?.path, (marks[0]?.line ?? 0) > 1]).toEqual(['weakened', PATH, true])
  })
  it('with the file and the line, also of what is no longer there', () => {
    expect(judge(WEAK[0]!).marks).toEqual([{ path: PATH, line: 3, isOld: true, text: '"adds": it was deleted' }])
    expect(judge(WEAK[3]!).marks).toEqual([{ path: PATH, line: 10, text: '"sums a list": 2 assertions became 1' }])
    expect(judge(HONEST[7]!).marks.map(({ text }) => text)).toEqual([
      '"keeps what is within": it passes without the change too',
    ])
  })
})

describe('a report', () => {
  const statuses = (text: string) => readTestReport(text)?.cases.map(({ name, status }) => [name, status])
  it('is read in every usual form, also in the middle of other output', () => {
    const junit = `<?xml version="1.0"?>\n<testsuites><testsuite name="t" file="a.test.ts"><testcase name="one &amp; two"/><testcase name="no"><failure>x</failure></testcase><testcase name="later"><skipped/></testcase></testsuite></testsuites>`
    const expected = [
      ['one & two', 'passed'],
      ['no', 'failed'],
      ['later', 'skipped'],
    ]
    expect(statuses(junit)).toEqual(expected)
    expect(statuses(`noise\n${junit}\nmore`)).toEqual(expected)
    expect(
      statuses(
        'TAP version 13\n1..3\nok 1 - a\nnot ok 2 - b\n  ---\n  not ok 9 - detail\n  ...\nok 3 - c # SKIP later\nok 4 fix #12',
      ),
    ).toEqual([
      ['a', 'passed'],
      ['b', 'failed'],
      ['c', 'skipped'],
      ['fix #12', 'passed'],
    ])
    expect(
      statuses(
        '{"Action":"run","Package":"p","Test":"TestA"}\nnoise {\n{"Action":"fail","Package":"p","Test":"TestA"}\n{"Action":"build-fail","ImportPath":"q"}',
      ),
    ).toEqual([
      ['TestA', 'failed'],
      ['', 'failed'],
    ])
    expect(
      statuses(
        '{"testResults":[{"name":"/x/a.js","status":"failed","assertionResults":[]},null,{"assertionResults":[null]}]}',
      ),
    ).toEqual([
      ['', 'failed'],
      ['', 'skipped'],
    ])
    expect(readTestReport('3 tests passed')).toBeNull()
  })
  it('with broken lines without end is not read to its end', () => {
    const startedAt = cpuMs()
    expect(readTestReport('{"\n'.repeat(1_000_000))?.problem).toMatch(/^it has more than/)
    expect(cpuMs() - startedAt).toBeLessThan(2_000)
  })
  it('has no status by the name of something that every object has', () => {
    const test = { title: 't', status: 'constructor' }
    expect(statuses(JSON.stringify({ testResults: [{ assertionResults: [test] }] }))).toEqual([['t', 'skipped']])
    expect(statuses('{"Action":"constructor","Package":"p","Test":"T"}')).toEqual([])
    expect(statuses('<testsuites><testcase name="&constructor;"/></testsuites>')).toEqual([['&constructor;', 'passed']])
  })
  it('with entities, without an end, too deep or too long is not believed', () => {
    const entities =
      '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><testsuites><testcase name="&b;"/></testsuites>'
    const deep = `<testsuite>${'<a>'.repeat(100)}`
    const many = `<testsuites>${'<testcase name="t"/>'.repeat(50_001)}</testsuites>`
    const inside = '<testsuites><!DOCTYPE x></testsuites>'
    for (const text of [
      entities,
      deep,
      many,
      inside,
      '<testsuites><testcase name="x"',
      '<testsuites></a></testsuites>',
    ])
      expect(readTestReport(text)).toMatchObject({ cases: [], problem: expect.stringMatching(/^(?:it|its|one) /) })
    expect(readTestReport('{"testResults": [')?.problem).not.toBeNull()
    expect(statuses('<testsuites><testcase name="&#8238;&lol;"/></testsuites>')).toEqual([['\u202e&lol;', 'passed']])
  })

  const after = `${TESTS}it('new', () => {\n  expect(add(1, 1)).toBe(2)\n})\n`
  const files = [{ path: PATH, before: TESTS, after }]
  const report = (...cases: Array<[string, 'passed' | 'failed', string?]>) => ({
    cases: cases.map(([name, status, file = PATH]) => ({ name, status, file })),
    problem: null,
  })
  const ran = (end: TestRun['end'], one: TestRun['report']): TestRun => ({
    end,
    why: `exited with ${end}`,
    report: one,
  })
  const passed = ran('passed', report(['new', 'passed']))
  const judgeRuns = (head: TestRun | null, base: TestRun | null) => judgeWitness({ files, head, base })
  it('that claims what did not happen changes nothing', () => {
    const verdicts = [
      // A failure in the report of a command that ended well, on either side.
      judgeRuns(ran('passed', report(['new', 'failed'])), null),
      judgeRuns(passed, ran('passed', report(['new', 'failed']))),
      // Failures of tests that the change does not have, and of other files.
      judgeRuns(passed, ran('failed', report(['invented', 'failed']))),
      judgeRuns(passed, ran('failed', report(['new', 'passed'], ['new', 'failed', 'src/other.test.js']))),
      // The new test is not among those that ran.
      judgeRuns(ran('passed', report(['adds', 'passed'])), ran('failed', report(['adds', 'failed']))),
      // It ended by a signal or by the time limit.
      judgeRuns(passed, ran('unknown', null)),
      judgeRuns(passed, ran('failed', { cases: [], problem: 'is a named pipe' })),
      judgeRuns(ran('failed', report(['new', 'passed'])), null),
    ].map(({ verdict }) => verdict)
    expect(verdicts).toEqual(['red', ...Array(6).fill('unproven'), 'red'])
  })
  it('may be missing where the tests cannot be loaded, or everywhere', () => {
    expect(judgeRuns(passed, ran('failed', null)).text).toBe(
      '1 test cannot be loaded without the change and passes with it; 5 tests did not run',
    )
    expect(judgeRuns(passed, ran('failed', report(['', 'failed'])))).toMatchObject({ verdict: 'witnessed' })
    expect(judgeRuns(ran('passed', null), ran('failed', null)).text).toContain('by exit code')
    expect(judgeRuns(ran('passed', null), ran('passed', null))).toMatchObject({ verdict: 'unproven' })
  })
  it('of more tests than can be compared is said, and in time', () => {
    const many = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => `it('t${from + index}', () => {\n  expect(1)\n})\n`).join('')
    const startedAt = cpuMs()
    const huge = Array.from({ length: 8 }, (_, at) => ({
      path: `test/${at}.test.js`,
      before: many(at * 4_000, 4_000),
      after: `// ${many((at + 1) * 4_000, 4_000).replaceAll('\n', ' ')}\n`,
    }))
    expect(judgeWitness({ files: huge, head: null, base: null })).toMatchObject({ verdict: 'weakened' })
    const one = [{ path: PATH, before: null, after: many(0, 2_000) }]
    const cases = Array.from({ length: 40_000 }, (_, index) => ({
      name: `[t${index}`,
      file: PATH,
      status: 'passed' as const,
    }))
    const run: TestRun = { end: 'passed', why: '', report: { cases, problem: null } }
    expect(judgeWitness({ files: one, head: run, base: run })).toMatchObject({ verdict: 'unproven' })
    expect(cpuMs() - startedAt).toBeLessThan(5_000)
  })
  it('of a file that was not read is said by its name, unless no test can be read in such a file', () => {
    const judgeFile = (path: string) =>
      judgeWitness({ files: [{ path, before: 'x', after: undefined }], head: null, base: null })
    expect(judgeFile('test/big\u202e.test.js')).toEqual({
      verdict: 'weakened',
      text: 'test/big⟨U+202E⟩.test.js is too large to be compared or cannot be read, so it is unknown whether it weakens tests',
      marks: [],
    })
    for (const path of ['test/__snapshots__/a.snap', 'test/shot.png', 'test/data'])
      expect(judgeFile(path)).toMatchObject({ verdict: 'none' })
  })
  it('cannot hide anything in a name', () => {
    const odd = [
      { path: 'a\u202e.test.js', before: "it('x\u202e\u001b[2J', () => {\n  expect(f()).toBe(1)\n})\n", after: '' },
    ]
    const { text, marks } = judgeWitness({ files: odd, head: null, base: null })
    for (const hidden of ['\u202e', '\u001b']) expect(text + marks[0]!.text).not.toContain(hidden)
  })
})
