import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cpuMs } from '../../../../test/support/cpu-time.ts'
import { uniteAdditions } from './unite-additions.ts'

const lines = (...all: string[]) => all.map((line) => `${line}\n`).join('')

describe('uniteAdditions', () => {
  const method = (name: string) => [`  ${name}() {`, '    if (x) return', '  }', '']
  const before = ['class A {', '  start() {', '  }', '', '  end() {', '  }', '}']
  const beside = (...added: string[]) => lines(...before.toSpliced(4, 0, ...added))

  it('keeps two blocks whole that begin and end alike, the base branch first', () => {
    expect(uniteAdditions(lines(...before), beside(...method('ours')), beside(...method('theirs')))).toBe(
      beside(...method('ours'), ...method('theirs')),
    )
  })

  it.each([
    ['both added the same', ['x'], ['a', 'x'], ['a', 'x'], ['a', 'x']],
    ['one has what the other added', ['x'], ['a', 'b', 'x'], ['a', 'x'], ['a', 'b', 'x']],
    [
      'a statement that the block of the other has inside',
      ['def f():', '  a()', '', 'end'],
      ['def f():', '  a()', '', 'def g():', '  count()', '', 'end'],
      ['def f():', '  a()', '', '  count()', '', 'end'],
      ['def f():', '  a()', '', '  count()', '', 'def g():', '  count()', '', 'end'],
    ],
    ['at both ends', ['x'], ['a', 'x', 'c'], ['b', 'x', 'd'], ['a', 'b', 'x', 'c', 'd']],
    ['beside each other', ['x', 'y'], ['a', 'x', 'y'], ['x', 'b', 'y'], ['a', 'x', 'b', 'y']],
    ['a change elsewhere', ['x', 'y', 'z'], ['X', 'y', 'a', 'z'], ['x', 'y', 'b', 'z'], ['X', 'y', 'a', 'b', 'z']],
    ['the same change', ['x', 'y', 'z'], ['X', 'y', 'a', 'z'], ['X', 'y', 'b', 'z'], ['X', 'y', 'a', 'b', 'z']],
    [
      'names in one list',
      ['import { b, d } from x'],
      ['import { a, b, d } from x'],
      ['import { b, c, d, e } from x'],
      ['import { a, b, c, d, e } from x'],
    ],
    [
      'one name for both',
      ['import b, d'],
      ['import b, c, d, e'],
      ['import b, c, d, f, g'],
      ['import b, c, d, e, f, g'],
    ],
    [
      'a list that grew, and lines around it',
      ['import b', 'end'],
      ['import first', 'import b, ours', 'end'],
      ['import other', 'import b, theirs', 'import last', 'end'],
      ['import first', 'import other', 'import b, ours, theirs', 'import last', 'end'],
    ],
    [
      'statements before the function that follows them',
      ['def f():', '  a()', '', 'end'],
      ['def f():', '  a()', '', 'def g():', '  pass', '', 'end'],
      ['def f():', '  a()', '', '  b()', '', 'end'],
      ['def f():', '  a()', '', '  b()', '', 'def g():', '  pass', '', 'end'],
    ],
  ])('%s', (_, base, ours, theirs, expected) => {
    expect(uniteAdditions(lines(...base), lines(...ours), lines(...theirs))).toBe(lines(...expected))
  })

  it.each([
    ['a line that both changed', ['x'], ['y'], ['z']],
    ['a line that one removed, where the other added', ['x', 'y'], ['y'], ['a', 'x', 'y']],
    ['a line that one changed, where the other added', ['x', 'y', 'z'], ['x', 'Y', 'z'], ['x', 'y', 'a', 'z']],
    ['inside of what one rewrote', ['x', 'y', 'z'], ['one'], ['x', 'y', 'a', 'z']],
    ['two conditions of one `if`', ['if a:'], ['if a or b:'], ['if a and c:']],
    ['an entry, and another condition', ['f(a) if b'], ['f(a, c) if b'], ['f(a) if b and d']],
  ])('leaves to somebody: %s', (_, base, ours, theirs) => {
    expect(uniteAdditions(lines(...base), lines(...ours), lines(...theirs))).toBeNull()
  })

  it('keeps line breaks as they are, and adds one only between two last lines', () => {
    expect(uniteAdditions('x\r\n', 'a\r\nx\r\n', 'b\r\nx\r\n')).toBe('a\r\nb\r\nx\r\n')
    expect(uniteAdditions('x\n', 'a\nx\n', 'b\r\nx\n')).toBe('a\nb\r\nx\n')
    expect(uniteAdditions('x\n', 'x\na', 'x\nb')).toBe('x\na\nb')
    expect(uniteAdditions('x', 'x\na', 'x\nb\n')).toBe('x\na\nb\n')
    expect(uniteAdditions('', 'a', 'b')).toBe('a\nb')
    expect(uniteAdditions('', '', '')).toBe('')
  })

  it('is not misled by conflict markers in the text', () => {
    const marks = ['<<<<<<< a', '=======', '>>>>>>> b']
    expect(uniteAdditions(lines(...marks), lines(...marks, 'x'), lines(...marks, '======='))).toBe(
      lines(...marks, 'x', '======='),
    )
  })

  const text = fc.array(fc.constantFrom('a', 'b', '', '  x', '  return', '}', 'f(a, b)'), { maxLength: 10 })
  /** Of both lists: in this order, whatever is between. */
  const isWithin = (part: readonly string[], all: readonly string[]) => {
    let at = 0
    for (const line of all) if (line === part[at]) at++
    return at === part.length
  }

  it('what only adds is always united: each side is there in its order, and nothing is invented', () => {
    const additions = fc.array(fc.tuple(fc.nat(20), text), { maxLength: 3 })
    fc.assert(
      fc.property(text, additions, additions, (base, one, other) => {
        const add = (all: typeof one) =>
          all.reduce((list, [at, added]) => list.toSpliced(at % (list.length + 1), 0, ...added), base)
        const [ours, theirs] = [add(one), add(other)]
        const united = uniteAdditions(lines(...base), lines(...ours), lines(...theirs))
        expect(united).not.toBeNull()
        const found = united!.split('\n').slice(0, -1)
        expect(isWithin(ours, found) && isWithin(theirs, found)).toBe(true)
        expect(found.length).toBeLessThanOrEqual(ours.length + theirs.length - base.length)
        expect(uniteAdditions(lines(...base), lines(...ours), lines(...theirs))).toBe(united)
      }),
      { numRuns: 500 },
    )
  })

  it('any three texts: a side that changed nothing gets the other, and what comes out has only lines of the three', () => {
    fc.assert(
      fc.property(text, text, text, (base, ours, theirs) => {
        const [b, o, t] = [base, ours, theirs].map((all) => lines(...all)) as [string, string, string]
        expect(uniteAdditions(b, b, t)).toBe(t)
        expect(uniteAdditions(b, o, b)).toBe(o)
        expect(uniteAdditions(b, o, o)).toBe(o)
        const united = uniteAdditions(b, o, t)?.split('\n').slice(0, -1) ?? []
        for (const line of united) expect([...ours, ...theirs]).toContain(line)
      }),
      { numRuns: 500 },
    )
  })

  it('takes no more than a moment for hostile files', () => {
    const many = (count: number, line: (at: number) => string) => Array.from({ length: count }, (_, at) => line(at))
    const same = many(40_000, () => 'a')
    const began = cpuMs()
    uniteAdditions(lines(...same), lines(...same, ...same.slice(0, 9_000)), lines('b', ...same))
    uniteAdditions(lines('x'), lines(...same, 'x'), lines(...same.slice(1), 'b', 'x'))
    const shuffled = (step: number) => many(40_000, (at) => `l${(at * step) % 40_009}`)
    uniteAdditions(lines(...shuffled(1)), lines(...shuffled(7)), lines(...shuffled(11)))
    const twice = many(20_000, (at) => `l${at >> 1}`)
    uniteAdditions(lines(...twice), lines(...twice.toReversed()), lines(...twice, 'x'))
    const list = (count: number) => `f(${many(count, () => 'a').join(', ')})`
    uniteAdditions(lines(list(100)), lines(...many(50, () => list(160))), lines(...many(50, () => list(150))))
    uniteAdditions('x'.repeat(1 << 20), `${'x'.repeat(1 << 20)}, a`, `${'x'.repeat(1 << 20)}, b`)
    expect(cpuMs() - began).toBeLessThan(5_000)
  })
})
