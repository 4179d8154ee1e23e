import { describe, expect, it } from 'vitest'
import { compareTests } from './compare-tests.ts'

const test = (title: string, ...statements: string[]) =>
  [`it('${title}', () => {`, ...statements.map((one) => `  ${one}`), '})', ''].join('\n')
const EQUAL = 'expect(sum(1, 2)).toBe(3)'
const WEAK = 'expect(sum(1, 2)).toBeDefined()'
const BUSY = 'sum(1, 2)'

/** `kind before → after` of each pair that is a test. */
function compare(before: string | null, after: string | null, path = 'sum.test.ts'): string[] {
  return describePairs([{ path, before, after }])
}

function describePairs(files: Parameters<typeof compareTests>[0]): string[] {
  return compareTests(files)!
    .filter(({ before, after }) => (before ?? after)!.title !== null)
    .map(({ kind, before, after }) => `${kind} ${before?.title ?? '-'} → ${after?.title ?? '-'}`)
}

describe('a test of a changed file', () => {
  it.each([
    ['that nobody touched is the same', test('adds', EQUAL), test('adds', EQUAL), ['same adds → adds']],
    ['that moved within it is the same', `\n\n${test('adds', EQUAL)}`, test('adds', EQUAL), ['same adds → adds']],
    ['with another body was altered', test('adds', EQUAL), test('adds', WEAK), ['altered adds → adds']],
    ['that is new was added', null, test('adds', EQUAL), ['added - → adds']],
    ['whose file is gone was deleted', test('adds', EQUAL), null, ['deleted adds → -']],
    ['with another name and the same body was renamed', test('a', BUSY), test('b', BUSY), ['altered a → b']],
    ['in whose place a stricter one stands was rewritten', test('a', WEAK), test('b', EQUAL), ['altered a → b']],
    [
      'in whose place a weaker one stands was deleted',
      test('a', EQUAL),
      test('b', WEAK),
      ['deleted a → -', 'added - → b'],
    ],
    [
      'in whose place one stands that compares as much and asserts less was deleted',
      test('a', EQUAL, WEAK),
      test('b', EQUAL),
      ['deleted a → -', 'added - → b'],
    ],
    [
      'in whose place one stands that asserts nothing was deleted',
      test('a', 'sum(1, 1)'),
      test('b', BUSY),
      ['deleted a → -', 'added - → b'],
    ],
  ])('%s', (_what, before, after, pairs) => expect(compare(before, after)).toEqual(pairs))

  it('was altered when what its file shares between tests was', () => {
    const both = test('a', EQUAL) + test('b', WEAK)
    expect(compare(`const sum = one\n${both}`, `const sum = two\n${both}`)).toEqual(['altered a → a', 'altered b → b'])
    expect(compare(`const sum = one\n${both}`, `const sum = one\n${both}`)).toEqual(['same a → a', 'same b → b'])
  })

  it('was not altered by what its file shares when it was deleted or added', () => {
    const before = `const sum = one\n${test('gone', EQUAL)}`
    expect(compare(before, `const sum = two\n${test('new', WEAK)}`)).toEqual(['deleted gone → -', 'added - → new'])
  })
})

describe('what a file shares between tests', () => {
  const shared = (before: string | null, after: string | null) =>
    compareTests([{ path: 'sum.test.ts', before, after }])!
      .filter((pair) => (pair.before ?? pair.after)!.title === null)
      .map(({ kind }) => kind)

  it('is never a test that was added, altered or deleted', () => {
    expect(shared(`const a = 1\n${test('x', EQUAL)}`, `const a = 2\n${test('x', EQUAL)}`)).toEqual(['same'])
    expect(shared(null, `const a = 2\n${test('x', EQUAL)}`)).toEqual(['same'])
    expect(shared(`const a = 2\n${test('x', EQUAL)}`, null)).toEqual(['same'])
  })
})

describe('a test that stands in another changed file', () => {
  it('was moved there', () => {
    const files = [
      { path: 'old.test.ts', before: test('adds', EQUAL), after: null },
      { path: 'new.test.ts', before: null, after: test('adds', EQUAL) },
    ]
    expect(describePairs(files)).toEqual(['same adds → adds', 'added - → adds'])
    expect(compareTests(files)!.find(({ kind, before }) => kind === 'same' && before?.title)!.path).toBe('new.test.ts')
  })

  it('was deleted where the other file had it before', () => {
    const files = [
      { path: 'old.test.ts', before: test('adds', EQUAL), after: null },
      { path: 'new.test.ts', before: test('adds', EQUAL), after: test('adds', EQUAL) },
    ]
    expect(describePairs(files)).toEqual(['deleted adds → -', 'same adds → adds'])
  })
})

describe('more than can be compared', () => {
  const MEBIBYTES = 8 * 1024 * 1024

  it('is not compared: characters of all files, before and after', () => {
    const file = { path: 'a.txt', before: '/'.repeat(MEBIBYTES / 2), after: '/'.repeat(MEBIBYTES / 2) }
    expect(compareTests([file])).toEqual([])
    expect(compareTests([file, { path: 'b.txt', before: null, after: '/' }])).toBeNull()
    expect(compareTests([file, { path: 'b.txt', before: '/', after: null }])).toBeNull()
  })

  it('is not compared: tests of all files, before and after', () => {
    // One of each file is what comes before its first test.
    const text = `// shared\n${'it("x", f)\n'.repeat(4_999)}`
    const file = (path: string) => ({ path, before: text, after: text })
    expect(compareTests([file('a.test.ts'), file('b.test.ts')])).toHaveLength(10_000)
    expect(
      compareTests([file('a.test.ts'), file('b.test.ts'), { path: 'c.test.ts', before: null, after: 'x' }]),
    ).toBeNull()
  })

  it.each([
    ['that could not be read', undefined],
    ['of more than a mebibyte', '/'.repeat(1024 * 1024 + 1)],
    ['of more than 5,000 tests', 'it("x", f)\n'.repeat(5_001)],
  ])('is a file %s, on either side: what the other side lacks would be missed', (_what, text) => {
    expect(compareTests([{ path: 'a.test.ts', before: text, after: test('adds', EQUAL) }])).toBeNull()
    expect(compareTests([{ path: 'a.test.ts', before: test('adds', EQUAL), after: text }])).toBeNull()
  })
})
