import { describe, expect, it } from 'vitest'
import { parseDiff } from '../parse-diff.ts'
import { fingerprint, marked, parse } from './viewed.ts'

const diffOf = (at: number, text: string) =>
  parseDiff(
    `diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -${at},2 +${at},3 @@\n same\n-old\n+${text}\n+more\n`,
  )[0]!

describe('the mark of a viewed file', () => {
  it('stays when lines above it move it, and goes when its own changes are different', () => {
    expect(fingerprint(diffOf(1, 'new'))).toBe(fingerprint(diffOf(40, 'new')))
    expect(fingerprint(diffOf(1, 'new'))).not.toBe(fingerprint(diffOf(1, 'newer')))
  })

  it('is kept for the newest diffs only, and can be removed', () => {
    let kept = marked([], 'first', 'a.ts', '1')
    for (let n = 0; n < 60; n += 1) kept = marked(kept, `diff ${n}`, '__proto__', '1')
    expect(kept).toHaveLength(60)
    expect(kept.some(([name]) => name === 'first')).toBe(false)
    expect(marked(kept, 'diff 59', '__proto__', null).at(-1)).toEqual(['diff 59', {}])
  })

  it('is not expected of what somebody else stored', () => {
    for (const text of [null, 'no', '{}', '[1]', '[["a",null]]']) expect(parse(text)).toEqual([])
    expect(parse('[["a",{"b":"1"}]]')).toEqual([['a', { b: '1' }]])
  })
})
