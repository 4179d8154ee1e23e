import { describe, expect, it } from 'vitest'
import { cpuMs } from '../../../test/support/cpu-time.ts'
import { decideUnions, type UnionFacts, type UnionResult } from './decide-unions.ts'
import { failedTest } from './failed-test.ts'
import { mayStart, mustStop } from './idle-machine.ts'
import { importsFrom, importsOf, linkSetsOf } from './import-links.ts'

const names = (count: number) => Array.from({ length: count }, (_, n) => `s-${n + 1}`)

/** Runs whatever is asked for, and counts. */
function explore(facts: Omit<UnionFacts, 'resultOf'>, run: (ids: readonly string[], attempt: number) => UnionResult) {
  const results = new Map<string, UnionResult>()
  const runs: string[][] = []
  for (;;) {
    const resultOf: UnionFacts['resultOf'] = ({ ids, attempt }) => results.get(`${attempt} ${ids}`) ?? null
    const { pairs, next } = decideUnions({ ...facts, resultOf })
    if (next === null) return { pairs: pairs.map((pair) => [...pair].sort()), inOrder: pairs, runs }
    runs.push([...next.ids])
    results.set(`${next.attempt} ${next.ids}`, run(next.ids, next.attempt))
    expect(runs.length).toBeLessThan(1_000)
  }
}

const redWhen =
  (...sets: string[][]) =>
  (ids: readonly string[]): UnionResult =>
    sets.some((set) => set.every((id) => ids.includes(id))) ? 'red' : 'green'

const all = { linked: () => true, apart: () => false }

describe('unions of branches', () => {
  it('are one run while everything is green, and none where nothing is linked', () => {
    const branches = names(12)
    expect(explore({ branches, ...all }, redWhen()).runs).toEqual([branches])
    expect(explore({ branches, ...all, linked: () => false }, redWhen()).runs).toEqual([])
  })

  it('are halved until the pair is left, each side is green alone, and a second run agrees', () => {
    const { pairs, runs } = explore({ branches: names(16), ...all }, redWhen(['s-3', 's-14']))
    expect(pairs).toEqual([['s-14', 's-3']])
    expect(runs).toContainEqual(['s-3'])
    expect(runs).toContainEqual(['s-14'])
    expect(runs.filter((ids) => `${ids}` === 's-3,s-14')).toHaveLength(2)
    expect(runs.length).toBeLessThan(20)
  })

  it('name no pair where a branch is red alone, three are needed, or the base branch is red', () => {
    const branches = names(6)
    expect(explore({ branches, ...all }, redWhen(['s-2'])).pairs).toEqual([])
    expect(explore({ branches, ...all }, redWhen(['s-2', 's-3', 's-5'])).pairs).toEqual([])
    const { pairs, runs } = explore({ branches, ...all }, () => 'red')
    expect(pairs).toEqual([])
    expect(runs.at(-1)).toEqual([])
  })

  it('name no pair for a check that is red now and then', () => {
    const { pairs } = explore({ branches: names(2), ...all }, (ids, attempt) =>
      ids.length === 2 && attempt === 1 ? 'red' : 'green',
    )
    expect(pairs).toEqual([])
    let count = 0
    expect(explore({ branches: names(9), ...all }, () => (++count === 1 ? 'red' : 'green')).pairs).toEqual([])
  })

  it('leave out whoever hangs with others, and those that do not merge', () => {
    const hangs = explore({ branches: names(8), ...all }, (ids) =>
      ids.length > 1 && ids.includes('s-1') ? 'unknown' : redWhen(['s-4', 's-5'])(ids),
    )
    expect(hangs.pairs).toEqual([['s-4', 's-5']])
    expect(hangs.runs.filter((ids) => ids.length > 1 && ids.includes('s-1')).length).toBeLessThan(8)
    const apart = (a: string, b: string) => [a, b].includes('s-1')
    expect(explore({ branches: names(5), ...all, apart }, redWhen()).runs).toEqual([['s-2', 's-3', 's-4', 's-5']])
    expect(explore({ branches: names(5), ...all }, (ids) => (ids.length > 2 ? 'unfit' : 'green')).pairs).toEqual([])
  })

  it('find exactly the red pairs of 40 random sets of branches', () => {
    let state = 7
    const random = (below: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31
      return Math.floor((state / 2 ** 31) * below)
    }
    for (let seed = 0; seed < 40; seed++) {
      const branches = names(2 + random(19))
      const links = new Set(
        branches.flatMap((a) => branches.filter(() => random(4) === 0).map((b) => [a, b].sort().join())),
      )
      const linked = (a: string, b: string) => links.has([a, b].sort().join())
      const red = branches.filter(() => random(8) === 0).map((a) => [a, branches[random(branches.length)]!])
      const alone = branches.filter(() => random(15) === 0)
      const truth = red.filter(([a, b]) => a !== b && linked(a!, b!) && !alone.includes(a!) && !alone.includes(b!))
      const { pairs, inOrder } = explore(
        { branches, linked, apart: () => false },
        redWhen(...alone.map((id) => [id]), ...red.filter(([a, b]) => a !== b)),
      )
      const wanted = truth.map((pair) => [...pair].sort().join())
      const found = pairs.map((pair) => pair.join())
      for (const [a, b] of inOrder) expect(branches.indexOf(a)).toBeLessThan(branches.indexOf(b))
      for (const pair of wanted) expect(found).toContain(pair)
      for (const pair of found) expect(red.map((one) => [...one].sort().join())).toContain(pair)
    }
  })
})

describe('links by imports', () => {
  it.each([
    ['src/cart/page.ts', "import { sum } from './sum.js'", 'src/cart/sum.ts'],
    ['src/cart/page.tsx', "export * from '../money'", 'src/money/index.ts'],
    ['a.js', "const b = require('./lib/b')", 'lib/b.cjs'],
    ['a.ts', 'const b = await import("./b.ts")', 'b.ts'],
    ['web/a.ts', "import x from '@/cart/sum'", 'web/src/cart/sum.ts'],
    ['shop/cart.py', 'from .prices import rounded', 'shop/prices.py'],
    ['shop/tax/vat.py', 'from .. import prices', 'shop/prices.py'],
    ['tests/test_cart.py', 'from shop.cart import total', 'src/shop/cart.py'],
    ['tests/test_cart.py', 'import shop.cart as c, os', 'shop/cart.py'],
    ['tests/test_cart.py', 'from shop import cart', 'shop/cart.py'],
    ['cmd/main.go', 'import (\n\t"fmt"\n\tc "example.com/shop/internal/cart"\n)', 'internal/cart/sum.go'],
    ['cart/page.go', 'package cart', 'cart/sum.go'],
  ])('%s with %j means %s', (path, text, other) => {
    const means = (file: string) => importsFrom(linkSetsOf([importsOf(path, text)], []), linkSetsOf([], [file]))
    expect([means(other), means('docs/other.ts')]).toEqual([true, false])
  })

  it('mean whole names of directories, and no end of one', () => {
    const means = (file: string) => importsFrom(linkSetsOf([{ stems: [], tails: ['a/b'] }], []), linkSetsOf([], [file]))
    expect(['a/b.ts', 'x/a/b.ts', 'xa/b.ts', 'a/bb.ts', 'b.ts'].map(means)).toEqual([true, true, false, false, false])
  })

  it('of many branches are compared at once, however much each of them imports', () => {
    const imports = (n: number) => ({
      stems: Array.from({ length: 200 }, (_, i) => `src/${n}/s${i}`),
      tails: Array.from({ length: 200 }, (_, i) => `lib/${n}/t${i}`),
    })
    const heads = Array.from({ length: 40 }, (_, h) =>
      linkSetsOf(
        Array.from({ length: 100 }, (_, i) => imports(h * 100 + i)),
        Array.from({ length: 200 }, (_, i) => `other/${h}/${'deep/'.repeat(20)}f${i}.ts`),
      ),
    )
    const started = cpuMs()
    expect(heads.some((a) => heads.some((b) => importsFrom(a, b)))).toBe(false)
    expect(cpuMs() - started).toBeLessThan(5_000)
  })

  it('stay in the repository, and are bounded, whatever is written', () => {
    expect(importsOf('a.ts', "import '../../../../etc/passwd'").stems).toEqual(['etc/passwd'])
    expect(importsOf('a.ts', `import '${'x/'.repeat(10_000)}'`)).toEqual({ stems: [], tails: [] })
    const many = Array.from({ length: 5_000 }, (_, n) => `import './f${n}'`).join('\n')
    expect(importsOf('a.ts', many).stems).toHaveLength(200)
    const started = cpuMs()
    importsOf('a.py', 'from '.repeat(60_000))
    importsOf('a.ts', `import ${'(   '.repeat(60_000)}`)
    importsOf('a.go', '"a '.repeat(60_000))
    expect(cpuMs() - started).toBeLessThan(1_000)
  })
})

describe('an idle machine', () => {
  const at = (load: number, foreground: number | null = 0) => ({ load, cores: 2, foreground })
  it('has a low load, and little of ordinary priority', () => {
    expect([at(0), at(1.5), at(1.6), at(0, 0.6), at(1, null)].map(mayStart)).toEqual([true, true, false, false, true])
  })
  it('is busy again when others need it twice in a row, not because of what runs here', () => {
    expect(mustStop([at(9, 0.1), at(9, 0.2)])).toBe(false)
    expect(mustStop([at(1, 0.9)])).toBe(false)
    expect(mustStop([at(1, 0.1), at(1, 0.9)])).toBe(false)
    expect(mustStop([at(1, 0.9), at(1, 0.8)])).toBe(true)
    expect(mustStop([at(4, null), at(4, null)])).toBe(true)
  })
})

it.each([
  ['not ok 2 - adds prices\n', 'adds prices'],
  ['=== RUN\n--- FAIL: TestSum (0.00s)\n', 'TestSum'],
  ['FAILED tests/test_cart.py::test_total - NameError\n', 'tests/test_cart.py::test_total'],
  [' FAIL  src/a.test.ts > cart > adds\n', 'src/a.test.ts > cart > adds'],
  ['\u001b[31m✖ adds prices (1.23ms)\u001b[39m\n', 'adds prices'],
  ['✖ failing tests:\n\n✖ adds (3 ms)\n', 'adds'],
  ['  ● cart › adds\n', 'cart › adds'],
  ['FAIL: test_a (tests.A)\n', 'test_a (tests.A)'],
  ['nothing of that kind\n', null],
  [`not ok 1 - ${'x'.repeat(5_000)}\n`, null],
])('the failed test in %j is %j', (log, name) => {
  expect(failedTest(log)).toBe(name)
})
