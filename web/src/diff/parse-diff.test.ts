import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pairLines, parseDiff } from './parse-diff.ts'

const MODIFIED = `diff --git a/src/a b.ts b/src/a b.ts
index 1111111..2222222 100644
--- a/src/a b.ts\t
+++ b/src/a b.ts\t
@@ -1,4 +1,5 @@ function first() {
 one
-two
---- a/not-a-heading
+2
++++ b/not-a-heading
+diff --git a/x b/x
 four
\\ No newline at end of file
`

describe('parseDiff', () => {
  it('counts lines as the hunk says, so that content never passes for a heading', () => {
    const [file, ...rest] = parseDiff(MODIFIED)
    expect(rest).toEqual([])
    expect(file).toMatchObject({ path: 'src/a b.ts', change: 'modified', added: 3, removed: 2 })
    expect(file!.hunks[0]!.lines.map((line) => [line.kind, line.oldLine, line.newLine, line.text])).toEqual([
      ['same', 1, 1, 'one'],
      ['removed', 2, null, 'two'],
      ['removed', 3, null, '--- a/not-a-heading'],
      ['added', null, 2, '2'],
      ['added', null, 3, '+++ b/not-a-heading'],
      ['added', null, 4, 'diff --git a/x b/x'],
      ['same', 4, 5, 'four'],
    ])
    expect(file!.hunks[0]!.lines.at(-1)!.noNewline).toBe(true)
  })

  it.each([
    ['diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+hi', 'added', 'x', 'x'],
    ['diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-hi', 'deleted', 'x', 'x'],
    ['diff --git a/x b/y z\nsimilarity index 100%\nrename from x\nrename to y z', 'renamed', 'x', 'y z'],
    ['diff --git "a/\\303\\244" "b/\\303\\244"\nindex 1..2', 'modified', 'ä', 'ä'],
  ])('reads %j', (diff, change, oldPath, path) => {
    expect(parseDiff(diff)[0]).toMatchObject({ change, oldPath, path })
  })

  it('knows binary files and changes of the mode', () => {
    const [file] = parseDiff('diff --git a/x b/x\nold mode 100644\nnew mode 100755\nBinary files a/x and b/x differ')
    expect(file).toMatchObject({ isBinary: true, modeChange: '100644 → 100755' })
  })

  it('reads as far as it goes when it was cut off, and never throws', () => {
    const [file] = parseDiff(MODIFIED.slice(0, MODIFIED.indexOf('+diff')))
    expect(file!.added).toBe(2)
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => Array.isArray(parseDiff(`diff --git a/x b/x\n${text}`))),
    )
  })
})

describe('pairLines', () => {
  it('puts removed lines beside the added ones that follow', () => {
    const rows = pairLines(parseDiff(MODIFIED)[0]!.hunks[0]!.lines)
    expect(rows.map(({ left, right }) => [left?.oldLine ?? null, right?.newLine ?? null])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
      [null, 4],
      [4, 5],
    ])
  })
})
