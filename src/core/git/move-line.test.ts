import { describe, expect, it } from 'vitest'
import { moveLine, parseLineMoves } from './move-line.ts'
import { unquoteGitPath } from './unquote-git-path.ts'

const DIFF = String.raw`diff --git a/a.txt b/a.txt
index 1..2 100644
--- a/a.txt
+++ b/a.txt
@@ -2,0 +3,2 @@ one
+new
--- a/looks like a header
@@ -5,2 +7 @@
-five
-six
+changed
@@ -10 +10,0 @@
-gone
diff --git "a/\303\244 old.txt" "b/b\"c.txt"
similarity index 90%
rename from "\303\244 old.txt"
rename to "b\"c.txt"
--- "a/\303\244 old.txt"
+++ "b/b\"c.txt"
@@ -1 +1 @@
-x
+y
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1,3 +0,0 @@
-a
-b
-c
diff --git a/with space b/with space
--- a/with space${'\t'}
+++ b/with space${'\t'}
@@ -0,0 +1 @@
+first
`

describe('where a line is now', () => {
  const files = parseLineMoves(DIFF)

  it.each([
    [1, 1],
    [2, 2],
    [3, 5],
    [4, 6],
    [5, null],
    [6, null],
    [7, 8],
    [9, 10],
    [10, null],
    [11, 11],
  ])('line %i is at %s after lines were added, changed and removed', (line, now) => {
    expect(moveLine(files.get('a.txt')!, line)).toBe(now)
  })

  it('follows a renamed file and knows a removed one', () => {
    expect(files.get('ä old.txt')).toMatchObject({ path: 'b"c.txt' })
    expect(moveLine(files.get('ä old.txt')!, 1)).toBeNull()
    expect(moveLine(files.get('ä old.txt')!, 2)).toBe(2)
    expect(files.get('gone.txt')!.path).toBeNull()
    expect(moveLine(files.get('with space')!, 1)).toBe(2)
    expect([...files.keys()]).toEqual(['a.txt', 'ä old.txt', 'gone.txt', 'with space'])
  })
})

describe('a path as git prints it', () => {
  it.each([
    ['src/a.ts', 'src/a.ts'],
    [String.raw`"\345\220\215\345\211\215"`, '名前'],
    [String.raw`"tab\there \"quoted\" back\\slash\n"`, 'tab\there "quoted" back\\slash\n'],
    ['"', '"'],
  ])('%s is %s', (printed, path) => {
    expect(unquoteGitPath(printed)).toBe(path)
  })
})
