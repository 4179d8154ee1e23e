import { describe, expect, it } from 'vitest'
import { parseDiff } from '../diff/parse-diff.ts'
import type { PendingComment } from './pending-review.ts'
import { relocateReview } from './use-review.tsx'

function newFile(path: string, lines: string[]): string {
  return `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join('')}`
}

function comment(path: string, line: number, text: string | null): PendingComment {
  return { id: `${path}:${line}`, path, line, text, body: 'Why?', isDraft: false }
}

const after = parseDiff(newFile('a', ['// new', 'one', '}', 'two', '}']) + newFile('b', ['x']))

describe('comments of a review over a push', () => {
  it('go along with the words of their lines, to the nearest when there are several', () => {
    const before = {
      sha: '1',
      body: 'b',
      comments: [comment('a', 1, 'one'), comment('a', 4, '}'), comment('b', 1, 'x')],
    }
    const { sha, body, comments } = relocateReview(before, after, '2')
    expect({ sha, body }).toEqual({ sha: '2', body: 'b' })
    expect(comments.map(({ line, isLost }) => [line, isLost])).toEqual([
      [2, undefined],
      [3, undefined],
      [1, undefined],
    ])
  })

  it('stay and say so when the words are gone, or the file', () => {
    const before = {
      sha: '1',
      body: '',
      comments: [comment('a', 2, 'gone'), comment('c', 7, 'x'), comment('a', 1, null)],
    }
    const { comments } = relocateReview(before, after, '2')
    expect(comments.map(({ line, isLost }) => [line, isLost])).toEqual([
      [2, true],
      [7, true],
      [1, true],
    ])
  })
})
