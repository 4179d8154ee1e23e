import { expect, it } from 'vitest'
import { escapeHtml, escapeTags } from './escape-markup.ts'
import { formatAge, formatCost, formatCount, plural } from './format-age.ts'
import {
  asObject,
  countField,
  idField,
  isObject,
  listField,
  objectField,
  ownValue,
  textField,
  timeField,
} from './json-fields.ts'
import { isChanged } from './judge-seal.ts'
import { pathMatcher } from './match-path.ts'
import { readTime } from './read-time.ts'
import { fillRoute } from './route-request.ts'

it.each<[unknown, boolean]>([
  [{}, true],
  [[], false],
  [null, false],
  ['x', false],
  [undefined, false],
])('%j is an object: %j', (value, expected) => {
  expect(isObject(value)).toBe(expected)
  expect(asObject(value)).toEqual({})
})

it('a field of another type, or of everything, counts as missing', () => {
  const record = {
    object: { a: 1 },
    list: [1],
    text: 't',
    count: 3,
    zero: 0,
    less: -1,
    none: Number.NaN,
    endless: Infinity,
  }
  expect([objectField(record, 'object'), objectField(record, 'list')]).toEqual([{ a: 1 }, null])
  expect([listField(record, 'list'), listField(record, 'object')]).toEqual([[1], []])
  expect([textField(record, 'text'), textField(record, 'count'), textField(record, 'toString')]).toEqual([
    't',
    null,
    null,
  ])
  expect(['count', 'zero', 'less', 'none', 'endless', 'text'].map((key) => countField(record, key))).toEqual([
    3, 0, 0, 0, 0, 0,
  ])
  expect([null, 'x', undefined, 7].map((value) => textField(value, 'length'))).toEqual([null, null, null, null])
  expect([ownValue({ a: 1 }, 'a'), ownValue({ a: 1 }, 'constructor'), ownValue({ 1: 1 }, 1)]).toEqual([
    1,
    undefined,
    undefined,
  ])
})

it.each<[unknown, string | null]>([
  ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
  [0, '1970-01-01T00:00:00.000Z'],
  ['never', null],
  [null, null],
  [true, null],
])('the time %j is %j', (at, iso) => expect(timeField({ at }, 'at')?.toISOString() ?? null).toBe(iso))

it.each([
  ['a1-b_c.d', true],
  ['x'.repeat(200), true],
  ['x'.repeat(201), false],
  ['-x', false],
  ['a b', false],
  ['a;b', false],
  ['', false],
  [7, false],
])('%j is a word of a command line: %j', (id, expected) => expect(idField({ id }, 'id')).toBe(expected ? id : null))

it.each([
  [0, '0s'],
  [59, '59s'],
  [60, '1m'],
  [3_599, '59m'],
  [3_600, '1h'],
  [86_399, '23h'],
  [86_400, '1d'],
  [-5, '0s'],
  [Number.NaN, '?'],
])('%j seconds are %s', (seconds, age) => expect(formatAge(new Date(0), new Date(seconds * 1_000))).toBe(age))

it('money, counts and words are short', () => {
  expect([null, undefined, 0, 0.004, 0.01, 1.5].map(formatCost)).toEqual(['', '', '$0.00', '<$0.01', '$0.01', '$1.50'])
  expect([0, 999, 1_000, 1_550, 999_900, 1_000_000, 2_340_000].map(formatCount)).toEqual([
    '0',
    '999',
    '1k',
    '1.6k',
    '999.9k',
    '1M',
    '2.3M',
  ])
  expect([plural(1, 'agent'), plural(0, 'agent'), plural(2, 'branch', 'branches')]).toEqual([
    '1 agent',
    '0 agents',
    '2 branches',
  ])
})

it("other people's text is no markup", () => {
  expect(escapeTags(`<a href="x">'&amp;'</a>`)).toBe(`&lt;a href="x"&gt;'&amp;amp;'&lt;/a&gt;`)
  expect(escapeHtml(`<a href="x">'`)).toBe('&lt;a href=&quot;x&quot;&gt;&#39;')
})

it('a route is filled with what belongs there, encoded', () => {
  expect(fillRoute('GET /api/sessions')).toEqual({ method: 'GET', path: '/api/sessions' })
  expect(fillRoute('POST /api/sessions/:id/:what', { params: { id: 'a/1', what: 'x y' } })).toEqual({
    ...{ method: 'POST', path: '/api/sessions/a%2F1/x%20y' },
  })
  expect(fillRoute('GET /a/:id', { query: { n: 1, on: true, none: undefined, text: 'a&b' } }).path).toBe(
    '/a/?n=1&on=true&text=a%26b',
  )
  expect(fillRoute('GET /a', { query: { none: undefined } }).path).toBe('/a')
})

it('a time that a person typed is one, or the option says how it looks', () => {
  expect([readTime('--for', '30s'), readTime('--for', '1h30m')]).toEqual([30_000, 5_400_000])
  const problem = expect.objectContaining({
    code: 'USAGE',
    message: expect.stringContaining('--for takes a time'),
    hint: 'Write: --for 10m',
  })
  expect(() => readTime('--for', 'soon')).toThrow(problem)
})

it.each<[string, string, boolean]>([
  ['*.md', 'a/b.md', true],
  ['*.md', 'a/b.mdx', false],
  ['/a.md', 'x/a.md', false],
  ['/a.md', 'a.md', true],
  ['docs', 'x/docs/a/b', true],
  ['docs/', 'docs/a', true],
  ['docs/*.md', 'docs/a.md', true],
  ['docs/*.md', 'docs/x/a.md', false],
  ['docs/*.md', 'x/docs/a.md', false],
  ['docs/**/a.md', 'docs/a.md', true],
  ['docs/**/a.md', 'docs/x/y/a.md', true],
  ['docs/**', 'docs/x/y', true],
  ['a?c', 'abc', true],
  ['a?c', 'a/c', false],
  ['a.c', 'abc', false],
  ['(x)[y]+$', '(x)[y]+$', true],
])('the pattern %s matches %s: %j', (pattern, path, expected) =>
  expect(pathMatcher(['none', pattern])(path)).toBe(expected),
)

it.each<[string, Parameters<typeof isChanged>, boolean]>([
  ['was never sealed', ['replaced', undefined, { file: 'f', bytes: 1, sha256: 'a' }, null], false],
  [
    'is another one',
    ['replaced', { file: 'g', bytes: 1, sha256: 'b' }, { file: 'f', bytes: 1, sha256: 'a' }, null],
    false,
  ],
  [
    'has other content',
    ['replaced', { file: 'f', bytes: 1, sha256: 'b' }, { file: 'f', bytes: 1, sha256: 'a' }, 'b'],
    true,
  ],
  [
    'has the same content',
    ['replaced', { file: 'f', bytes: 1, sha256: 'a' }, { file: 'f', bytes: 1, sha256: 'a' }, null],
    false,
  ],
  ['grew', ['grows', { file: 'f', bytes: 1, sha256: 'b' }, { file: 'f', bytes: 2, sha256: 'a' }, 'b'], false],
  ['shrank', ['grows', { file: 'f', bytes: 2, sha256: 'b' }, { file: 'f', bytes: 1, sha256: 'a' }, null], true],
  [
    'begins differently',
    ['grows', { file: 'f', bytes: 1, sha256: 'b' }, { file: 'f', bytes: 2, sha256: 'a' }, 'x'],
    true,
  ],
])('a file that %s', (_which, seal, expected) => expect(isChanged(...seal)).toBe(expected))
