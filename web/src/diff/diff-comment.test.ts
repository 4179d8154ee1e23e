import { describe, expect, it } from 'vitest'
import { anchorOf, commentLine, commentsOutside } from './diff-comment.ts'
import { parseDiff } from './parse-diff.ts'

const [changed, deleted] = parseDiff(
  [
    'diff --git a/a b/a',
    '--- a/a',
    '+++ b/a',
    '@@ -1,4 +1,2 @@',
    ' one',
    '-two',
    '-three',
    ' four',
    '@@ -10,2 +8 @@',
    ' ten',
    '-eleven',
    'diff --git a/b b/b',
    'deleted file mode 100644',
    '--- a/b',
    '+++ /dev/null',
    '@@ -1 +0,0 @@',
    '-gone',
    '',
  ].join('\n'),
)

describe('comments in a diff', () => {
  it('hang at lines of the new side, in a deleted file at those of the old', () => {
    expect(changed!.hunks[0]!.lines.map((line) => commentLine(changed!, line))).toEqual([1, null, null, 2])
    expect(deleted!.hunks[0]!.lines.map((line) => commentLine(deleted!, line))).toEqual([1])
  })

  it('on a removed line hang at the next one that is left, else at the one before', () => {
    const [first, second] = changed!.hunks
    expect(anchorOf(first!.lines, first!.lines[1]!)).toBe(2)
    expect(anchorOf(second!.lines, second!.lines[1]!)).toBe(8)
    expect(anchorOf(deleted!.hunks[0]!.lines, deleted!.hunks[0]!.lines[0]!)).toBeNull()
  })

  it('are outside when no shown line carries them', () => {
    const at = (line: number | null) => ({ path: 'a', line, body: null })
    expect(commentsOutside(changed!, [at(1), at(5), at(null), at(8)]).map(({ line }) => line)).toEqual([5, null])
    expect(commentsOutside(changed!, [])).toEqual([])
  })
})
