import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonValue } from '../../contract/record-values.ts'
import { decodeValue, encodeValue, formatPairs, parsePairs } from './key-value.ts'

const anyText = fc.string({ unit: 'binary', maxLength: 60 })
/** Texts made of what the codec treats specially. */
const tricky = fc
  .array(
    fc.constantFrom(
      '%',
      '%25',
      '%20',
      '%0',
      '%0A',
      '%7F',
      '%7f',
      '%1',
      '2',
      '5',
      '0',
      ' ',
      '\t',
      '\n',
      '\r',
      '\0',
      '=',
    ),
    {
      maxLength: 12,
    },
  )
  .map((parts) => parts.join(''))
const keys = fc.stringMatching(/^[A-Za-z0-9_.-]{1,20}$/)

describe('values', () => {
  it.each([
    ['plain text stays as it is', 'Fix login', 'Fix login'],
    ['S1.88 what sed treats specially stays as it is', 'a&b/c\\d|e', 'a&b/c\\d|e'],
    ['a value may hold = and #', 'a=b#c', 'a=b#c'],
    ['a URL keeps its escapes', 'https://x.test/a%2Fb?q=%C3%A4%20c', 'https://x.test/a%2Fb?q=%C3%A4%20c'],
    ['S1.25 a newline is %0A', 'one\ntwo', 'one%0Atwo'],
    ['a carriage return is %0D', 'a\r\nb', 'a%0D%0Ab'],
    ['DEL is %7F', 'a\x7f', 'a%7F'],
    ['a tab inside stays', 'a\tb', 'a\tb'],
    ['a tab at the edge is %09', '\ta\t', '%09a%09'],
    ['edge spaces are %20, inner ones stay', ' a b ', '%20a b%20'],
    ['a literal %20 at the edge is told apart', '%20a%20', '%2520a%2520'],
    ['a literal %0A is told apart', '100%0A', '100%250A'],
    ['a literal %25 is told apart', '%25', '%2525'],
    ['a percent sign alone stays', '50% of 100%', '50% of 100%'],
    ['one space', ' ', '%20'],
    ['two spaces', '  ', '%20%20'],
    ['other white space of Unicode stays', '\u00a0a\u2028', '\u00a0a\u2028'],
  ])('%s', (_name, value, encoded) => {
    expect(encodeValue(value)).toBe(encoded)
    expect(decodeValue(encoded)).toBe(value)
  })

  it('S1.25 every value comes back as it was', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, tricky), (value) => {
        expect(decodeValue(encodeValue(value))).toBe(value)
        expect(parsePairs(`key=${encodeValue(value)}\n`)).toEqual({ pairs: { key: value }, problems: [] })
      }),
      { numRuns: 2_000 },
    )
  })

  it('S1.25 M22 a value can add neither a line nor a key', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, tricky), (value) => {
        const text = formatPairs({ first: value, status: 'working' })
        expect(text.split('\n')).toHaveLength(3)
        expect(Object.keys(parsePairs(text).pairs)).toEqual(['first', 'status'])
      }),
      { numRuns: 1_000 },
    )
    const attack = 'x\nstatus=merged\r\npr=https://evil.test/1/2/pull/3'
    expect(parsePairs(formatPairs({ status: 'working', summary: attack })).pairs).toEqual({
      status: 'working',
      summary: attack,
    })
  })
})

describe('JSON as a value', () => {
  it('S1.38 is in the file as the intended JSON, whatever it contains', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, tricky), fc.integer(), (text, number) => {
        const handle = { id: text, data: { pane: `%${number}` } }
        const [line] = formatPairs({ runtimeHandle: jsonValue(handle) }).split('\n')
        expect(JSON.parse(line!.slice('runtimeHandle='.length))).toEqual(handle)
      }),
    )
  })

  it('S1.38 is read in the form that earlier versions wrote as well', () => {
    const { pairs } = parsePairs('runtimeHandle={"id":"a","runtimeName":"tmux","data":{"pane":"%250"}}\n')
    expect(JSON.parse(pairs.runtimeHandle!)).toEqual({ id: 'a', runtimeName: 'tmux', data: { pane: '%0' } })
  })
})

describe('files', () => {
  it('every set of pairs comes back, in its order', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(keys, anyText), { selector: ([key]) => key }), (entries) => {
        const pairs = Object.fromEntries(entries)
        const parsed = parsePairs(formatPairs(pairs))
        expect(Object.entries(parsed.pairs)).toEqual(Object.entries(pairs))
        expect(parsed.problems).toEqual([])
      }),
    )
  })

  it('S1.26 reads the sample of the contract', () => {
    const sample = [
      'project=my-service',
      'worktree=/home/user/.worktrees/my-service/svc-1',
      'branch=feat/ISSUE-42',
      'status=working',
      'tmuxName=a3b4c5d6e7f8-svc-1',
      'issue=ISSUE-42',
      'pr=https://github.com/org/repo/pull/99',
      'agent=claude-code',
      'createdAt=2024-01-15T10:30:00.000Z',
      'runtimeHandle=a3b4c5d6e7f8-svc-1',
    ].join('\n')
    const { pairs, problems } = parsePairs(sample)
    expect(problems).toEqual([])
    expect(pairs.worktree).toBe('/home/user/.worktrees/my-service/svc-1')
    expect(pairs.runtimeHandle).toBe('a3b4c5d6e7f8-svc-1')
    expect(`${sample}\n`).toBe(formatPairs(pairs))
  })

  it('S2.86 a space before = changes nothing, and none is written', () => {
    const spaced = 'project =my-app\nbranch = feat/INT-1234\n'
    expect(parsePairs(spaced).pairs).toEqual({ project: 'my-app', branch: 'feat/INT-1234' })
    expect(formatPairs(parsePairs(spaced).pairs)).toBe('project=my-app\nbranch=feat/INT-1234\n')
  })

  it('S3.30 reads what a shell script or a person wrote', () => {
    const text = '\uFEFF# by hand\r\n\r\nstatus=working\r\n  branch=a-b  \r\nstatus=pr_open\r\nzz.last=1'
    expect(parsePairs(text)).toEqual({
      pairs: { status: 'pr_open', branch: 'a-b', 'zz.last': '1' },
      problems: [],
    })
  })

  it('says which lines cannot be read and returns the others', () => {
    const { pairs, problems } = parsePairs('status=working\nhalf a li\n=x\nbad key=1\nnul=a\0b\nbranch=x')
    expect(pairs).toEqual({ status: 'working', branch: 'x' })
    expect(problems).toEqual([
      'line 2 is not a KEY=VALUE pair',
      'line 3 has no valid key',
      'line 4 has no valid key',
      'line 5 holds NUL bytes',
    ])
  })

  it('never throws, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const { pairs } = parsePairs(Buffer.from(bytes).toString('utf8'))
        expect(parsePairs(formatPairs(pairs)).pairs).toEqual(pairs)
      }),
      { numRuns: 1_000 },
    )
  })

  it('reads a line the same way whether or not there is something to trim', () => {
    const line = fc.tuple(fc.oneof(keys, tricky), fc.constantFrom('=', ''), fc.oneof(tricky, anyText))
    fc.assert(
      fc.property(fc.array(line.map((parts) => parts.join('').replace(/[\n\uFEFF]/g, ''))), (lines) => {
        const written = lines.map((one) => `${one}\n`).join('')
        const indented = lines.map((one) => ` ${one}\n`).join('')
        expect(parsePairs(written)).toEqual(parsePairs(indented))
      }),
    )
  })

  it('keeps a key that is special in JavaScript', () => {
    const { pairs } = parsePairs('__proto__=x\nconstructor=y\n')
    expect(formatPairs({ ...pairs })).toBe('__proto__=x\nconstructor=y\n')
  })

  it('refuses to write a key that would not come back', () => {
    expect(() => formatPairs({ 'a=b': 'x' })).toThrow(/cannot be a key/)
    expect(() => formatPairs({ 'a\nb': 'x' })).toThrow(/cannot be a key/)
  })
})
