// docs/reliability.md says what was tried and what that proves: the figures follow from the counts, what it names exists, and its
// table is the one of the last record.
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createRandom } from '../src/rehearsal/random.ts'
import { nextSlice, type Standing, upperBound } from '../torture/bounds.ts'
import type { CampaignRun } from '../torture/campaign.ts'
import { addCases, type CasesOf, caseAt, describeCases, unplayed, withPlayed } from '../torture/cases.ts'
import { codeOf, modulesOf } from '../torture/code-path.ts'
import { judgeOf } from '../torture/judge-code.ts'
import {
  addedSince,
  addRun,
  countOf,
  type Kept,
  percent,
  type Results,
  standingOf,
  withTable,
} from '../torture/results.ts'
import { CAMPAIGNS, ROWS } from '../torture/rows.ts'
import { isRising, type Sample, slopeOf } from '../torture/slopes.ts'
import { filesBelow, type SeenFiles } from '../torture/work-files.ts'

const ROOT = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

describe('the bound', () => {
  it('is 1 - 0.05^(1/n) when nothing broke', () => {
    expect(upperBound({ tries: 998, broken: 0 })).toBeLessThan(0.003)
    expect(upperBound({ tries: 997, broken: 0 })).toBeGreaterThan(0.003)
    expect(upperBound({ tries: 20, broken: 0 })).toBeCloseTo(0.1391, 4)
  })

  it('leaves a doubt of exactly 5 % when something broke', () => {
    // From tables of the beta distribution.
    expect(upperBound({ tries: 10, broken: 1 })).toBeCloseTo(0.3942, 4)
    expect(upperBound({ tries: 100, broken: 3 })).toBeCloseTo(0.0757, 4)
    expect(upperBound({ tries: 1430, broken: 1 })).toBeCloseTo(0.00331, 5)
  })

  it('says nothing where nothing was tried or everything broke', () => {
    expect(upperBound({ tries: 0, broken: 0 })).toBe(1)
    expect(upperBound({ tries: 5, broken: 5 })).toBe(1)
  })

  it('is rounded up', () => {
    expect(percent(0.0030001)).toBe('0.31 %')
    expect(percent(0.003)).toBe('0.3 %')
    expect(percent(0.0000461)).toBe('0.005 %')
  })
})

describe('time is spent', () => {
  const standing = (campaign: string, tries: number, broken = 0, secondsPerTry: number | null = 1): Standing => ({
    ...{ campaign, rows: [{ tries, broken }], secondsPerTry, cpuPerTry: null, secondsPlayed: 0 },
  })

  it('first on a little of everything that was not played, the cheapest first', () => {
    const oneRow = { ...standing('c', 0, 0, 2), rows: [900, 0].map((tries) => ({ tries, broken: 0 })) }
    expect(nextSlice([standing('a', 10), standing('b', 0, 0, 5), oneRow], 600)?.campaign).toBe('c')
    expect(nextSlice([standing('a', 0, 0, 0.1)], 600)).toEqual({ campaign: 'a', tries: 600, seconds: 20 })
    expect(nextSlice([standing('a', 0, 0, null)], 600)).toMatchObject({ tries: 100, seconds: 20 })
  })

  it('twice as long on what came to nothing, but not on one thing for most of it', () => {
    const nothingYet = { ...standing('a', 0, 0, null), secondsPlayed: 30 }
    expect(nextSlice([nothingYet], 600)).toMatchObject({ campaign: 'a', seconds: 60 })
    expect(nextSlice([{ ...nothingYet, secondsPlayed: 3_000 }], 600)).toMatchObject({ seconds: 90 })
    expect(nextSlice([standing('a', 5)], 36_000)).toMatchObject({ seconds: 360 })
  })

  it('then where a second makes the bounds better by most', () => {
    expect(nextSlice([standing('a', 500), standing('b', 100), standing('c', 2_000)], 600)?.campaign).toBe('b')
    expect(nextSlice([standing('slow', 100, 0, 20), standing('quick', 150, 0, 0.1)], 600)?.campaign).toBe('quick')
    expect(nextSlice([standing('slow', 5, 0, 20), standing('quick', 1_000, 0, 0.1)], 600)?.campaign).toBe('slow')
  })

  it('or, where rows are to be finished, on what reaches the goal with the least, and then on the rest as ever', () => {
    const next = (...standings: Standing[]) => nextSlice(standings, 3_000, { finish: 2 })?.campaign
    expect(next(standing('bad', 5, 0, 2), standing('nearly', 900, 0, 2))).toBe('nearly')
    expect(next(standing('bad', 5, 0, 0.1), standing('nearly', 900, 0, 2))).toBe('bad')
    expect(next(standing('done', 998, 0, 0.1), standing('open', 5, 0, 2))).toBe('open')
    expect(next(standing('broken', 900, 1), standing('open', 5, 0, 2))).toBe('open')
    expect(next(standing('new', 0), standing('nearly', 900))).toBe('new')
    expect(next(standing('done', 998), standing('more', 2_000))).toBe('done')
  })

  it('no more of that than it lacks, and only while it can reach the goal in the time that is left', () => {
    const twoRows = { ...standing('open', 0, 0, 0.5), rows: [990, 900].map((tries) => ({ tries, broken: 0 })) }
    expect(nextSlice([twoRows], 600, { finish: 2 })).toEqual({ campaign: 'open', tries: 196, seconds: 90 })
    const [worst, nearly] = [standing('worst', 5, 0, 2), standing('nearly', 700, 0, 2)]
    expect(nextSlice([worst, nearly], 300, { finish: 2 })?.campaign).toBe('nearly')
    expect(nextSlice([worst, nearly], 200, { finish: 2 })?.campaign).toBe('worst')
    // Its slices side by side are not enough, however little they compute.
    expect(nextSlice([worst, { ...nearly, secondsPerTry: 4, cpuPerTry: 0.1 }], 300, { finish: 2 })?.campaign).toBe(
      'worst',
    )
  })

  it('by what a try computes, not by how long it waits', () => {
    const waiting = { ...standing('waiting', 100, 0, 20), cpuPerTry: 0.5 }
    expect(nextSlice([waiting, standing('busy', 100, 0, 2)], 600)?.campaign).toBe('waiting')
  })

  it('on more tries than fit into a slice, which ends on time, and into what is left', () => {
    expect(nextSlice([standing('a', 5, 0, 0.5)], 600)).toMatchObject({ tries: 540, seconds: 90 })
    expect(nextSlice([standing('a', 5, 0, 0.5)], 35)).toMatchObject({ tries: 120, seconds: 20 })
  })

  it('last on what broke, and not on what does not fit any more', () => {
    expect(nextSlice([standing('broken', 100, 1), standing('fine', 2_000)], 600)?.campaign).toBe('fine')
    expect(nextSlice([standing('slow', 0, 0, 20), standing('quick', 2_000)], 60)?.campaign).toBe('quick')
    expect(nextSlice([standing('slow', 0, 0, 20)], 60)).toBeNull()
    expect(nextSlice([standing('a', 0, 0, null)], 0)).toBeNull()
  })
})

describe('work in a workspace', () => {
  it('is compared with what is in its files now, though what has not changed is not read again', () => {
    const directory = mkdtempSync(join(tmpdir(), 'aot-'))
    onTestFinished(() => rmSync(directory, { recursive: true }))
    const at = (name: string) => join(directory, name)
    for (const name of ['.git/HEAD', 'src/a', 'src/b', 'c', 'd']) {
      mkdirSync(dirname(at(name)), { recursive: true })
      writeFileSync(at(name), 'one')
    }
    symlinkSync('c', at('link'))
    utimesSync(at('src/a'), 0, 0)
    const seen: SeenFiles = new Map()
    const before = filesBelow(directory, seen)
    // They may be changed in the same tick of the kernel's clock.
    expect(seen.size).toBe(0)
    vi.setSystemTime(Date.now() + 5_000)
    onTestFinished(() => void vi.useRealTimers())
    expect(Object.keys(before).sort()).toEqual(['c', 'd', 'link', 'src/a', 'src/b'])
    expect(filesBelow(directory, seen)).toEqual(before)
    const changedAt = () => lstatSync(at('src/a'), { bigint: true }).ctimeNs
    for (const first = changedAt(); changedAt() === first; utimesSync(at('src/a'), 0, 0))
      writeFileSync(at('src/a'), 'two')
    writeFileSync(at('other'), 'two')
    renameSync(at('other'), at('src/b'))
    chmodSync(at('c'), 0o755)
    rmSync(at('d'))
    const after = filesBelow(directory, seen)
    expect(after).toEqual(filesBelow(directory, new Map()))
    expect(Object.keys(after).filter((name) => after[name] !== before[name])).toEqual(['c', 'src/a', 'src/b'])
  })
})

describe('runs', () => {
  const run = (seed: number, tries: number, broken = 0): CampaignRun => ({
    ...{ campaign: 'killed loop', kinds: { kills: { tries, broken } }, notes: { 'pull requests': 1 } },
    ...{ seed, seconds: 10, cpuSeconds: 4, load: 2 },
  })
  const origin = { code: 'new', commit: 'c0ffee11', date: '2026-11-17' }

  it('are added up on the same code', () => {
    const kept = [run(3, 10), run(9, 20, 1), run(4, 5)].reduce<Kept[]>((all, one) => addRun(all, one, origin), [])
    expect(kept).toHaveLength(1)
    expect(kept[0]).toMatchObject({ kinds: { kills: { tries: 35, broken: 1 } }, notes: { 'pull requests': 3 } })
    expect(kept[0]).toMatchObject({ seeds: '3 to 4, 9', seconds: 30 })
  })

  it('count while they are played, each try once', () => {
    const [early, late] = [run(7, 10), { ...run(7, 25, 1), seconds: 30, cpuSeconds: 9.5 }]
    const added = [early, addedSince(late, early)].reduce<Kept[]>((all, one) => addRun(all, one, origin), [])
    expect(added).toEqual(addRun([], late, origin))
    expect(addedSince(early, undefined)).toBe(early)
  })

  it('expire when the code changes: they are shown, and count no more', () => {
    const kept = addRun(addRun([], run(1, 500), { ...origin, code: 'old', commit: 'abcdef01' }), run(2, 8), origin)
    const row = ROWS.find(({ campaign }) => campaign === 'killed loop')!
    expect(countOf(row, standingOf('killed loop', 'new', kept))).toEqual({ tries: 8, broken: 0 })
    const results = { commit: 'c0ffee11', date: '2026-11-17', kept }
    const empty = '<!-- begin generated table -->\n<!-- end generated table -->'
    const lineOf = (code: string) =>
      withTable(empty, { ...results, code: { 'killed loop': code } }).match(/\| loop: kill .*/)?.[0]
    expect(lineOf('new')).toMatch(/\| 0 of 8 kills \| 31.24 % \|$/)
    expect(lineOf('later')).toMatch(/\| expired: 0 of 8 \| 31.24 % \|$/)
  })
})

describe('cases that can be listed', () => {
  const of = { EIO: 37, EMFILE: 0, short: 12 }
  const fresh: CasesOf = { of, played: '', missed: '' }
  const play = (cases: CasesOf, count: number, seed: number) => {
    let after = cases
    for (const place of [...unplayed(cases, createRandom(seed))].slice(0, count)) after = withPlayed(after, place, true)
    return after
  }

  it('have one place each', () => {
    const all = Array.from({ length: 49 }, (_, place) => caseAt(of, place))
    expect(new Set(all.map(({ failure, n }) => `${failure} ${n}`)).size).toBe(49)
    expect(all.every(({ failure, n }) => n >= 1 && n <= of[failure as keyof typeof of])).toBe(true)
    expect(Math.abs(all[0]!.n - all[1]!.n)).toBeGreaterThan(5)
  })

  it('are played once each over all runs, and again when all were', () => {
    const half = play(fresh, 25, 1)
    const rest = play(half, 24, 2)
    expect(half.played.split(', ').length).toBeLessThan(3)
    expect(rest.played).toBe('0 to 48')
    expect([...unplayed(rest, createRandom(3))]).toHaveLength(49)
    expect(addCases({ send: half }, { send: rest })).toEqual({ send: rest })
    expect(addCases({ send: half }, { send: { ...rest, of: { EIO: 49 } } })).toEqual({ send: half })
    expect(addCases({ send: { ...fresh, of: null } }, { send: half })).toEqual({ send: half })
  })

  it('are in the table: how many of all', () => {
    const some = withPlayed(play(fresh, 9, 1), 40, false)
    const kept = addRun(
      [],
      { ...runOf('n-th failure, ao'), cases: { send: some } },
      { code: 'now', commit: 'c0ffee11', date: '' },
    )
    const empty = '<!-- begin generated table -->\n<!-- end generated table -->'
    const table = withTable(empty, { commit: 'c0ffee11', date: '', code: { 'n-th failure, ao': 'now' }, kept })
    expect(table).toContain('| 0 of 10 commands, 9 of 48 cases |')
    expect(describeCases({ send: some, kill: { ...fresh, of: null } })).toBe('9 of more than 48 cases')
  })
})

function runOf(campaign: string): CampaignRun {
  const shared = { notes: {}, seed: 1, seconds: 1, cpuSeconds: 1, load: 1 }
  return { campaign, kinds: { send: { tries: 10, broken: 0 } }, ...shared }
}

describe('the code of a campaign', () => {
  const MODULES = {
    'start.ts':
      "import { add } from './add.ts'\nimport { COMMANDS } from './cli/ao/commands.ts'\nimport type { Unused } from './types.ts'\nexport const two = add(1)\n",
    'add.ts': "export const add = (n: number) => n + 1\nexport const later = () => import('./later.ts')\n",
    'later.ts': 'export const later = 3\n',
    'types.ts': 'export type Unused = 1\n',
    'other.ts': 'export const other = 4\n',
    'cli/ao/commands.ts':
      "export { kill } from './kill.ts'\nexport const COMMANDS = [...group('All', [['session kill', () => import('./kill.ts'), { isTool: true }]])]\n",
    'cli/ao/kill.ts':
      "export const kill = { about: 'Ends it', details: `And \\`more\\``, run: () => ({ about: 1 }) }\n",
    'start.test.ts': 'throw new Error()\n',
  }
  const hashOf = (changes: Partial<typeof MODULES> = {}) => {
    const root = mkdtempSync(join(tmpdir(), 'aot-code-'))
    mkdirSync(join(root, 'src'))
    for (const [name, text] of Object.entries({ ...MODULES, ...changes })) {
      mkdirSync(join(root, 'src', name, '..'), { recursive: true })
      writeFileSync(join(root, 'src', name), text)
    }
    try {
      return codeOf(['src/start.ts'], root)
    } finally {
      rmSync(root, { recursive: true })
    }
  }

  it('stays the same after a comment, another format, another type, and a change of what it does not load', () => {
    const add =
      '// It adds.\nexport const add = (n: number | bigint) =>\n  n + 1\nexport const later = () => import("./later.ts")\n'
    expect(hashOf({ 'add.ts': add })).toBe(hashOf())
    expect(hashOf({ 'types.ts': 'export type Unused = 2\n', 'other.ts': 'export const other = 5\n' })).toBe(hashOf())
    expect(hashOf({ 'start.test.ts': '' })).toBe(hashOf())
  })

  it('stays the same after another text of help and another row in a menu', () => {
    const kill = MODULES['cli/ao/kill.ts']
    const reworded = kill.replace('Ends it', 'Ends \\"it\\"').replace('And', 'Much')
    expect(hashOf({ 'cli/ao/kill.ts': reworded })).toBe(hashOf())
    const menu = MODULES['cli/ao/commands.ts']
    const longer = menu.replace('[[', "[['other', () => import('./other.ts')], [")
    expect(longer).not.toBe(menu)
    expect(hashOf({ 'cli/ao/commands.ts': longer })).toBe(hashOf())
    expect(hashOf({ 'cli/ao/commands.ts': menu.replace('group', 'grouped') })).not.toBe(hashOf())
    expect(hashOf({ 'cli/ao/kill.ts': kill.replace('about: 1', 'about: 2') })).not.toBe(hashOf())
  })

  it('is another one after a changed statement in what it loads, also lazily', () => {
    expect(hashOf({ 'add.ts': MODULES['add.ts'].replace('n + 1', 'n + 2') })).not.toBe(hashOf())
    expect(hashOf({ 'later.ts': 'export const later = 4\n' })).not.toBe(hashOf())
    expect(hashOf({ 'start.ts': `import './other.ts'\n${MODULES['start.ts']}` })).not.toBe(hashOf())
  })

  it.each(Object.entries(CAMPAIGNS))('of %s exists', (name, { file, starts }) => {
    expect(modulesOf(starts).length).toBeGreaterThan(10)
    const text = read(`torture/${file}.torture.ts`)
    expect(text.includes(`campaign('${name}'`) || text.includes(`campaign(\`${name.split(',')[0]}, `)).toBe(true)
    expect(ROWS.some(({ campaign }) => campaign === name)).toBe(true)
  })
})

describe('what judges in a campaign', () => {
  const FILES = {
    'torture/two.torture.ts':
      "import { campaign } from './campaign.ts'\nimport { isWhole } from '../test/support/whole.ts'\nimport { other } from './other.ts'\n\ncampaign('one', async (one) => {\n  if (!isWhole(1)) one.broken('it')\n})\n\ncampaign('two', (one) => other(one))\n",
    'torture/campaign.ts': 'export const campaign = (name: string, play: unknown) => void [name, play]\n',
    'torture/other.ts': 'export const other = (n: unknown) => n\n',
    'test/support/whole.ts':
      "import { LEAST } from '../../src/least.ts'\nimport { testProgram } from './test-program.ts'\nexport const isWhole = (n: number) => n > LEAST && testProgram('kill-it') !== 'judge.c'\nexport const unused = 1\n",
    'test/support/test-program.ts': 'export const testProgram = (name: string) => `dist/${name}.js`\n',
    'test/fixtures/kill-it.ts': 'process.exit(1)\n',
    'test/fixtures/judge.c': 'int main() {}\n',
    'test/fixtures/other.sh': 'true\n',
    'src/least.ts': 'export const LEAST = 0\n',
  }
  const judged = (changes: Partial<typeof FILES> = {}) => {
    const root = mkdtempSync(join(tmpdir(), 'aot-code-'))
    for (const [path, text] of Object.entries({ ...FILES, ...changes })) {
      mkdirSync(join(root, path, '..'), { recursive: true })
      writeFileSync(join(root, path), text)
    }
    try {
      return judgeOf('one', 'two', root).join('\0')
    } finally {
      rmSync(root, { recursive: true })
    }
  }
  const changed = (path: keyof typeof FILES, from: string, to: string) => {
    expect(FILES[path]).toContain(from)
    return judged({ [path]: FILES[path].replace(from, to) })
  }

  it('is its part of its file, what that uses, and the programs and files that it names', () => {
    expect(changed('torture/two.torture.ts', 'isWhole(1)', 'isWhole(2)')).not.toBe(judged())
    expect(changed('test/support/whole.ts', 'n > LEAST', 'n >= LEAST')).not.toBe(judged())
    expect(changed('test/fixtures/kill-it.ts', '1', '2')).not.toBe(judged())
    expect(changed('test/fixtures/judge.c', '{}', '{ return 1; }')).not.toBe(judged())
  })

  it('is not another campaign, a helper that it does not use, a comment, how tries are counted, nor what is judged', () => {
    expect(changed('torture/two.torture.ts', 'other(one))', 'other([one]))')).toBe(judged())
    expect(changed('torture/other.ts', '=> n', '=> [n]')).toBe(judged())
    expect(changed('test/support/whole.ts', 'unused = 1', 'unused = 2 // two')).toBe(judged())
    expect(changed('torture/campaign.ts', 'name, play', 'play, name')).toBe(judged())
    expect(changed('test/fixtures/other.sh', 'true', 'false')).toBe(judged())
    expect(changed('src/least.ts', '0', '1')).toBe(judged())
  })
})

describe('the slope of a soak', () => {
  const random = createRandom(7)
  const noise = () => random.below(1_000) / 100 - 5
  const series = (valueAt: (hours: number) => number, from = 0): Sample[] =>
    Array.from({ length: 240 }, (_, n) => ({ hours: from + n / 240, value: valueAt(n / 240), life: from }))

  it('is flat where there is nothing but noise, and rises where something leaks', () => {
    const flat = slopeOf(series(() => 100 + noise()))!
    expect(isRising(flat)).toBe(false)
    expect(Math.abs(flat.perHour)).toBeLessThan(3 * flat.error)
    const leaking = slopeOf(series((hours) => 100 + 12 * hours + noise()))!
    expect(isRising(leaking)).toBe(true)
    expect(Math.abs(leaking.perHour - 12)).toBeLessThan(3 * leaking.error)
  })

  it('is not hidden by a restart, nor made by one', () => {
    const twice = (valueAt: (hours: number) => number) => [...series(valueAt), ...series(valueAt, 1)]
    expect(isRising(slopeOf(twice((hours) => 100 + 12 * hours + noise()))!)).toBe(true)
    const jump = [...series(() => 100 + noise()), ...series(() => 180 + noise(), 1)]
    expect(isRising(slopeOf(jump)!)).toBe(false)
  })

  it('needs more than a handful of samples, and more than a trifle', () => {
    expect(slopeOf(series(() => 1).slice(0, 12))).toBeNull()
    expect(isRising(slopeOf(series((hours) => 100 + hours + noise() / 1_000))!)).toBe(false)
  })
})

it.each([
  ['run', '--record'],
  ['soak', '--hours'],
  ['mutation', '--mutants'],
])('torture/%s.ts says how it is used, also when an option is misspelt', (program, option) => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [join(ROOT, `torture/${program}.ts`), ...args], { encoding: 'utf8' })
  const helped = run('--help')
  expect([helped.status, helped.stdout, helped.stderr]).toEqual([0, expect.stringContaining(option), ''])
  const refused = run(`${option}s`)
  expect([refused.status, refused.stderr]).toEqual([2, expect.stringMatching(/^error: .*\n\nusage: npm run /)])
})

it('every fault has a campaign or a test, and these exist', () => {
  for (const { fault, campaign, tests = [] } of ROWS) {
    expect([campaign, ...tests].filter(Boolean), fault).not.toEqual([])
    if (campaign !== undefined) expect(Object.keys(CAMPAIGNS), fault).toContain(campaign)
    expect(tests.filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
  }
})

it('the table is up to date; npm run torture -- --record writes it', () => {
  const results = JSON.parse(read('torture/results.json')) as Results
  expect(read('docs/reliability.md')).toBe(withTable(read('docs/reliability.md'), results))
})
