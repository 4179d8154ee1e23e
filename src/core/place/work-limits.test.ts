import { describe, expect, it } from 'vitest'
import { describeFiles, describeLeft, leaveLargest, maxUntrackedBytes, sendsCommitsAlone } from './work-limits.ts'

const MB = 1024 * 1024
const file = (path: string, megabytes: number) => ({ path, bytes: megabytes * MB })

describe('untracked files that come home', () => {
  it('are the smallest ones, as many as fit; the rest stays', () => {
    const files = [file('out.bin', 100), file('notes.md', 1), file('data.csv', 30), file('more.csv', 30)]
    expect(leaveLargest(files, maxUntrackedBytes(undefined)).map(({ path }) => path)).toEqual(['more.csv', 'out.bin'])
    expect(leaveLargest(files, 0)).toHaveLength(4)
    expect(leaveLargest(files, 161 * MB)).toEqual([])
  })

  it('are named in one line, whatever their names contain', () => {
    const left = describeFiles([file('a', 1), file('out\u001b[2J\nnow.bin', 100)])
    const text = describeLeft({ left, sent: 0, max: 50 * MB }, 'box')
    expect(text).toMatch(
      /^2 untracked files of 101 MB \(the largest: out.*now\.bin\) stay in box: maxUntrackedMb of box is 50$/,
    )
    expect(text).not.toContain('\u001b')
    expect(text).not.toContain('\n')
    expect(describeLeft({ left: null, sent: 0, max: 50 * MB }, 'box')).toBeNull()
    const kept = { files: 1, bytes: MB, largest: 'x', lfs: true }
    expect(describeLeft({ left: kept, sent: 0, max: 50 * MB }, 'box')).toBe(
      '1 file of 1 MB (the largest: x) stays in box: home has only pointers to what git-lfs keeps there',
    )
  })
})

it('uncommitted work that comes home again and again ends after four times the limit', () => {
  expect(sendsCommitsAlone(199 * MB, 50 * MB)).toBe(false)
  expect(sendsCommitsAlone(200 * MB, 50 * MB)).toBe(true)
  expect(describeLeft({ left: null, sent: 220 * MB, max: 50 * MB }, 'box')).toMatch(/until it ends, after 220 MB/)
})
