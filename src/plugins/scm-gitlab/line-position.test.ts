import { expect, it } from 'vitest'
import { linePosition } from './line-position.ts'

const version = { head_commit_sha: 'h', base_commit_sha: 'b', start_commit_sha: 's', created_at: '' }
const diff = '@@ -1,3 +1,4 @@\n one\n-two\n+2\n+2b\n three\n@@ -10,2 +11,2 @@ fn\n ten\n-eleven\n+11\n'
const file = { old_path: 'old.txt', new_path: 'new.txt', diff }

it.each([
  ['an unchanged line has both numbers', 1, 1],
  ['a new line has one', 2, undefined],
  ['a line after what was added has its old number', 4, 3],
  ['a line of the second hunk too', 11, 10],
])('%s', (_what, line, old) => {
  const position = linePosition(version, [file], { path: 'new.txt', line })
  expect(position).toMatchObject({ old_path: 'old.txt', new_line: line, head_sha: 'h', base_sha: 'b', start_sha: 's' })
  expect(position.old_line).toBe(old)
})

it.each([
  ['new.txt', 7],
  ['other.txt', 1],
])('refuses %s:%i, which the diff does not show', (path, line) => {
  expect(() => linePosition(version, [file], { path, line })).toThrow('is not part of the diff')
})
