import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { quoteForShell, shortCommand, splitCommand } from './command-line.ts'

describe('a command line', () => {
  it.each([
    ['', []],
    ['  \t ', []],
    ['npm test', ['npm', 'test']],
    ['  npm\n\ttest  ', ['npm', 'test']],
    [`a "b c" 'd e'`, ['a', 'b c', 'd e']],
    [`a "" ''`, ['a', '', '']],
    [`--x="b c"d`, ['--x=b cd']],
    [`"it's" 'say "no"'`, ["it's", 'say "no"']],
    ['a\\ b "c\\"d"', ['a b', 'c"d']],
    [`'a\\b'`, ['a\\b']],
    ['a\\', ['a\\']],
    ['\\', ['\\']],
    ['$HOME * | rm; `x`', ['$HOME', '*', '|', 'rm;', '`x`']],
    ['"open', null],
    ["it's", null],
  ])('%j is %j', (line, argv) => expect(splitCommand(line)).toEqual(argv))

  it('has every word back that was quoted for it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom('a', ' ', '"', "'", '\\', '\n', '$', '', 'é') })),
        (argv) => {
          // A quote inside of single quotes is written as a shell takes it: '\''.
          expect(splitCommand(argv.map(quoteForShell).join(' '))).toEqual(argv)
        },
      ),
    )
  })

  it('is shown with its long words cut', () => {
    expect(shortCommand(['a', 'x'.repeat(200), 'y'.repeat(201)])).toEqual(['a', 'x'.repeat(200), `${'y'.repeat(200)}…`])
  })
})
