import { expect, it } from 'vitest'
import { parseAddedLines } from './read-change.ts'

it('takes no added or removed text for a heading, and knows file and line of each', () => {
  const diff = [
    'diff --git a/one.txt b/one.txt',
    '--- a/one.txt',
    '+++ b/one.txt',
    '@@ -3,2 +3,3 @@ context',
    '--- a/removed.txt',
    '-@@ -1 +1 @@',
    '+++ b/evil.txt',
    '+@@ -1,9 +1,9 @@',
    '+last',
    'diff --git "a/odd \\"name\\".txt" "b/odd \\"name\\".txt"',
    'new file mode 100644',
    '--- /dev/null',
    '+++ "b/odd \\"name\\".txt"',
    '@@ -0,0 +1 @@',
    '+only',
    '\\ No newline at end of file',
  ].join('\n')
  expect(parseAddedLines(diff)).toEqual([
    { path: 'one.txt', line: 3, text: '++ b/evil.txt' },
    { path: 'one.txt', line: 4, text: '@@ -1,9 +1,9 @@' },
    { path: 'one.txt', line: 5, text: 'last' },
    { path: 'odd \\"name\\".txt', line: 1, text: 'only' },
  ])
})
